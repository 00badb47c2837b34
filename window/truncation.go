package window

import (
	"context"
	"fmt"
	"iter"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
)

// stream measures a request: what the server counted goes into the log with the
// reply, and a server that read less than it was sent is named.
func (w *room) stream(ctx context.Context, s *agent.Sending, next func(context.Context, *agent.Sending) (iter.Seq2[llm.Chunk, error], error)) (iter.Seq2[llm.Chunk, error], error) {
	chunks, err := next(ctx, s)
	if err != nil || s.Aside {
		return chunks, err
	}
	r, err := w.read(ctx, s.Agent, s.Route)
	if err != nil {
		return nil, err
	}
	return func(yield func(llm.Chunk, error) bool) {
		var usage *llm.Usage
		for c, err := range chunks {
			if c.Usage != nil {
				usage = c.Usage
			}
			if err == nil && c.Finish != "" {
				if err := w.took(ctx, s, r, usage); err != nil {
					yield(llm.Chunk{}, err)
					return
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}, nil
}

// took logs the size of a request that was answered.
func (w *room) took(ctx context.Context, s *agent.Sending, r reading, usage *llm.Usage) error {
	var total int
	drafts := make([]session.Draft, 0, 2)
	if usage != nil && usage.Input > 0 {
		if usage.Output > 0 {
			total = usage.Input + usage.Output
		}
		if read, window := truncated(r, usage.Input, total); read {
			drafts = append(drafts, w.cutShort(s, &r, usage.Input, window)...)
		} else {
			r.tokens, r.counted = usage.Input, true
		}
	}
	d := r.measured(s.Route)
	if d.Total = total; usage != nil && usage.Input > 0 && !r.counted {
		d.Read = usage.Input
	}
	_, err := s.Agent.Log().Append(context.WithoutCancel(ctx), append(drafts, Measured.New(s.Turn, s.Step, d))...)
	return err
}

// SourceTruncation marks a window that was learned from what a server left unread.
const SourceTruncation = "truncation"

// cutShort says that a server read less than it was sent, once, and takes the window
// for what it shows to be.
func (w *room) cutShort(s *agent.Sending, r *reading, input, window int) []session.Draft {
	known := r.gauge.Last.Read > 0
	text := fmt.Sprintf("The server of %s read only %s of about %s tokens that it was sent, and said nothing: the beginning of the session was cut off there. ",
		s.Route.Name, thousands(input), thousands(r.tokens))
	if window > 0 && window < r.budget.Window {
		w.routes.LearnWindow(s.Route.Name, window, SourceTruncation)
		r.budget.Window, r.budget.Source, known = window, SourceTruncation, false
		text += fmt.Sprintf("From now on its context counts as %s tokens. ", thousands(window))
	}
	if known {
		return nil
	}
	return []session.Draft{session.Note.New(s.Turn, s.Step, session.NoteData{Key: "note.prompt-cut", Level: "warn", Text: text + advice(s.Route.Wire),
		Values: map[string]any{"model": s.Route.Name, "read": thousands(input), "sent": thousands(r.tokens)}})}
}

// The signs of a prompt that was cut: a server that counts less than this share of
// what is surely there, or the same total this often in a row while the session grew.
const (
	leastShare  = 0.6
	leastPrompt = 1000
	sameTotals  = 3
	// leastRead is the smallest prompt that a cut could leave: no server has a smaller
	// window, but some have counts that mean nothing.
	leastRead = 1024
)

// truncated reports whether a server read less than it was sent. window is the size
// that this shows, 0 where one look does not tell: a server may count oddly, once.
func truncated(r reading, input, total int) (cut bool, window int) {
	g := r.gauge
	size := max(input, total)
	if input < leastRead || g.same(input, r.plain) && !likely(size) {
		return false, 0 // it tells the same of everything, or nothing that can be
	}
	if total > 0 && total == g.Total && g.Repeats >= sameTotals-1 && r.plain > g.Last.Plain {
		return true, total
	}
	// The plain estimate is low, so what is far below it was not read, unless it is the
	// tools: the templates of many small models leave them out. And a session that only
	// grew does not become shorter.
	sure := r.plain - r.parts.Tools
	far := sure >= leastPrompt && float64(input) < leastShare*float64(sure)
	fell := g.Last.Measured && g.Last.Plain == g.ReportedPlain && g.Reported > leastPrompt && r.plain >= g.ReportedPlain && float64(input) < 0.9*float64(g.Reported)
	if !far && !fell {
		return false, 0
	}
	if last := g.Last.Read; last > 0 && input > last*9/10 && input < last*11/10 && likely(size) {
		window = roundUp(size)
	}
	return true, window
}

// same reports whether the server counted exactly this many tokens the last time, too,
// although the session grew.
func (g Gauge) same(input, plain int) bool {
	last := g.Last.Read
	if last == 0 && g.Last.Measured {
		last = g.Reported
	}
	return input == last && plain > g.Last.Plain
}

// likely reports whether a full context could have this size: windows are multiples
// of 1,024, or a little less where a server keeps something back.
func likely(size int) bool {
	whole := roundUp(size)
	return whole-size <= whole/16
}

// roundUp gives the next multiple of 1,024, which windows are.
func roundUp(n int) int { return (n + 1023) / 1024 * 1024 }

// advice says what to change on the server of a wire.
func advice(wire string) string {
	switch wire {
	case "chat/ollama":
		return "Start Ollama with OLLAMA_CONTEXT_LENGTH set to a larger number, or give the model num_ctx in its Modelfile."
	case "chat/lmstudio":
		return "Load the model in LM Studio with a larger context length."
	case "chat/llama.cpp":
		return "Start llama.cpp with a larger --ctx-size, or without context shift."
	}
	return "Load the model there with a larger context, or choose another one."
}
