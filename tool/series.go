package tool

import (
	"context"
	"sync"

	"fairlead/graph"
)

// Series runs calls that come one after another and are answered each by itself, as a
// program makes them. They pass the pipeline as those of [Registry.Batch] do: decided
// one after another in the order in which they came, beside each other where their
// tools allow it, every other one alone; but each result is logged and told when it
// is there.
type Series struct {
	ctx   context.Context
	batch *batch

	mu      sync.Mutex
	waiting []*run
	busy    bool
	all     sync.WaitGroup
}

// Series begins one. When ctx ends, calls that have not begun do not begin.
func (r *Registry) Series(ctx context.Context, realm *graph.Realm) *Series {
	return &Series{ctx: ctx, batch: &batch{registry: r, realm: realm}}
}

// Add takes a call in. When it returns, the log says that the call is there; told is
// called once with what came of it, from a goroutine of the series or from this one.
func (s *Series) Add(call *Call, told func(Outcome)) {
	x := &run{batch: s.batch, call: call, told: told}
	x.prepare()
	if err := s.batch.open(context.WithoutCancel(s.ctx), []*run{x}); err != nil {
		x.result = unlogged(err)
		s.batch.settle(s.ctx, x)
		return
	}
	s.all.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, x)
	if !s.busy {
		s.busy = true
		go s.work()
	}
}

// Wait returns once every call that was added is answered.
func (s *Series) Wait() { s.all.Wait() }

// work takes the waiting calls from decision to result, one after another.
func (s *Series) work() {
	for {
		s.mu.Lock()
		if len(s.waiting) == 0 {
			s.busy = false
			s.mu.Unlock()
			return
		}
		x := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.mu.Unlock()
		told := x.told
		x.told = func(o Outcome) {
			told(o)
			s.all.Done()
		}
		s.batch.advance(s.ctx, x)
	}
}
