package graph

import (
	"slices"
	"strings"
)

// cycle tells the cycle that plugging f would close, "" for none. Only what is
// declared counts, so that a cycle is refused before anything runs. A fiber leans on
// its parent and on every fiber that could provide what it injects, whether it needs
// the service or uses it only where there is one: both restart it.
func (f *Fiber) cycle() string {
	leaners := map[*Fiber]bool{} // fibers that would stand on f
	for _, k := range f.plugin.Provides {
		f.realm.eachInjector(k.ident(), func(x *Fiber) { leaners[x] = leaners[x] || !x.gone })
	}
	if len(leaners) == 0 { // so does almost every plugin that comes after those it needs
		return ""
	}
	seen := map[*Fiber]bool{}
	var search func(x *Fiber) []string
	search = func(x *Fiber) []string {
		if x == nil || seen[x] {
			return nil
		}
		seen[x] = true
		if leaners[x] && x != f {
			return []string{x.name() + " uses " + x.keyOf(f).name + " of " + f.path}
		}
		if path := search(x.parent); path != nil {
			return slices.Insert(path, 0, x.name()+" lives in "+x.parent.name())
		}
		for _, d := range x.plugin.Inject {
			for p := range x.realm.candidates(d.key) {
				if p == x {
					continue
				}
				if path := search(p); path != nil {
					return slices.Insert(path, 0, x.name()+" uses "+d.key.name+" of "+p.name())
				}
			}
		}
		return nil
	}
	return strings.Join(search(f), ", ")
}

// keyOf finds what f injects of p.
func (f *Fiber) keyOf(p *Fiber) *key {
	for _, d := range f.plugin.Inject {
		if p.plugin.provides(d.key) {
			return d.key
		}
	}
	return &key{}
}

// candidates yields the fibers that declare to provide k where r can see it.
func (r *Realm) candidates(k *key) func(yield func(*Fiber) bool) {
	return func(yield func(*Fiber) bool) {
		for r := range r.upTo(k) {
			for _, p := range r.providers[k] {
				if !p.gone && !yield(p) {
					return
				}
			}
		}
	}
}
