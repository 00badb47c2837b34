package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"

	"fairlead/llm"
)

// Delta is a fragment of a tool call as a server sent it; what was absent, null or
// empty is zero.
type Delta struct {
	Index     *int
	ID        string
	Name      string
	Arguments string
	// Extra is what the server wants back with the call.
	Extra string
}

// Calls puts the deltas of a reply's calls together, whatever a server makes of
// indexes, ids and names, and gives fragments as [llm.CallFragment] promises them.
// The zero value is ready.
//
// A delta belongs to the call with its id; without an id to the call that its
// index named last; with neither to the call before. A new id opens a call, and so
// does a name behind complete arguments. An empty id says nothing.
type Calls struct {
	calls []call
	emit  []llm.CallFragment
}

type call struct {
	index     int // as the server numbers it; -1 where it does not
	id, name  string
	named     bool // the name was given out
	arguments []byte
}

// Add takes one delta and gives the fragments that follow from it. They are valid
// until the next call.
func (c *Calls) Add(d Delta) []llm.CallFragment {
	c.emit = c.emit[:0]
	i := c.find(d)
	if i < 0 {
		c.name(len(c.calls) - 1)
		index := -1
		if d.Index != nil {
			index = *d.Index
		}
		i = len(c.calls)
		c.calls = append(c.calls, call{index: index})
	}
	k := &c.calls[i]
	if k.id == "" && d.ID != "" {
		k.id = d.ID
		c.emit = append(c.emit, llm.CallFragment{Index: i, ID: d.ID})
	}
	if d.Extra != "" {
		c.emit = append(c.emit, llm.CallFragment{Index: i, Extra: d.Extra})
	}
	if d.Name != "" && !k.named {
		k.name = joinName(k.name, d.Name)
	}
	if d.Arguments != "" {
		c.name(i)
		k.arguments = append(k.arguments, d.Arguments...)
		c.emit = append(c.emit, llm.CallFragment{Index: i, Arguments: d.Arguments})
	}
	return c.emit
}

// End gives what was held back: the names of calls without arguments, and ids for
// calls that came without one or with that of another call.
func (c *Calls) End() []llm.CallFragment {
	c.emit = c.emit[:0]
	for i := range c.calls {
		c.name(i)
		k := &c.calls[i]
		if k.id == "" || c.withID(k.id) != i {
			k.id = "call_" + strings.ToLower(rand.Text()[:16])
			c.emit = append(c.emit, llm.CallFragment{Index: i, ID: k.id})
		}
	}
	return c.emit
}

// Len is the number of calls so far.
func (c *Calls) Len() int { return len(c.calls) }

// find gives the call a delta belongs to, or -1 where it opens one.
func (c *Calls) find(d Delta) int {
	at := len(c.calls) - 1
	switch same := c.withID(d.ID); {
	case at < 0:
		return -1
	case same >= 0:
		at = same
	case d.Index != nil:
		for at >= 0 && c.calls[at].index != *d.Index {
			at--
		}
		if at < 0 {
			return -1
		}
	}
	k := &c.calls[at]
	if d.ID != "" && k.id != "" && d.ID != k.id {
		return -1
	}
	if !k.complete() {
		return at
	}
	again := d.ID != "" && d.Name == k.name && d.Arguments == string(k.arguments)
	elsewhere := d.Index != nil && *d.Index != k.index
	if elsewhere || d.Name != "" && d.Arguments != "" && !again || d.Name != "" && d.Name != k.name {
		return -1
	}
	return at
}

func (c *Calls) withID(id string) int {
	for i := len(c.calls) - 1; i >= 0 && id != ""; i-- {
		if c.calls[i].id == id {
			return i
		}
	}
	return -1
}

// complete reports whether the arguments so far are a JSON object, behind which
// nothing can follow.
func (k *call) complete() bool {
	text := bytes.TrimRight(k.arguments, " \r\n\t")
	return bytes.HasSuffix(text, []byte("}")) && json.Valid(text)
}

// name gives the name of call i out, once it is known to be whole.
func (c *Calls) name(i int) {
	if i < 0 || c.calls[i].named || c.calls[i].name == "" {
		return
	}
	c.calls[i].named = true
	c.emit = append(c.emit, llm.CallFragment{Index: i, Name: c.calls[i].name})
}

// joinName adds a piece to a name that comes in pieces, or takes a name that is
// sent again, or sent longer each time, as the whole.
func joinName(name, piece string) string {
	if strings.HasPrefix(piece, name) {
		return piece
	}
	return name + piece
}
