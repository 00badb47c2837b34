package graph

import (
	"context"
	"errors"
	"time"

	"fairlead/fault"
)

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
	f.parent.liveKids++
	for _, s := range using {
		if s != nil {
			s.by.users[f] = true
		}
	}
	f.ranks = 0
	f.depart(Starting)
	go f.apply(ctx, f.cfg)
}

func (f *Fiber) apply(ctx context.Context, cfg any) {
	began := time.Now()
	err := errors.New("the plugin ended the goroutine of its Apply")
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
			f.parent.liveKids--
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
