package graph

import (
	"errors"
	"slices"
)

// epoch identifies a run by what it was started with: the fiber's own generation,
// the run of its parent, then the run of the provider of each injected service (0
// for an optional one that is absent).
type epoch []uint64

// outlook is what a fiber's dependants need to know about it.
type outlook uint8

const (
	none   outlook = iota // it will not run unless something is done from outside
	coming                // it does not serve now, but it is on its way
	up                    // it serves
)

// want says what f should be: up with the epoch to run with and its services,
// coming where it had better wait for something on its way, or none.
func (f *Fiber) want() (epoch, []*service, outlook) {
	if f.gone {
		return nil, nil, none
	}
	if f.parent == nil {
		return f.run.epoch, nil, up
	}
	prospect := f.parent.outlook
	if f.run == nil && f.displaced() {
		prospect = min(prospect, coming)
	}
	e := epoch{f.generation, f.parent.runID()}
	using := make([]*service, 0, len(f.plugin.Inject))
	for i, d := range f.plugin.Inject {
		s, o := f.realm.resolve(d.key, f)
		if o == coming && f.run != nil {
			s, o = f.run.using[i].still()
		}
		if o == none && d.optional {
			o = up
		}
		prospect = min(prospect, o)
		e, using = append(e, s.runID()), append(using, s)
	}
	if prospect != up {
		return nil, nil, prospect
	}
	if slices.Equal(e, f.failedAt) {
		return nil, nil, none
	}
	return e, using, up
}

// still says what a running fiber may go on with while something better is on its
// way: what it has, unless that is leaving. A fiber that runs without an optional
// service goes on without it.
func (s *service) still() (*service, outlook) {
	switch {
	case s == nil:
		return nil, none
	case s.by.outlook == up && s.run == s.by.runID():
		return s, up
	}
	return nil, coming
}

func (s *service) runID() uint64 {
	if s == nil {
		return 0
	}
	return s.run
}

// displaced reports whether a disposed fiber still holds f's place: its id, one of
// its keys in the realm, or what a [Fiber.Change] removed when it added f.
func (f *Fiber) displaced() bool {
	for _, old := range f.after {
		if old.state != Stopped {
			return true
		}
	}
	f.after = nil // all of them are quiet, for good
	for _, k := range f.plugin.Provides {
		for _, p := range f.realm.providers[k.ident()] {
			if p != f && p.gone {
				return true
			}
		}
	}
	return false
}

// runID identifies the present run, 0 for none.
func (f *Fiber) runID() uint64 {
	if f.run == nil {
		return 0
	}
	return f.run.id
}

// reconcile compares what f should be with what it is, begins at most one
// transition, and tells those concerned if f's outlook changed. The lock is held.
func (f *Fiber) reconcile() {
	want, using, prospect := f.want()
	switch {
	case f.busy:
		if f.state == Starting && !slices.Equal(want, f.run.epoch) {
			f.run.cancel() // no use going on; its end looks again
		}
	case f.run == nil && want != nil:
		f.start(want, using)
	case f.run == nil:
		f.rest()
	case want != nil && slices.Equal(want, f.run.epoch):
		f.leaving, f.held = false, false
	case f.leaving || !f.keep():
		f.leaving = true
		if len(f.users) == 0 && f.liveKids == 0 {
			f.stop()
		}
	}
	switch {
	case f.state == Active && !f.leaving:
		prospect = up
	case prospect == up:
		prospect = coming
	}
	f.announce(prospect)
}

// announce passes a changed outlook on to everyone whose own may hang on it.
func (f *Fiber) announce(o outlook) {
	if o == f.outlook {
		return
	}
	f.outlook = o
	for child := range f.children {
		f.graph.touch(child)
	}
	f.notifyInjectors()
}

func (f *Fiber) notifyInjectors() {
	for _, k := range f.plugin.Provides {
		f.realm.eachInjector(k.ident(), f.graph.touch)
	}
}

// rest is what a fiber does that neither runs nor should.
func (f *Fiber) rest() {
	switch {
	case f.gone:
		if f.state != Stopped {
			f.setState(Stopped)
			f.detach()
		}
	case f.failedAt != nil:
		f.setState(Failed)
	default:
		f.setState(Waiting)
	}
}

// detach forgets a disposed fiber and lets whoever waited for its place look again.
func (f *Fiber) detach() {
	f.notifyInjectors()
	for _, k := range f.plugin.Provides {
		for _, p := range f.realm.providers[k.ident()] {
			f.graph.touch(p)
		}
	}
	if f.parent == nil {
		return
	}
	if f.left != nil {
		f.parent.left = errors.Join(f.parent.left, f.left)
	}
	f.forget()
	for _, heir := range f.heirs {
		f.graph.touch(heir)
	}
}
