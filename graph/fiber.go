package graph

import (
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
	left     error // effects, its children's included, that the last stop did not undo

	run     *run    // nil while nothing of it runs
	busy    bool    // a transition is in flight
	leaving bool    // active, but waiting for whoever stands on it to stop
	held    bool    // would leave, but a [Realm.Hold] keeps it
	outlook outlook // as last announced
	dirty   bool
	holds   int
	after   []*Fiber // disposed fibers that must be quiet before it starts
	heirs   []*Fiber // fibers that wait in this way for f

	users     map[*Fiber]bool // fibers that run on a service of this one
	children  map[*Fiber]bool
	ids       map[string]*Fiber
	aliveKids int // children that run
	ranks     int // last rank given to a child
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

func joined(parent, id string) string {
	if parent == "" {
		return id
	}
	return parent + "/" + id
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

// Plug adds a plugin below f, in f's realm, and returns at once; it starts when f is
// active and its services are there. A nil cfg means the plugin's defaults. It is
// disposed when f stops. Refused are: an id that is taken below f, a second provider
// of a key in the realm (see [Standby]), a cycle of dependencies (the path is named),
// and a fiber that does not run.
func (f *Fiber) Plug(id string, p Plugin, cfg any) (*Fiber, error) {
	return f.plug(id, 0, p, cfg, f.realm)
}

// PlugAt is Plug with a rank among f's children, counted from 1, which decides the
// order of their listeners. Of equal ranks the first plugged comes first.
func (f *Fiber) PlugAt(id string, rank int, p Plugin, cfg any) (*Fiber, error) {
	return f.plug(id, rank, p, cfg, f.realm)
}

// Isolate adds an empty fiber below f with a realm of its own. Lookups of the keys
// end in that realm; all others go on to f's. Plug into the fiber to fill the realm,
// dispose it to clear it away.
func (f *Fiber) Isolate(id string, keys ...AnyKey) (*Fiber, error) {
	empty := Plugin{Name: "realm", Doc: "A realm of its own.", Apply: func(*Fiber, any) error { return nil }}
	return f.plug(id, 0, empty, nil, newRealm(f.realm, joined(f.path, id), keys))
}

func (f *Fiber) plug(id string, rank int, p Plugin, cfg any, r *Realm) (*Fiber, error) {
	f.graph.mu.Lock()
	defer f.graph.mu.Unlock()
	child, err := f.adopt(id, rank, p, cfg, r)
	f.graph.drain()
	return child, err
}

// adopt adds a child that is not reconciled yet. Rank 0 means after all others. The
// lock is held.
func (f *Fiber) adopt(id string, rank int, p Plugin, cfg any, r *Realm) (*Fiber, error) {
	if id == "" || strings.Contains(id, "/") {
		return nil, fault.New(fault.Invalid, "graph.plug", "%q is no id: it must not be empty or contain a slash.", id)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	namesake := f.ids[id]
	switch {
	case f.gone || f.run == nil || f.state == Stopping:
		return nil, fault.New(fault.Unavailable, "graph.plug", "%s was not plugged: %s does not run.", id, f.name())
	case namesake != nil && !namesake.gone:
		return nil, fault.New(fault.Conflict, "graph.plug", "%s was not plugged: %s already has a fiber of that id.", id, f.name())
	}
	if rank == 0 {
		rank = f.ranks + 1
	}
	if cfg == nil && p.Config != nil {
		cfg = p.Config()
	}
	child := newFiber(f.graph, f, id, rank, p, cfg, r)
	if namesake != nil {
		child.waitFor(namesake)
	}
	if err := child.fits(); err != nil {
		return nil, err
	}
	f.ranks = max(f.ranks, rank)
	f.children[child] = true
	f.ids[id] = child
	r.enlist(child)
	f.graph.touch(child)
	return child, nil
}

// waitFor keeps f from starting until a disposed fiber is quiet.
func (f *Fiber) waitFor(old *Fiber) {
	f.after = append(f.after, old)
	old.heirs = append(old.heirs, f)
}

// forget takes back what adopt did. The lock is held.
func (f *Fiber) forget() {
	f.gone, f.state = true, Stopped
	f.realm.remove(f)
	delete(f.parent.children, f)
	if f.parent.ids[f.id] == f {
		delete(f.parent.ids, f.id)
	}
}

// fits refuses what could never work: two providers of a key, a cycle.
func (f *Fiber) fits() error {
	for _, k := range f.plugin.Provides {
		if isStandby(k) {
			continue
		}
		for _, other := range f.realm.providers[k.ident()] {
			if !other.gone && !other.plugin.standsBy(k.ident()) {
				return fault.New(fault.Conflict, "graph.plug", "%s was not plugged: %s already provides %s in this realm.", f.path, other.path, k.Name())
			}
		}
	}
	if path := f.cycle(); path != "" {
		return fault.New(fault.Invalid, "graph.plug", "%s was not plugged, it would close a cycle: %s.", f.path, path)
	}
	return nil
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
// quiet. The error names each effect whose undo failed or was left behind.
func (f *Fiber) Dispose(ctx context.Context) error {
	f.graph.do(f.abandon)
	if err := f.graph.await(ctx, func() bool { return f.state == Stopped }); err != nil {
		return err
	}
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	return f.left
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

// walk visits f and all below it, in the order of their places.
func (f *Fiber) walk(visit func(*Fiber)) {
	visit(f)
	kids := make([]*Fiber, 0, len(f.children))
	for child := range f.children {
		kids = append(kids, child)
	}
	slices.SortFunc(kids, func(a, b *Fiber) int { return slices.Compare(a.place, b.place) })
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
