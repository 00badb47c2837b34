package script

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"
)

// entry is one run of code in an instance: the program's own or a callback's.
type entry struct {
	ctx      context.Context
	budget   Budget
	tag      any
	now      int64
	deadline time.Time
	asks     int64
	output   int
	passed   string // the code of a bound that was passed
	promise  handle // what the run comes to; 0 before it has begun
	thrown   error  // it failed before there was a promise
	done     chan outcome
}

type outcome struct {
	value json.RawMessage
	err   error
}

// pending is a call that is not settled.
type pending struct {
	entry           *entry
	resolve, reject handle
}

// enter has the owner begin something and waits for what it comes to.
func (i *Instance) enter(ctx context.Context, b Budget, now time.Time, tag any, begin func(*entry)) (json.RawMessage, error) {
	b = b.filled()
	e := &entry{ctx: ctx, budget: b, tag: tag, now: nanos(now), deadline: time.Now().Add(b.Wall), done: make(chan outcome, 1)}
	defer context.AfterFunc(ctx, i.ring)()
	i.post(func() {
		i.current = e
		i.entries = append(i.entries, e)
		if ctx.Err() == nil {
			begin(e)
		}
	})
	select {
	case o := <-e.done:
		return o.value, o.err
	case <-i.gone:
	}
	select {
	case o := <-e.done:
		return o.value, o.err
	default:
		return nil, i.why()
	}
}

func (i *Instance) why() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ended
}

// own is the owner's loop.
func (i *Instance) own() {
	defer i.leave()
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		task, over := i.next()
		switch {
		case over != nil:
			return
		case task != nil:
			i.engine.turns <- struct{}{}
			i.run(task)
			<-i.engine.turns
		default:
			i.expire()
			if i.stalled() {
				continue
			}
			began := time.Now()
			alarm.Reset(i.untilDeadline())
			select {
			case <-i.bell:
			case <-alarm.C:
			}
			i.pause(time.Since(began))
			i.expire()
		}
	}
}

// run does one task and what follows from it, and looks what has come to its end. A
// turn is held.
func (i *Instance) run(task func()) {
	err := i.m.guard(func() {
		task()
		i.pump()
		i.report()
	})
	if err != nil {
		i.end(i.broke(err))
	}
}

// leave answers whoever still waits and drops the machine.
func (i *Instance) leave() {
	err := i.why()
	for _, e := range i.entries {
		e.done <- outcome{err: err}
	}
	i.entries = nil
	i.m.close()
	i.engine.mu.Lock()
	delete(i.engine.open, i)
	i.engine.mu.Unlock()
	close(i.gone)
}

// pump runs what is ready until nothing is.
func (i *Instance) pump() {
	m := i.m
	for m.do(xJobPending) != 0 {
		if int32(m.do(xRunJob)) < 0 {
			i.threw(i.current, 0)
		}
		if i.current.passed != "" {
			return
		}
	}
}

// threw looks whether a call of the engine ended in an exception (h is its result; 0
// is known to be one) and keeps what was thrown as the end of the entry.
func (i *Instance) threw(e *entry, h handle) bool {
	m := i.m
	if h != 0 && !m.is(xIsException, h) {
		return false
	}
	exception := m.value(xException)
	fatal := m.is(xIsUncatchable, exception)
	t := Thrown{}
	t.Message, _ = m.read(exception)
	stack := m.property(exception, "stack")
	t.Stack, _ = m.read(stack)
	t.Stack = i.code.places(i.spec.Name, t.Stack)
	m.free(stack)
	m.free(exception)
	if fatal && e.passed == "" {
		e.passed = CodeMemory // "out of memory" or "string too long": an end by us has its code already
	}
	switch {
	case fatal:
		err := e.budget.passed(e.passed)
		if t.Stack != "" {
			err.Text += "\n" + t.Stack
		}
		e.thrown = err
	case strings.HasPrefix(t.Message, "SyntaxError"):
		e.thrown = failure(CodeSyntax, "The program cannot be read, so nothing of it was run.\n%s", t.Error())
	default:
		e.thrown = t.uncaught()
	}
	return true
}

// broke is the error of a trap.
func (i *Instance) broke(err error) error {
	text := err.Error()
	code := CodeBroken
	switch {
	case i.current.passed != "":
		code = i.current.passed
	case errors.Is(err, errNoMemory) || strings.Contains(text, errNoMemory.Error()):
		code = CodeMemory
	case strings.Contains(text, "stack overflow") || strings.Contains(text, "out of bounds"):
		code = CodeDepth
	default:
		i.engine.options.Log.Error("an instance trapped", "error", err)
	}
	i.current.passed = code
	return i.current.budget.passed(code)
}

// report looks what has come to its end.
func (i *Instance) report() {
	if e := i.current; e.passed != "" {
		err := e.thrown
		if err == nil {
			err = e.budget.passed(e.passed)
		}
		i.end(err)
		return
	}
	i.entries = slices.DeleteFunc(i.entries, func(e *entry) bool {
		o, over := i.result(e)
		if over {
			e.done <- o
		}
		return over
	})
}

// result is what an entry came to.
func (i *Instance) result(e *entry) (o outcome, over bool) {
	m := i.m
	if e.thrown != nil {
		return outcome{err: e.thrown}, true
	}
	if e.promise == 0 {
		return o, false
	}
	state := m.do(xPromiseState, uint64(e.promise))
	if state == 0 {
		return o, false
	}
	h := m.value(xPromiseResult, uint64(e.promise))
	text, _ := m.read(h)
	m.free(h)
	m.free(e.promise)
	if e.output += len(text); e.output > e.budget.Output {
		return outcome{err: e.budget.passed(CodeOutput)}, true
	}
	var r struct {
		Value json.RawMessage `json:"value"`
		Error *Thrown         `json:"error"`
	}
	switch err := json.Unmarshal([]byte(text), &r); {
	case state != 1 && strings.Contains(text, errNoMemory.Error()):
		o.err = e.budget.passed(CodeMemory)
	case state != 1 || err != nil:
		o.err = (&Thrown{Message: "The value that it returned cannot be read."}).uncaught()
	case r.Error != nil:
		r.Error.Stack = i.code.places(i.spec.Name, r.Error.Stack)
		o.err = r.Error.uncaught()
	default:
		o.value = r.Value
	}
	return o, true
}

// stalled ends a program that waits for what nothing can settle.
func (i *Instance) stalled() bool {
	if i.stays || len(i.entries) == 0 || len(i.calls) > 0 || i.current == nil {
		return false
	}
	i.mu.Lock()
	idle := len(i.queue) == 0 && i.ended == nil
	i.mu.Unlock()
	if idle {
		i.end(failure(CodeStalled, "The program waits for a promise that nothing can settle any more: no call of it is open."))
	}
	return idle
}

// expire ends the instance where an entry's time is up or its caller has gone.
func (i *Instance) expire() {
	for _, e := range i.entries {
		switch {
		case e.ctx.Err() != nil:
			i.end(e.budget.passed(CodeStopped))
		case !time.Now().Before(e.deadline):
			i.end(e.budget.passed(CodeDeadline))
		}
	}
}

func (i *Instance) untilDeadline() time.Duration {
	first := time.Hour
	for _, e := range i.entries {
		if !i.rests(e) {
			first = min(first, time.Until(e.deadline))
		}
	}
	return max(first, 0)
}

// rests reports whether an entry's clock stands.
func (i *Instance) rests(e *entry) bool {
	if !e.budget.Patient {
		return false
	}
	for _, p := range i.calls {
		if p.entry == e {
			return true
		}
	}
	return false
}

// pause gives back to entries whose clock stood the time that was waited.
func (i *Instance) pause(waited time.Duration) {
	for _, e := range i.entries {
		if i.rests(e) {
			e.deadline = e.deadline.Add(waited)
		}
	}
}

// interrupted is asked by running code; see [owner].
func (i *Instance) interrupted() uint32 {
	<-i.engine.turns // whoever waits for a turn gets one
	runtime.Gosched()
	i.engine.turns <- struct{}{}
	e := i.current
	if e.ctx.Err() != nil || i.why() != nil {
		e.passed = CodeStopped
		return 3
	}
	e.asks++
	late := time.Since(e.deadline)
	switch {
	case e.passed != "":
	case e.asks > e.budget.Fuel:
		e.passed = CodeFuel
	case late >= 0:
		e.passed = CodeDeadline
	default:
		return 0
	}
	if e.asks > e.budget.Fuel+graceFuel || late > graceTime {
		return 3
	}
	return 1
}

func (i *Instance) clock() int64 {
	if i.current == nil {
		return 0
	}
	return i.current.now
}

// nanos is Unix time; the zero time is where it begins.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
