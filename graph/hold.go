package graph

// Hold keeps the providers of the keys, as r sees them now, from being stopped until
// release is called, and with them whatever they stand on. An update, a replacement
// or a disposal that needs one of them to stop waits that long; only [Graph.Close]
// does not. An agent holds what a running turn must not lose. Keys nobody provides
// are passed over. Release may be called more than once.
func (r *Realm) Hold(keys ...AnyKey) (release func()) {
	g := r.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	var kept []*Fiber
	for _, k := range keys {
		if s, _ := r.resolve(k.ident(), nil); s != nil {
			s.by.holds++
			g.holds++
			kept = append(kept, s.by)
		}
	}
	return func() {
		g.do(func() {
			for _, f := range kept {
				f.holds--
				g.holds--
			}
			kept = nil
			for f := range g.deferred {
				g.touch(f)
			}
		})
	}
}

// keep reports whether f must not stop yet, and remembers to look again.
func (f *Fiber) keep() bool {
	f.held = f.graph.holds > 0 && !f.graph.closing && f.pinned(map[*Fiber]bool{})
	if f.held {
		f.graph.deferred[f] = true
	} else {
		delete(f.graph.deferred, f)
	}
	return f.held
}

// pinned reports whether f, or something that would have to stop before it, is held.
func (f *Fiber) pinned(seen map[*Fiber]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	if f.holds > 0 {
		return true
	}
	for user := range f.users {
		if user.pinned(seen) {
			return true
		}
	}
	for child := range f.children {
		if child.pinned(seen) {
			return true
		}
	}
	return false
}
