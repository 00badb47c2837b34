package script

import (
	"bytes"
	"encoding/json"
	"time"
)

// Program is code to be run: the body of an async function, in TypeScript whose types
// are erased or JavaScript. It may await and return at its top level.
type Program struct {
	// Name stands in the places of errors; empty is "program.ts".
	Name string
	Code string
	// Prelude is trusted JavaScript, an expression whose value is a function; it is
	// called with the kit of bootstrap.js before Code runs. Empty is none.
	Prelude string
	// Tools are the names under which Code finds functions in its global `tools`; each
	// takes one value and gives a promise. Calls of other names reach Call too.
	Tools []string
	// Now is what the clock says all the time; Seed feeds Math.random.
	Now  time.Time
	Seed string
	// Call is told of every call of a tool, in the order in which the program makes
	// them, on the instance's own goroutine: it must return at once and settle the call
	// now or later, from anywhere. Nil rejects all.
	Call func(*Call)
	// Direct answers calls of the prelude's kit.direct at once, on the instance's own
	// goroutine. Nil refuses all.
	Direct func(name string, args json.RawMessage) (json.RawMessage, error)
	// Print hears console output, a text each, on the instance's own goroutine; nil
	// drops it.
	Print func(level, text string)
	// Budget bounds the code's first run.
	Budget Budget
}

// Call is a call of a host function that waits to be settled. Calls that are settled
// twice, or after the code's end, are left alone.
type Call struct {
	// Number counts the calls of an instance from 1.
	Number int
	Name   string
	Args   json.RawMessage
	// Entry is the callback in which it was made, as in [Invocation]; nil is the
	// program's own run.
	Entry any

	settle func(settlement)
}

// Resolve gives the call its value; nil is undefined.
func (c *Call) Resolve(value json.RawMessage) { c.settle(settlement{call: c, value: value}) }

// ResolveText gives the call a text.
func (c *Call) ResolveText(text string) {
	value, err := json.Marshal(text)
	if err != nil {
		value = []byte(`""`) // a text always has a spelling
	}
	c.Resolve(value)
}

// Reject makes the call fail.
func (c *Call) Reject(t Thrown) { c.settle(settlement{call: c, thrown: &t}) }

// Readable is a value that code returned as a model reads it: a text as it is, anything
// else as JSON, in lines where it is long. Nil is "".
func Readable(value json.RawMessage) string {
	var text string
	if bytes.HasPrefix(value, []byte(`"`)) && json.Unmarshal(value, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if len(value) > longValue && json.Indent(&b, value, "", " ") == nil {
		return b.String()
	}
	return string(value)
}

// longValue is how many bytes still stand in one line.
const longValue = 200

// settlement is what became of a call.
type settlement struct {
	call   *Call
	value  json.RawMessage
	thrown *Thrown
}

// Output is what came of a program that ended by itself.
type Output struct {
	// Value is what it returned; nil where that was undefined.
	Value json.RawMessage
	// Settled are the numbers of its calls in the order in which they were answered:
	// with the answers, all that the program learnt.
	Settled []int
}
