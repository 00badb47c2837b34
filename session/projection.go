package session

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"fairlead/fault"
)

// Projection is a pure fold over a session's events. The same log gives the same
// value, on any machine, whole or from a checkpoint.
type Projection[S any] struct {
	// Name is unique among all projections; the page and slices ask for it by name.
	Name string
	// Version changes whenever Init, Fold or S change meaning: a checkpointed state
	// of another version is folded anew.
	Version int
	// Init gives the state before the first event; nil means the zero S.
	Init func() S
	// Fold gives the state after an event. It must not change anything reachable
	// from the state it got: the old value may be in use elsewhere. Payloads it
	// decodes are shared with other projections; they are not to be changed either.
	// S must survive encoding/json unharmed.
	Fold func(S, Event) S
	// View is what viewers get; nil shows the state itself.
	View func(S) any
	// Hidden keeps it out of snapshots.
	Hidden bool
}

// AnyProjection is a [Projection] without its state type.
type AnyProjection interface {
	name() string
	begin() runner
}

func (p Projection[S]) name() string  { return p.Name }
func (p Projection[S]) begin() runner { return p.start() }

func (p Projection[S]) start() *run[S] {
	r := &run[S]{p: p}
	if p.Init != nil {
		r.state = p.Init()
	}
	return r
}

// runner is a projection at work on one session.
type runner interface {
	name() string
	version() int
	fold(Event)
	view() any
	hidden() bool
	save() (json.RawMessage, error)
	load(json.RawMessage) error
	// fork gives a runner that goes on from the same state.
	fork() runner
}

type run[S any] struct {
	p     Projection[S]
	state S
}

func (r *run[S]) name() string { return r.p.Name }
func (r *run[S]) version() int { return r.p.Version }
func (r *run[S]) fold(e Event) { r.state = r.p.Fold(r.state, e) }
func (r *run[S]) hidden() bool { return r.p.Hidden }
func (r *run[S]) fork() runner { c := *r; return &c }

func (r *run[S]) view() any {
	if r.p.View == nil {
		return r.state
	}
	return r.p.View(r.state)
}

func (r *run[S]) save() (json.RawMessage, error) { return json.Marshal(r.state) }

func (r *run[S]) load(b json.RawMessage) error {
	var s S
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	r.state = s
	return nil
}

// projections are the runners of one session. One that panics is set aside with
// its reason; the others go on.
type projections struct {
	runners []runner
	failed  map[string]error
}

func beginAll(list []AnyProjection) projections {
	ps := projections{}
	for _, p := range list {
		ps.runners = append(ps.runners, p.begin())
	}
	return ps
}

func (ps *projections) fold(e Event, log *slog.Logger) {
	for i := 0; i < len(ps.runners); {
		i = ps.foldFrom(i, e, log)
	}
}

// foldFrom folds e into the runners from i on and gives where to go on: behind
// the last one, or behind one that panicked.
func (ps *projections) foldFrom(i int, e Event, log *slog.Logger) (next int) {
	defer func() {
		if p := recover(); p != nil {
			name := ps.runners[i].name()
			log.Error("a projection panicked and is set aside for this session", "projection", name, "seq", e.Seq, "type", e.Type, "panic", p)
			failed := map[string]error{name: fmt.Errorf("it panicked at event %d (%s): %v", e.Seq, e.Type, p)}
			for n, err := range ps.failed {
				failed[n] = err
			}
			ps.failed = failed
			next = i + 1
		}
	}()
	for ; i < len(ps.runners); i++ {
		if ps.failed != nil && ps.failed[ps.runners[i].name()] != nil {
			continue
		}
		ps.runners[i].fold(e)
	}
	return i
}

func (ps *projections) find(name string) (runner, error) {
	if err := ps.failed[name]; err != nil {
		return nil, fault.Wrap(fault.Internal, "session.state", err, "What the session knows of %q could not be worked out.", name)
	}
	for _, r := range ps.runners {
		if r.name() == name {
			return r, nil
		}
	}
	return nil, fault.New(fault.NotFound, "session.state", "No projection is called %q.", name)
}

func (ps *projections) views() map[string]any {
	out := make(map[string]any, len(ps.runners))
	for _, r := range ps.runners {
		if !r.hidden() && ps.failed[r.name()] == nil {
			out[r.name()] = r.view()
		}
	}
	return out
}

func (ps *projections) fork() projections {
	c := projections{failed: ps.failed, runners: make([]runner, len(ps.runners))}
	for i, r := range ps.runners {
		c.runners[i] = r.fork()
	}
	return c
}

func stateIn[S any](ps *projections, p Projection[S]) (S, error) {
	var zero S
	r, err := ps.find(p.Name)
	if err != nil {
		return zero, err
	}
	typed, ok := r.(*run[S])
	if !ok {
		return zero, fault.New(fault.Internal, "session.state", "The projection %q has another state type (%T).", p.Name, r)
	}
	return typed.state, nil
}
