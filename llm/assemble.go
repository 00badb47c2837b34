package llm

import "strings"

// Assembler turns the chunks of one reply into a message. The zero value is ready;
// one Assembler serves one reply and one goroutine.
type Assembler struct {
	text      strings.Builder
	reasoning []thought
	calls     []building
	usage     Usage
	counted   bool
	finish    FinishReason
}

// thought and building collect their text as bytes, since a reply comes in
// thousands of pieces.
type thought struct {
	Reasoning
	text []byte
}

type building struct {
	id, name  string
	extra     string
	arguments []byte
}

// Add takes the next chunk.
func (a *Assembler) Add(c Chunk) {
	if c.Rethink {
		a.rethink()
	}
	a.text.WriteString(c.Text)
	if c.Reasoning != nil {
		a.think(*c.Reasoning)
	}
	if f := c.Call; f != nil {
		for len(a.calls) <= f.Index {
			a.calls = append(a.calls, building{})
		}
		b := &a.calls[f.Index]
		if f.ID != "" {
			b.id = f.ID
		}
		if f.Name != "" {
			b.name = f.Name
		}
		if f.Extra != "" {
			b.extra = f.Extra
		}
		b.arguments = append(b.arguments, f.Arguments...)
	}
	if c.Usage != nil {
		a.usage, a.counted = *c.Usage, true
	}
	if c.Finish != "" {
		a.finish = c.Finish
	}
}

// think appends to the last thought where the piece goes on with it: the same
// field, and nothing signed or sealed yet.
func (a *Assembler) think(r Reasoning) {
	if n := len(a.reasoning); n > 0 {
		last := &a.reasoning[n-1]
		goesOn := last.Field == r.Field && last.Signature == "" && last.Opaque == nil && r.Opaque == nil
		if goesOn {
			last.text = append(last.text, r.Text...)
			last.Signature = r.Signature
			return
		}
	}
	a.reasoning = append(a.reasoning, thought{Reasoning: r, text: []byte(r.Text)})
}

func (a *Assembler) rethink() {
	text := a.text.String()
	a.text.Reset()
	if text != "" {
		a.think(Reasoning{Text: text, Field: FieldThinkTag})
	}
}

// Message gives the reply as far as it came. Its calls are there only when the
// server said that the reply was over, and a call that the reply ended in is
// marked [Call.Cut]: it never runs. Unknown counts of the usage are -1. The
// finish reason is empty for a reply that did not end.
func (a *Assembler) Message() (Message, Usage, FinishReason) {
	m := Message{Role: Assistant}
	if a.text.Len() > 0 {
		m.Content = Text(a.text.String())
	}
	for i := range a.reasoning {
		r := a.reasoning[i].Reasoning
		r.Text = string(a.reasoning[i].text)
		m.Reasoning = append(m.Reasoning, r)
	}
	if a.finish != "" {
		m.Calls = a.finished()
	}
	usage := a.usage
	if !a.counted {
		usage = UnknownUsage()
	}
	return m, usage, a.finish
}

func (a *Assembler) finished() []Call {
	var calls []Call
	for i := range a.calls {
		b := &a.calls[i]
		c := Call{ID: b.id, Name: b.name, Extra: b.extra, Arguments: once(string(b.arguments))}
		// A server that closes the brackets of what it cut makes the last call of a
		// reply that ran out of room look whole, so that one is never trusted.
		ranOut := a.finish == FinishLength && i == len(a.calls)-1
		c.Cut = ranOut || Unfinished(c.Arguments)
		calls = append(calls, c)
	}
	return calls
}
