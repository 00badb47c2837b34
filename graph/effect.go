package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"fairlead/fault"
)

// effect is something a fiber registered, with its undo.
type effect struct {
	name string
	undo func(context.Context) error
}

// Effect records how to undo something f has just registered. Effects are undone in
// reverse order when the run ends, one after another, each with a context that
// expires at the graph's limit. The name is what reports and the inventory show
// ("tool read"). On a fiber that no longer runs the undo happens at once, so that
// nothing a late goroutine registers stays.
func (f *Fiber) Effect(name string, undo func(context.Context) error) {
	f.graph.mu.Lock()
	defer f.graph.mu.Unlock()
	if f.state == Starting || f.state == Active {
		f.run.effects = append(f.run.effects, effect{name, undo})
		return
	}
	f.graph.inFlight++
	go func() {
		err := f.undo(effect{name, undo})
		f.Log().Warn("effect registered on a fiber that does not run; undone", "effect", name, "error", err)
		f.graph.do(func() { f.graph.inFlight-- })
	}()
}

// undo runs one undo, contained and bounded.
func (f *Fiber) undo(e effect) error {
	ctx, cancel := context.WithTimeout(context.Background(), f.graph.undoLimit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the undo ended its goroutine")
		defer func() { done <- err }()
		err = contain(func() error { return e.undo(ctx) })
	}()
	select {
	case err := <-done:
		if err != nil {
			return fault.Wrap(fault.Internal, "graph.stop", err, "%s: %q could not be undone", f.path, e.name)
		}
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "graph.stop", "%s: the undo of %q took longer than %v and was left behind", f.path, e.name, f.graph.undoLimit)
	}
}

// crash is a panic turned into an error; the stack is for the operator's log.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string { return fmt.Sprintf("panic: %v", c.value) }

// contain runs fn and turns a panic into an error.
func contain(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &crash{v, debug.Stack()}
		}
	}()
	return fn()
}

func (f *Fiber) logFailure(what string, err error) {
	args := []any{"error", err}
	if c, ok := errors.AsType[*crash](err); ok {
		args = append(args, "stack", string(c.stack))
	}
	f.Log().Error(what, args...)
}
