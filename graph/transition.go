package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

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
		f.effects = append(f.effects, effect{name, undo})
		return
	}
	f.graph.inFlight++
	go func() {
		err := f.undo(effect{name, undo})
		f.Log().Warn("effect registered on a fiber that does not run; undone", "effect", name, "error", err)
		f.graph.do(func() { f.graph.inFlight-- })
	}()
}

func (f *Fiber) setState(s State) {
	if f.state != s {
		f.state, f.since = s, time.Now()
	}
}

// start begins a run with the epoch. The lock is held.
func (f *Fiber) start(e epoch, using []*service) {
	f.graph.runs++
	f.graph.inFlight++
	f.busy, f.have, f.using, f.run = true, e, using, f.graph.runs
	f.ranks, f.left = 0, nil
	f.parent.aliveKids++
	for _, s := range using {
		if s != nil {
			s.by.users[f] = true
		}
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.setState(Starting)
	go f.apply(f.ctx, f.plugin, f.cfg)
}

func (f *Fiber) apply(ctx context.Context, p Plugin, cfg any) {
	began := time.Now()
	err := errors.New("Apply ended its goroutine")
	defer func() { f.applied(ctx, time.Since(began), err) }()
	err = contain(func() error { return p.Apply(f, cfg) })
}

// applied ends a start: active, or undone and failed.
func (f *Fiber) applied(ctx context.Context, took time.Duration, err error) {
	if err == nil {
		f.graph.do(func() {
			f.took = took
			f.starts++
			f.reason, f.failedAt = nil, nil
			f.setState(Active)
			f.arrived()
		})
		f.Log().Debug("fiber active", "took", took)
		return
	}
	unwanted := ctx.Err() != nil
	if !unwanted {
		err = fault.Wrap(fault.KindOf(err), "graph.start", err, "%s could not start: %s", f.path, fault.Person(err))
		f.logFailure("fiber failed to start", err)
	}
	f.graph.do(func() {
		f.took = took
		if f.reason = nil; !unwanted {
			f.reason, f.failedAt = err, f.have
		}
		f.quit()
	})
	f.unwind()
}

// stop begins to end a run on which nothing stands any more. The lock is held.
func (f *Fiber) stop() {
	f.graph.inFlight++
	f.busy = true
	f.quit()
	go f.unwind()
}

// quit withdraws what f provides and its children, none of which runs. The lock is held.
func (f *Fiber) quit() {
	f.leaving = false
	f.cancel()
	f.offered = nil
	f.setState(Stopping)
	for child := range f.children {
		child.abandon()
	}
}

// unwind undoes the effects in reverse and ends the run.
func (f *Fiber) unwind() {
	var left []error
	for {
		f.graph.mu.Lock()
		last := len(f.effects) - 1
		if last < 0 {
			f.graph.mu.Unlock()
			break
		}
		e := f.effects[last]
		f.effects = f.effects[:last]
		f.graph.mu.Unlock()
		if err := f.undo(e); err != nil {
			f.logFailure("effect not undone", err)
			left = append(left, err)
		}
	}
	f.graph.do(func() {
		if left != nil {
			f.left = errors.Join(append([]error{f.left}, left...)...)
			f.failedAt = f.have
		}
		for _, s := range f.using {
			if s != nil {
				delete(s.by.users, f)
				f.graph.touch(s.by)
			}
		}
		f.have, f.using, f.effects, f.ctx = nil, nil, nil, nil
		if f.parent != nil {
			f.parent.aliveKids--
			f.graph.touch(f.parent)
		}
		f.arrived()
	})
}

// arrived ends a transition. The lock is held.
func (f *Fiber) arrived() {
	f.busy = false
	f.graph.inFlight--
	f.graph.touch(f)
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
