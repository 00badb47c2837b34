package wire

import (
	"context"
	"io"
	"strings"

	"fairlead/llm"
)

// Feed turns what an adapter reads out of a reply into chunks, by one set of rules
// for every wire: what is thinking, answer and call; when a reply has started; how
// it ends.
type Feed struct {
	// Split takes inline thinking and calls in text form out of the answer.
	Split Split
	// Reply is what is being read; set before the first event is taken.
	Reply *Reply

	yield  func(llm.Chunk, error) bool
	gone   bool // the consumer broke off
	calls  Calls
	usage  *llm.Usage
	finish string
	said   bool // a part of the reply came
}

// Stream sends the request and gives each event of the answer to take, which passes
// on what it reads to the feed. An error of take ends the stream. The end of the
// answer is the feed's affair: the mark [DONE], an event named error, the end of
// the body.
func (p Post) Stream(ctx context.Context, yield func(llm.Chunk, error) bool, f *Feed, take func(data []byte) *llm.Error) {
	f.yield = yield
	p.Loading = func() bool {
		f.State("loading", 0)
		return !f.gone
	}
	reply, err := p.Send(ctx)
	if err == nil {
		defer reply.Close()
		f.Reply = reply
		if failed := f.run(take); failed != nil {
			err = failed
		}
	}
	if err != nil && !f.gone {
		yield(llm.Chunk{}, err)
	}
}

func (f *Feed) run(take func(data []byte) *llm.Error) *llm.Error {
	for !f.gone {
		ev, err := f.Reply.Next()
		done := string(ev.Data) == "[DONE]"
		switch failed, ok := err.(*llm.Error); {
		case err == nil && ev.Name == "error" && !done:
			return f.Reply.Refused(ev.Data)
		case err == nil && !done:
			if failed := take(ev.Data); failed != nil {
				return failed
			}
		case f.finish != "" || done:
			// What fails behind the finish word takes nothing from the reply.
			return f.end()
		case ok:
			return failed
		default:
			return f.Broken(io.ErrUnexpectedEOF)
		}
	}
	return nil
}

// Broken is the error of a reply that ended before it was over.
func (f *Feed) Broken(err error) *llm.Error {
	return &llm.Error{Code: llm.CodeStreamCut, RetryAfter: -1, Started: f.said, Message: "the reply ended in the middle", Err: err}
}

// State passes on what a slow server is doing before the first token.
func (f *Feed) State(state string, progress float64) {
	if !f.said {
		f.give(llm.Chunk{State: state, Progress: progress})
	}
}

// Text takes answer text, in which there may be other things.
func (f *Feed) Text(s string) {
	if s != "" {
		f.pieces(f.Split.Add(s))
	}
}

// Think takes a piece of thinking.
func (f *Feed) Think(r llm.Reasoning) { f.say(llm.Chunk{Reasoning: &r}) }

// Call takes a fragment of a call.
func (f *Feed) Call(d Delta) { f.fragments(f.calls.Add(d)) }

// Count keeps the token counts; nil tells none.
func (f *Feed) Count(u *llm.Usage) {
	if u != nil {
		f.usage = u
	}
}

// Counted gives the counts so far, to be added to; nil where there are none.
func (f *Feed) Counted() *llm.Usage { return f.usage }

// Finish takes the server's word for why the reply is over. A word for a reply that
// ran out of room is not taken back by a later one; a word for a failure is an error.
func (f *Feed) Finish(word string) *llm.Error {
	word = strings.ToLower(word)
	switch word {
	case "error", "failed":
		return &llm.Error{Code: llm.CodeServer, RetryAfter: -1, Started: f.said, Message: "the server ended the reply with an error"}
	case "abort", "aborted", "cancelled", "canceled":
		return f.Broken(io.ErrUnexpectedEOF)
	case "":
		word = "stop"
	}
	if f.finish == "" {
		f.Reply.Finished()
	}
	if !ranOut(f.finish) {
		f.finish = word
	}
	return nil
}

// Finished reports whether a finish word came.
func (f *Feed) Finished() bool { return f.finish != "" }

// give passes a chunk on.
func (f *Feed) give(c llm.Chunk) {
	if !f.gone {
		f.gone = !f.yield(c, nil)
	}
}

// say passes on a part of the reply itself.
func (f *Feed) say(c llm.Chunk) {
	if !f.said {
		f.said = true
		f.Reply.Started()
	}
	f.give(c)
}

func (f *Feed) pieces(list []Piece) {
	for _, p := range list {
		switch p.Kind {
		case Answer:
			f.say(llm.Chunk{Text: p.Text})
		case Thought:
			f.say(llm.Chunk{Reasoning: &llm.Reasoning{Text: p.Text, Field: llm.FieldThinkTag}})
		case Rethink:
			f.say(llm.Chunk{Rethink: true})
		case TextCall:
			f.Call(p.Call)
		}
	}
}

func (f *Feed) fragments(list []llm.CallFragment) {
	for _, c := range list {
		f.say(llm.Chunk{Call: &c})
	}
}

// end gives the last chunks of a reply that is over.
func (f *Feed) end() *llm.Error {
	f.pieces(f.Split.End())
	f.fragments(f.calls.End())
	if !f.said {
		return &llm.Error{Code: llm.CodeEmpty, RetryAfter: -1, Message: "the reply was empty"}
	}
	f.give(llm.Chunk{Finish: f.reason(), Usage: f.usage})
	return nil
}

// reason says why the reply ended. Calls that are there decide, not the word.
func (f *Feed) reason() llm.FinishReason {
	switch {
	case ranOut(f.finish):
		return llm.FinishLength
	case f.finish == "content_filter" || f.finish == "safety" || f.finish == "refusal":
		return llm.FinishFilter
	case f.calls.Len() > 0:
		return llm.FinishCalls
	}
	return llm.FinishStop
}

func ranOut(word string) bool {
	switch word {
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return true
	}
	return false
}
