package graph

import (
	"context"
	"slices"

	"fairlead/fault"
)

// point is the identity of an extension point.
type point struct{ name, doc string }

// Name gives the name the extension point was made with.
func (p *point) Name() string { return p.name }

// Doc says in one sentence when it is dispatched and what a listener may do.
func (p *point) Doc() string { return p.doc }

// listener is a function that one run of a fiber registered at a point.
type listener struct {
	fiber *Fiber
	run   *run
	fn    any
}

// audience is who hears a dispatch in a realm, as of a count of changes.
type audience struct {
	as        uint64
	listeners []*listener
}

// listen registers fn as an effect of f. Listeners are heard for dispatches in f's
// realm and the realms below it, from now on until they are undone. The order is
// that of the graph, not of time: outer realms first, then fibers in the order they
// were plugged (children after their parent), then the order of registration. A
// restart changes nothing in it.
func (f *Fiber) listen(p *point, fn any) {
	g, r := f.graph, f.realm
	g.mu.Lock()
	l := &listener{f, f.run, fn}
	at := len(r.listeners[p])
	for at > 0 && slices.Compare(r.listeners[p][at-1].fiber.place, f.place) > 0 {
		at--
	}
	r.listeners[p] = slices.Insert(r.listeners[p], at, l)
	g.listened++
	g.mu.Unlock()
	f.Effect("listens to "+p.name, func(context.Context) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		r.listeners[p] = slices.DeleteFunc(r.listeners[p], func(o *listener) bool { return o == l })
		if len(r.listeners[p]) == 0 {
			delete(r.listeners, p)
		}
		g.listened++
		return nil
	})
}

// audience gives the listeners of a dispatch of p in r. The slice is shared and
// never changed; nothing is allocated while the listeners stay the same.
func (r *Realm) audience(p *point) []*listener {
	r.graph.mu.RLock()
	a, known := r.heard[p]
	known = known && a.as == r.graph.listened
	r.graph.mu.RUnlock()
	if known {
		return a.listeners
	}
	r.graph.mu.Lock()
	defer r.graph.mu.Unlock()
	var all []*listener
	for up := r; up != nil; up = up.parent {
		all = append(slices.Clone(up.listeners[p]), all...)
	}
	r.heard[p] = audience{r.graph.listened, all}
	return all
}

// call runs a listener. A panic becomes an error and fails the listener's fiber:
// what it left half done must not be called again.
func (l *listener) call(p *point, fn func() error) error {
	err := contain(fn)
	c, panicked := err.(*crash)
	if !panicked {
		return err
	}
	err = fault.Wrap(fault.Internal, p.name, c, "%s failed while handling %s.", l.fiber.path, p.name)
	l.fiber.logFailure("handler panicked; the fiber is stopped", err)
	l.fiber.graph.do(func() {
		if f := l.fiber; f.run == l.run && f.state == Active {
			f.reason, f.failedAt = err, f.run.epoch
			f.graph.touch(f)
		}
	})
	return err
}
