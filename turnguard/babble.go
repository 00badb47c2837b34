package turnguard

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// BabbleRow is the row of the plugin that ends replies which repeat themselves.
const BabbleRow = "babble-guard"

const byBabbling = "babbling"

// What counts as babbling: the last bytes of an answer or of thinking, so many, are
// one short unit over and over. Calls are not looked at: files may well be made of
// equal lines.
const (
	babbleBytes = 6 << 10
	babbleUnit  = 300 // the longest unit, 20 of which fill those bytes
	babbleEvery = 2 << 10
)

// Babble ends a turn in the middle of a reply that says the same line without end,
// which some models do until their limit. What had come is kept.
func Babble() graph.Plugin {
	return graph.Plugin{
		Name: BabbleRow,
		Doc:  "ends a turn whose reply repeats one line without end",
		Apply: func(f *graph.Fiber, _ any) error {
			agent.Stream.On(f, func(ctx context.Context, s *agent.Sending, next func(context.Context, *agent.Sending) (iter.Seq2[llm.Chunk, error], error)) (iter.Seq2[llm.Chunk, error], error) {
				chunks, err := next(ctx, s)
				if err != nil {
					return nil, err
				}
				return func(yield func(llm.Chunk, error) bool) {
					var answer, thinking tail
					for c, err := range chunks {
						unit := answer.add(c.Text)
						if c.Reasoning != nil {
							unit += thinking.add(c.Reasoning.Text)
						}
						if unit != "" {
							s.Agent.Halt(s.Turn, babbling(unit)) // ends the stream too
						}
						if !yield(c, err) {
							return
						}
					}
				}, nil
			})
			return nil
		},
	}
}

func babbling(unit string) agent.Rejection {
	line := strings.Join(strings.Fields(unit), " ")
	if len(line) > 80 {
		line = strings.ToValidUTF8(line[:80], "") + "…"
	}
	if line == "" {
		line = "…" // nothing but blanks
	}
	return agent.Rejection{Reason: session.EndReason{Kind: session.EndGuard, By: byBabbling}, Key: "end.babbling", Values: map[string]any{"text": line},
		Text: fmt.Sprintf("The reply repeated %q without end and was stopped. What was done so far stands; ask again in other words, or choose another model.", line)}
}

// tail keeps the end of a stream.
type tail struct {
	text []byte
	seen int // bytes since it was looked at last
}

// add takes a piece and gives the unit that the end is made of, "" where there is none.
func (t *tail) add(piece string) string {
	if piece == "" {
		return ""
	}
	t.text = append(t.text, piece...)
	if over := len(t.text) - 2*babbleBytes; over > 0 {
		t.text = append(t.text[:0], t.text[len(t.text)-babbleBytes:]...)
	}
	if t.seen += len(piece); t.seen < babbleEvery || len(t.text) < babbleBytes {
		return ""
	}
	t.seen = 0
	end := t.text[len(t.text)-babbleBytes:]
	if p := period(end); p <= babbleUnit {
		// Begin at a line, where there is one.
		unit := string(end[len(end)-p:])
		if i := strings.IndexByte(unit, '\n'); i >= 0 {
			unit = unit[i+1:] + unit[:i]
		}
		return strings.ToValidUTF8(unit, "")
	}
	return ""
}

// period is the length of the shortest unit of which text is made, its last one
// perhaps cut off: text's length less its longest border (Knuth, Morris, Pratt).
func period(text []byte) int {
	border := make([]int, len(text))
	k := 0
	for i := 1; i < len(text); i++ {
		for k > 0 && text[i] != text[k] {
			k = border[k-1]
		}
		if text[i] == text[k] {
			k++
		}
		border[i] = k
	}
	return len(text) - k
}
