package graph

import "slices"

// Realm is a node of the tree in which services are looked up and events are heard.
// A fiber provides into its own realm and sees that realm and those above it, the
// nearest provider first.
type Realm struct {
	graph    *Graph
	parent   *Realm
	path     string
	isolated map[*key]bool // lookups of these end here

	// Guarded by the graph's lock.
	children  map[*Realm]bool
	providers map[*key][]*Fiber // declared ones, standbys last
	injectors map[*key]map[*Fiber]bool
	listeners map[*point][]*listener
	heard     map[*point]audience
}

func newRealm(parent *Realm, path string, keys []AnyKey) *Realm {
	r := &Realm{
		parent: parent, path: path, isolated: map[*key]bool{},
		children: map[*Realm]bool{}, providers: map[*key][]*Fiber{}, injectors: map[*key]map[*Fiber]bool{},
		listeners: map[*point][]*listener{}, heard: map[*point]audience{},
	}
	for _, k := range keys {
		r.isolated[k.ident()] = true
	}
	if parent != nil {
		r.graph = parent.graph
	}
	return r
}

// Path names the realm: the path of the fiber that isolated it, "" for the root's.
func (r *Realm) Path() string { return r.path }

// Parent is the realm around this one; nil for the root's.
func (r *Realm) Parent() *Realm { return r.parent }

// Lookup finds the value of the nearest provider of k, now. It is for code that
// holds a realm and asks anew each time, such as an agent before a step; a plugin
// declares what it uses and calls [Get]. False means that nobody provides it.
func Lookup[T any](r *Realm, k Key[T]) (T, bool) {
	r.graph.mu.RLock()
	defer r.graph.mu.RUnlock()
	for r := range r.upTo(k.key) {
		for _, p := range r.providers[k.key] {
			if s := p.service(k.key); s != nil {
				return s.value.(T), true
			}
		}
	}
	var none T
	return none, false
}

// upTo yields the realms in which a lookup of k that starts at r may find it.
func (r *Realm) upTo(k *key) func(yield func(*Realm) bool) {
	return func(yield func(*Realm) bool) {
		for ; r != nil; r = r.parent {
			if !yield(r) || r.isolated[k] {
				return
			}
		}
	}
}

// resolve finds what a fiber would stand on under k: up with the service, coming
// where a provider is on its way, none otherwise. A fiber never stands on itself: a
// plugin that wraps a service in a realm below gets the outer one.
func (r *Realm) resolve(k *key, self *Fiber) (*service, outlook) {
	for r := range r.upTo(k) {
		for _, p := range r.providers[k] {
			if p == self {
				continue
			}
			if p.outlook == coming {
				return nil, coming
			}
			if s := p.service(k); s != nil && p.outlook == up {
				return s, up
			}
		}
	}
	return nil, none
}

// eachInjector calls visit for the fibers that would see a provider of k in r.
func (r *Realm) eachInjector(k *key, visit func(*Fiber)) {
	for f := range r.injectors[k] {
		visit(f)
	}
	for child := range r.children {
		if !child.isolated[k] {
			child.eachInjector(k, visit)
		}
	}
}

// enlist records what f declares, and r itself where f is its first; remove takes it
// back.
func (r *Realm) enlist(f *Fiber) {
	for _, d := range f.plugin.Inject {
		if r.injectors[d.key] == nil {
			r.injectors[d.key] = map[*Fiber]bool{}
		}
		r.injectors[d.key][f] = true
	}
	for _, k := range f.plugin.Provides {
		list := r.providers[k.ident()]
		at := len(list)
		if !isStandby(k) { // behind a disposed provider that still serves, before standbys
			at = slices.IndexFunc(list, func(p *Fiber) bool { return p.plugin.standsBy(k.ident()) })
			if at < 0 {
				at = len(list)
			}
		}
		r.providers[k.ident()] = slices.Insert(list, at, f)
	}
	if r.parent != nil {
		r.parent.children[r] = true
	}
}

func (r *Realm) remove(f *Fiber) {
	for _, d := range f.plugin.Inject {
		if delete(r.injectors[d.key], f); len(r.injectors[d.key]) == 0 {
			delete(r.injectors, d.key)
		}
	}
	for _, k := range f.plugin.Provides {
		rest := slices.DeleteFunc(r.providers[k.ident()], func(p *Fiber) bool { return p == f })
		if r.providers[k.ident()] = rest; len(rest) == 0 {
			delete(r.providers, k.ident())
		}
	}
	if f.parent != nil && f.parent.realm != r {
		delete(r.parent.children, r)
	}
}
