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

func (f *Fiber) setState(s State) {
	if f.state != s {
		f.state, f.since = s, time.Now()
	}
}

// start begins a run with the epoch. The lock is held.
func (f *Fiber) start(e epoch, using []*service) {
	f.graph.runs++
	ctx, cancel := context.WithCancel(context.Background())
	f.run = &run{id: f.graph.runs, epoch: e, ctx: ctx, cancel: cancel, using: using}
	f.parent.aliveKids++
	for _, s := range using {
		if s != nil {
			s.by.users[f] = true
		}
	}
	f.left, f.ranks = nil, 0
	f.depart(Starting)
	go f.apply(ctx, f.cfg)
}

func (f *Fiber) apply(ctx context.Context, cfg any) {
	began := time.Now()
	err := errors.New("Apply ended its goroutine")
	defer func() { f.applied(ctx, time.Since(began), err) }()
	err = contain(func() error { return f.plugin.Apply(f, cfg) })
}

// applied ends a start: active, or undone.
func (f *Fiber) applied(ctx context.Context, took time.Duration, err error) {
	if err == nil {
		f.graph.do(func() {
			f.took = took
			f.starts++
			f.reason, f.failedAt = nil, nil
			f.setState(Active)
			f.arrive()
		})
		f.Log().Debug("fiber active", "took", took)
		return
	}
	wanted := ctx.Err() == nil // else it was told to give up, and did
	if wanted {
		err = fault.Wrap(fault.KindOf(err), "graph.start", err, "%s could not start: %s", f.path, fault.Person(err))
		f.logFailure("fiber failed to start", err)
	}
	f.graph.do(func() {
		f.took = took
		if f.reason, f.failedAt = nil, nil; wanted {
			f.reason, f.failedAt = err, f.run.epoch
		}
		f.withdraw()
	})
	f.unwind()
}

// stop begins to end a run on which nothing stands any more. The lock is held.
func (f *Fiber) stop() {
	f.leaving = false
	f.depart(Stopping)
	f.withdraw()
	go f.unwind()
}

// withdraw takes away what f provides, and its children, none of which runs. The
// lock is held.
func (f *Fiber) withdraw() {
	f.setState(Stopping)
	f.run.cancel()
	f.run.offered = nil
	for child := range f.children {
		child.abandon()
	}
}

// unwind undoes the effects in reverse and ends the run.
func (f *Fiber) unwind() {
	var left []error
	for e, more := f.lastEffect(); more; e, more = f.lastEffect() {
		if err := f.undo(e); err != nil {
			f.logFailure("effect not undone", err)
			left = append(left, err)
		}
	}
	f.graph.do(func() {
		if left != nil {
			f.left = errors.Join(append([]error{f.left}, left...)...)
			f.failedAt = f.run.epoch
		}
		for _, s := range f.run.using {
			if s != nil {
				delete(s.by.users, f)
				f.graph.touch(s.by)
			}
		}
		f.run = nil
		if f.parent != nil {
			f.parent.aliveKids--
			f.graph.touch(f.parent)
		}
		f.arrive()
	})
}

// lastEffect takes the newest effect off the list.
func (f *Fiber) lastEffect() (effect, bool) {
	f.graph.mu.Lock()
	defer f.graph.mu.Unlock()
	last := len(f.run.effects) - 1
	if last < 0 {
		return effect{}, false
	}
	e := f.run.effects[last]
	f.run.effects = f.run.effects[:last]
	return e, true
}

// depart and arrive bracket a transition. The lock is held.
func (f *Fiber) depart(s State) {
	f.busy = true
	f.graph.inFlight++
	f.setState(s)
}

func (f *Fiber) arrive() {
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
