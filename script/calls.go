package script

import (
	"encoding/json"
	"errors"
)

// The operations of the one host function, as bootstrap.js names them.
const (
	opCall   = "call"
	opDirect = "direct"
	opPrint  = "print"
)

// called answers the host function; see [owner].
func (i *Instance) called(op, name, text string) (handle, *Thrown) {
	e := i.current
	switch op {
	case opCall:
		return i.begun(e, name, text)
	case opDirect:
		return i.direct(name, text)
	case opPrint:
		if e.output += len(text) + 1; e.output > e.budget.Output {
			e.passed = CodeOutput
			return 0, &Thrown{Message: "too much output"}
		}
		if i.spec.Print != nil {
			i.spec.Print(name, text)
		}
	}
	return i.m.value(xUndefined), nil
}

// begun makes the promise of a call and tells the caller of it.
func (i *Instance) begun(e *entry, name, text string) (handle, *Thrown) {
	if i.made++; i.made > e.budget.Calls && !i.stays {
		return 0, &Thrown{Code: "TOO_MANY_CALLS", Message: "One program makes too many calls; the rest was not made. Do the work in several programs."}
	}
	if i.held+len(text) > e.budget.Arguments {
		return 0, &Thrown{Code: "ARGUMENTS_TOO_LARGE", Message: "The arguments of the calls that are open are too large together; the call was not made."}
	}
	promise, resolve, reject := i.m.promise()
	c := &Call{Number: i.made, Name: name, Args: json.RawMessage(text), Entry: e.tag}
	c.settle = func(s settlement) { i.post(func() { i.settle(s) }) }
	i.calls[c] = &pending{e, resolve, reject}
	i.held += len(text)
	if i.spec.Call == nil {
		c.Reject(Thrown{Message: "There are no tools here."})
	} else {
		i.spec.Call(c)
	}
	return promise, nil
}

// settle gives a call its answer.
func (i *Instance) settle(s settlement) {
	p := i.calls[s.call]
	if p == nil {
		return
	}
	delete(i.calls, s.call)
	i.held -= len(s.call.Args)
	i.settled = append(i.settled, s.call.Number)
	i.current = p.entry
	m, f := i.m, p.resolve
	var h handle
	switch {
	case s.thrown != nil:
		f, h = p.reject, m.text(s.thrown.json())
	case s.value == nil:
		h = m.value(xUndefined)
	default:
		h = m.text(string(s.value))
	}
	m.free(m.call(f, h))
	for _, h := range []handle{h, p.resolve, p.reject} {
		m.free(h)
	}
}

// direct answers the prelude at once.
func (i *Instance) direct(name, text string) (handle, *Thrown) {
	if i.spec.Direct == nil {
		return 0, &Thrown{Message: "There is nothing to call here."}
	}
	value, err := i.spec.Direct(name, json.RawMessage(text))
	if err != nil {
		if t, ok := errors.AsType[*Thrown](err); ok {
			return 0, t
		}
		return 0, &Thrown{Message: err.Error()}
	}
	if value == nil {
		return i.m.value(xUndefined), nil
	}
	return i.m.text(string(value)), nil
}

// json is how an error travels inwards.
func (t *Thrown) json() string {
	text, err := json.Marshal(t)
	if err != nil {
		return `{"message":"an error that cannot be shown"}` // it holds nothing but texts: it cannot fail
	}
	return string(text)
}
