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
	parent *Fiber
	realm  *Realm
	id     string
	path   string
	place  []int // ranks from the root down; orders listeners

	// Everything below is guarded by the graph's lock.
	plugin     Plugin
	cfg        any
	generation uint64 // counts configurations and restarts
	gone       bool   // disposed, or its parent stopped

	state     State
	since     time.Time
	took      time.Duration // of the last Apply
	starts    int
	reason    error   // why it failed
	left      error   // effects, its children's included, that the last stop did not undo
	failedAt  epoch   // the epoch it failed with: not tried again
	have      epoch   // the epoch it runs with; nil while it does not
	run       uint64  // identity of the present run; what dependants compare
	busy      bool    // a transition is in flight
	leaving   bool    // active, but waiting for its dependants to stop
	outlook   outlook // as last announced
	dirty     bool
	after     *Fiber // disposed namesake that must be quiet first
	ranks     int    // of children plugged in this run
	ctx       context.Context
	cancel    context.CancelFunc
	using     []*service // by index of plugin.Inject
	offered   []*service
	effects   []effect
	users     map[*Fiber]bool // fibers that run on a service of this one
	children  map[*Fiber]bool
	ids       map[string]*Fiber
	aliveKids int
}

func newFiber(g *Graph, parent *Fiber, id string, p Plugin, cfg any, r *Realm) *Fiber {
	f := &Fiber{
		graph: g, parent: parent, realm: r, id: id, path: id, plugin: p, cfg: cfg,
		state: Waiting, since: time.Now(),
		users: map[*Fiber]bool{}, children: map[*Fiber]bool{}, ids: map[string]*Fiber{},
	}
	if parent != nil {
		if parent.path != "" {
			f.path = parent.path + "/" + id
		}
		f.place = append(slices.Clone(parent.place), parent.ranks)
		parent.ranks++
	}
	return f
}

// ID is the id it was plugged with; Path is that of its ancestors and its own.
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
	if f.ctx == nil {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		return ended
	}
	return f.ctx
}

// Plug adds a plugin below f, in f's realm, and returns at once; it starts when f is
// active and its services are there. A nil cfg means the plugin's defaults. It is
// disposed when f stops. Refused are: an id that is taken below f, a second provider
// of a key in the realm (see [Standby]), a cycle of dependencies (the path is named),
// and a fiber that does not run.
func (f *Fiber) Plug(id string, p Plugin, cfg any) (*Fiber, error) {
	return f.plug(id, p, cfg, nil)
}

// Isolate adds an empty fiber below f with a realm of its own. Lookups of the keys
// end in that realm; all others go on to f's. Plug into the fiber to fill the realm,
// dispose it to clear it away.
func (f *Fiber) Isolate(id string, keys ...AnyKey) (*Fiber, error) {
	idle := Plugin{Name: "realm", Apply: func(*Fiber, any) error { return nil }}
	return f.plug(id, idle, nil, append([]AnyKey{}, keys...)) // not nil, also where no key is given
}

func (f *Fiber) plug(id string, p Plugin, cfg any, isolate []AnyKey) (*Fiber, error) {
	if id == "" || strings.Contains(id, "/") {
		return nil, fault.New(fault.Invalid, "graph.plug", "%q is no id: it must not be empty or contain a slash.", id)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if cfg == nil && p.Config != nil {
		cfg = p.Config()
	}
	g := f.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	namesake := f.ids[id]
	switch {
	case f.gone || f.have == nil || f.state == Stopping:
		return nil, fault.New(fault.Unavailable, "graph.plug", "%s was not plugged: %s is %s.", id, f.name(), f.state)
	case namesake != nil && !namesake.gone:
		return nil, fault.New(fault.Conflict, "graph.plug", "%s was not plugged: %s already has a fiber of that id.", id, f.name())
	}
	realm := f.realm
	if isolate != nil {
		realm = newRealm(f.realm, joined(f.path, id), isolate)
	}
	child := newFiber(g, f, id, p, cfg, realm)
	child.after = namesake
	if err := child.fits(); err != nil {
		return nil, err
	}
	if isolate != nil {
		f.realm.children[realm] = true
	}
	f.children[child] = true
	f.ids[id] = child
	realm.enlist(child)
	g.touch(child)
	g.drain()
	return child, nil
}

func joined(parent, id string) string {
	if parent == "" {
		return id
	}
	return parent + "/" + id
}

// name is the path as a person reads it.
func (f *Fiber) name() string {
	if f.path == "" {
		return "the root"
	}
	return f.path
}

// fits refuses what could never work: two providers of a key, a cycle.
func (f *Fiber) fits() error {
	for _, k := range f.plugin.Provides {
		if isStandby(k) {
			continue
		}
		for _, other := range f.realm.providers[k.ident()] {
			if !other.gone && !other.standsBy(k.ident()) {
				return fault.New(fault.Conflict, "graph.plug", "%s was not plugged: %s already provides %s in this realm.", f.path, other.path, k.Name())
			}
		}
	}
	if path := f.cycle(); path != "" {
		return fault.New(fault.Invalid, "graph.plug", "%s was not plugged, it would close a cycle: %s.", f.path, path)
	}
	return nil
}

func (f *Fiber) standsBy(k *key) bool {
	return slices.ContainsFunc(f.plugin.Provides, func(o AnyKey) bool { return o.ident() == k && isStandby(o) })
}

// Restart stops f and what stands on it and starts it again, also where it had
// failed. It returns when f is active, or says why it is not.
func (f *Fiber) Restart(ctx context.Context) error {
	f.graph.do(func() {
		f.generation++
		f.graph.touch(f)
	})
	return f.Ready(ctx)
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
	if !f.gone {
		f.gone = true
		f.graph.touch(f)
	}
}

// Ready waits until f and all below it are settled: active, or not about to become
// it without help. The error names those that are not active, with the reason.
func (f *Fiber) Ready(ctx context.Context) error {
	if err := f.graph.await(ctx, f.settled); err != nil {
		return err
	}
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	var idle []string
	f.walk(func(f *Fiber) {
		if f.state != Active {
			idle = append(idle, f.plight())
		}
	})
	if idle != nil {
		return fault.Wrap(fault.Unavailable, "graph.ready", f.reason, "Not everything became active: %s.", strings.Join(idle, "; "))
	}
	return nil
}

func (f *Fiber) settled() bool {
	if f.busy || f.leaving || f.outlook == coming {
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
