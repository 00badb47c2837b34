package graph

import (
	"strings"

	"fairlead/fault"
)

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

func joined(parent, id string) string {
	if parent == "" {
		return id
	}
	return parent + "/" + id
}
