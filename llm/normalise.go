package llm

import (
	"bytes"
	"fmt"
	"slices"
)

// NormaliseOptions say what the endpoint takes. The zero value suits the strictest
// provider that reads pictures.
type NormaliseOptions struct {
	// TextOnly puts a mark in the place of every picture.
	TextOnly bool
	// ShortIDs writes call ids as nine letters and digits, which some servers demand.
	ShortIDs bool
	// Pictures bounds the pictures of a request.
	Pictures PictureLimits
	// Load gives the bytes of a picture by its SHA-256 where [Part.Bytes] is empty.
	// A picture that it cannot give becomes a mark. Nil: there is none to load.
	Load func(sha256 string) ([]byte, error)
}

// Normalise makes a history that any provider accepts. Every call has one result,
// right behind its message and in the order of the calls; results without a call
// and messages without content are left out; text is valid UTF-8 without NUL;
// arguments are JSON objects; ids and names are of the common alphabet, and no id
// is used twice; pictures that cannot be sent are marks.
//
// It is pure: the history is not changed, and equal input gives equal output. A
// history that extends another one gives an extension of that one's output, unless
// what is added settles an open call or exceeds the picture budget. Repairs says in
// plain words what was changed.
func Normalise(history []Message, opt NormaliseOptions) (out []Message, repairs []string) {
	return NewNormaliser(opt).Run(history)
}

// Normaliser does what [Normalise] does for the growing history of one session: it
// looks only at messages it has not seen at their place before, and tells of each
// repair once. It serves one goroutine.
type Normaliser struct {
	opt  NormaliseOptions
	seen []cleaned
	told map[string]bool
}

// cleaned is a message with what became of it, regardless of the others.
type cleaned struct {
	in      Message
	out     Message
	dropped bool
	repairs []string
}

// NewNormaliser starts with an empty history.
func NewNormaliser(opt NormaliseOptions) *Normaliser {
	return &Normaliser{opt: opt, told: map[string]bool{}}
}

// Run normalises a history. Repairs are those it has not told of before.
func (n *Normaliser) Run(history []Message) (out []Message, repairs []string) {
	n.clean(history)
	p := pairing{opt: n.opt, list: n.seen, taken: make([]bool, len(history)), used: make(map[string]bool, len(history)/2)}
	p.out = make([]Message, 0, len(history)+1)
	for i := range n.seen {
		p.repairs = append(p.repairs, n.seen[i].repairs...)
		if !n.seen[i].dropped {
			p.place(i)
		}
	}
	p.orphans()
	out, more := limitPictures(p.out, n.opt)
	for _, r := range append(p.repairs, more...) {
		if !n.told[r] {
			n.told[r] = true
			repairs = append(repairs, r)
		}
	}
	return out, repairs
}

// clean brings n.seen up to date with the history.
func (n *Normaliser) clean(history []Message) {
	if len(n.seen) > len(history) {
		n.seen = n.seen[:len(history)]
	}
	for i := range history {
		if i < len(n.seen) && Same(&n.seen[i].in, &history[i]) {
			continue
		}
		c := cleaned{in: history[i]}
		c.out, c.dropped, c.repairs = cleanMessage(history[i], n.opt)
		if i < len(n.seen) {
			n.seen[i] = c
		} else {
			n.seen = append(n.seen, c)
		}
	}
}

// pairing puts results behind their calls.
type pairing struct {
	opt     NormaliseOptions
	list    []cleaned
	out     []Message
	repairs []string
	taken   []bool           // results that have their call
	used    map[string]bool  // ids given out
	results map[string][]int // where the results of an id stand; made when needed
	bounds  map[string][]int // where the calls of an id stand
}

// result finds the result of call k in the message at i: the first free one behind
// it and before the next message that uses the id again. Mostly it is where it
// should be.
func (p *pairing) result(id string, i, k int) int {
	if at := i + 1 + k; at < len(p.list) && p.list[at].out.Role == ToolRole && p.list[at].out.CallID == id && !p.taken[at] {
		p.taken[at] = true
		return at
	}
	if p.results == nil {
		p.index()
	}
	end := len(p.list)
	for _, b := range p.bounds[id] {
		if b > i {
			end = b
			break
		}
	}
	for _, at := range p.results[id] {
		if at > i && at < end && !p.taken[at] {
			p.taken[at] = true
			return at
		}
	}
	return -1
}

func (p *pairing) index() {
	p.results, p.bounds = map[string][]int{}, map[string][]int{}
	for i := range p.list {
		m := &p.list[i].out
		if m.Role == ToolRole {
			p.results[m.CallID] = append(p.results[m.CallID], i)
		}
		for _, c := range m.Calls {
			p.bounds[c.ID] = append(p.bounds[c.ID], i)
		}
	}
}

func (p *pairing) place(i int) {
	m := p.list[i].out
	if m.Role == ToolRole {
		return
	}
	if len(p.out) == 0 && m.Role == Assistant {
		p.out = append(p.out, Message{Role: User, Content: Text(goesOn)})
	}
	at := len(p.out)
	p.out = append(p.out, m)
	for k, c := range m.Calls {
		id := p.fresh(c.ID)
		if id != c.ID {
			if &m.Calls[0] == &p.out[at].Calls[0] {
				p.out[at].Calls = slices.Clone(m.Calls)
			}
			p.out[at].Calls[k].ID = id
		}
		var r Message
		if from := p.result(c.ID, i, k); from >= 0 {
			r = p.list[from].out
		} else {
			r = Message{Role: ToolRole, Failed: true, Content: Text(noResult)}
			if c.Cut {
				r.Content = Text(cutCall)
			}
			p.repairs = append(p.repairs, fmt.Sprintf("the call %s of %s had no result; it was sent as interrupted", c.ID, c.Name))
		}
		r.CallID = id
		p.out = append(p.out, r)
	}
}

// fresh gives the id under which a call is sent.
func (p *pairing) fresh(id string) string {
	safe := safeID(id, p.opt.ShortIDs)
	for k := 2; p.used[safe]; k++ {
		safe = safeID(fmt.Sprintf("%s_%d", id, k), p.opt.ShortIDs)
	}
	p.used[safe] = true
	return safe
}

func (p *pairing) orphans() {
	for i := range p.list {
		if m := &p.list[i].out; m.Role == ToolRole && !p.taken[i] {
			p.repairs = append(p.repairs, fmt.Sprintf("the result of %s has no call that waits for it; it was left out", m.CallID))
		}
	}
}

// What stands where a history has a hole.
const (
	noResult = "This call has no result: it was interrupted, and what it did is unknown."
	cutCall  = "This call was cut off by the limit on the length of a reply, so it did not run. Call again in smaller pieces."
	goesOn   = "(The conversation goes on from here.)"
)

// Same reports whether two messages are equal. For a history that only grew it
// compares pointers, since its strings are the same memory.
func Same(a, b *Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Failed == b.Failed && slices.Equal(a.Calls, b.Calls) &&
		slices.EqualFunc(a.Content, b.Content, samePart) && slices.EqualFunc(a.Reasoning, b.Reasoning, sameReasoning)
}

func samePart(x, y Part) bool {
	return x.Text == y.Text && x.MIME == y.MIME && x.Blob == y.Blob && x.Name == y.Name && bytes.Equal(x.Bytes, y.Bytes)
}

func sameReasoning(x, y Reasoning) bool {
	return x.Text == y.Text && x.Field == y.Field && x.Signature == y.Signature && bytes.Equal(x.Opaque, y.Opaque)
}
