package graph

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"fairlead/fault"
)

// State of a fiber.
type State string

// The states, in the order of a life.
const (
	Waiting  State = "waiting"  // for a service or for its parent
	Starting State = "starting" // Apply runs
	Active   State = "active"
	Stopping State = "stopping" // its effects are being undone
	Stopped  State = "stopped"  // disposed; it will not come back
	Failed   State = "failed"   // Apply, a handler or an undo failed; see Status.Reason
)

// Fiber is one running instance of a plugin, and the handle a plugin registers with.
type Fiber struct {
	graph  *Graph
	parent *Fiber // nil for the root
	realm  *Realm
	plugin Plugin
	id     string
	path   string
	place  []int // ranks from the root down; orders listeners and listings

	// Everything below is guarded by the graph's lock.

	cfg        any
	generation uint64 // counts configurations and restarts
	gone       bool   // disposed, or its parent stopped

	state    State
	since    time.Time
	took     time.Duration // of the last Apply
	starts   int
	reason   error // why it failed
	failedAt epoch // the epoch it failed with: not tried again
	left     error // effects, its children's included, that no stop has undone

	run     *run    // nil while nothing of it runs
	busy    bool    // a transition is in flight
	leaving bool    // active, but waiting for whoever stands on it to stop
	held    bool    // would leave, but a [Realm.Hold] keeps it
	outlook outlook // as last announced
	dirty   bool
	holds   int
	after   []*Fiber // disposed fibers that must be quiet before it starts
	heirs   []*Fiber // fibers that wait in this way for f

	users    map[*Fiber]bool // fibers that run on a service of this one
	children map[*Fiber]bool
	ids      map[string]*Fiber
	liveKids int // children that run
	ranks    int // last rank given to a child
}

// run is one stretch from a start to the end of its stop.
type run struct {
	id      uint64 // what dependants compare
	epoch   epoch
	ctx     context.Context
	cancel  context.CancelFunc
	using   []*service // by index of plugin.Inject; nil for an absent optional one
	offered []*service
	effects []effect
}

func newFiber(g *Graph, parent *Fiber, id string, rank int, p Plugin, cfg any, r *Realm) *Fiber {
	f := &Fiber{
		graph: g, parent: parent, realm: r, plugin: p, id: id, path: id, cfg: cfg,
		state: Waiting, since: time.Now(),
		users: map[*Fiber]bool{}, children: map[*Fiber]bool{}, ids: map[string]*Fiber{},
	}
	if parent != nil {
		f.path = joined(parent.path, id)
		f.place = append(slices.Clone(parent.place), rank)
	}
	return f
}

// ID is the id it was plugged with.
func (f *Fiber) ID() string { return f.id }

// Path joins the ids from the root down with slashes; the root's is "".
func (f *Fiber) Path() string { return f.path }

// Realm is where f provides and looks up.
func (f *Fiber) Realm() *Realm { return f.realm }

// Log is the graph's logger with the fiber's path.
func (f *Fiber) Log() *slog.Logger { return f.graph.log.With("fiber", f.path) }

// State says how it is now.
func (f *Fiber) State() State {
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	return f.state
}

// Err says why it failed; nil where it did not.
func (f *Fiber) Err() error {
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	return f.reason
}

// Context ends when the present run is about to be undone. A fiber that does not
// run has an ended one.
func (f *Fiber) Context() context.Context {
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	if f.run == nil {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		return ended
	}
	return f.run.ctx
}

// Restart stops f and what stands on it and starts it again, also where it had
// failed. It returns when f and all below it are active, or says what is not.
func (f *Fiber) Restart(ctx context.Context) error {
	f.graph.do(f.renew)
	return f.Ready(ctx)
}

// renew makes what f runs with out of date. The lock is held.
func (f *Fiber) renew() {
	f.generation++
	f.reason, f.failedAt = nil, nil // a new attempt
	f.graph.touch(f)
}

// Dispose stops f for good, and first whatever stands on it. It returns when all is
// quiet. The error names each effect of f's life, its children's included, whose undo
// failed or was left behind, or, where ctx ended first, what has not stopped yet.
func (f *Fiber) Dispose(ctx context.Context) error {
	f.graph.do(f.abandon)
	err := f.graph.await(ctx, func() bool { return f.state == Stopped })
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	if err == nil {
		return f.left
	}
	var up []string
	f.walk(func(f *Fiber) {
		if f.run != nil {
			up = append(up, f.plight())
		}
	})
	return fault.Wrap(fault.KindOf(err), "graph.dispose", err, "Not everything has stopped yet: %s.", strings.Join(up, "; "))
}

// abandon marks f as never to run again. The lock is held.
func (f *Fiber) abandon() {
	f.gone = true
	f.graph.touch(f)
}

// Ready waits until f and all below it are settled: active, or not about to become
// it without help. The error names those that are not active, with the reason.
func (f *Fiber) Ready(ctx context.Context) error {
	if err := f.graph.await(ctx, f.settled); err != nil {
		return err
	}
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	return f.unready()
}

// unready names what is not active at f or below; nil if all is.
func (f *Fiber) unready() error {
	var idle []string
	f.walk(func(f *Fiber) {
		if f.state != Active {
			idle = append(idle, f.plight())
		}
	})
	if idle == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "graph.ready", f.reason, "Not everything became active: %s.", strings.Join(idle, "; "))
}

func (f *Fiber) settled() bool {
	if f.busy || f.leaving || f.held || f.outlook == coming {
		return false
	}
	for child := range f.children {
		if !child.settled() {
			return false
		}
	}
	return true
}

// walk visits f and all below it, in the order of their places; what leaves comes
// before what takes its place.
func (f *Fiber) walk(visit func(*Fiber)) {
	visit(f)
	kids := make([]*Fiber, 0, len(f.children))
	for child := range f.children {
		kids = append(kids, child)
	}
	leaver := func(f *Fiber) int {
		if f.gone {
			return 0
		}
		return 1
	}
	slices.SortFunc(kids, func(a, b *Fiber) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(leaver(a), leaver(b)), strings.Compare(a.id, b.id))
	})
	for _, child := range kids {
		child.walk(visit)
	}
}

// name is the path as a person reads it.
func (f *Fiber) name() string {
	if f.path == "" {
		return "the root"
	}
	return f.path
}
