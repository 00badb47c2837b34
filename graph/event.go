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

// Notify tells listeners that something happened. Nobody can object.
type Notify[P any] struct{ *point }

// NewNotify makes the point; name is "room.event", doc one sentence for the catalog.
func NewNotify[P any](name, doc string) Notify[P] { return Notify[P]{&point{name, doc}} }

// On registers a listener as an effect of f.
func (n Notify[P]) On(f *Fiber, fn func(context.Context, P)) { f.listen(n.point, fn) }

// Emit calls the listeners one after another. A panic stops no other listener and
// does not reach the caller.
func (n Notify[P]) Emit(ctx context.Context, r *Realm, p P) {
	for _, l := range r.audience(n.point) {
		fn := l.fn.(func(context.Context, P))
		// A listener of Notify has no error of its own and call reports a panic.
		_ = l.call(n.point, func() error { fn(ctx, p); return nil })
	}
}

// Serial asks every listener in turn; the first error stops and is the outcome.
type Serial[P any] struct{ *point }

// NewSerial makes the point; name is "room.event", doc one sentence for the catalog.
func NewSerial[P any](name, doc string) Serial[P] { return Serial[P]{&point{name, doc}} }

// On registers a listener as an effect of f.
func (s Serial[P]) On(f *Fiber, fn func(context.Context, P) error) { f.listen(s.point, fn) }

// Run calls the listeners in order and returns the first error. A panic is an error.
func (s Serial[P]) Run(ctx context.Context, r *Realm, p P) error {
	for _, l := range r.audience(s.point) {
		fn := l.fn.(func(context.Context, P) error)
		if err := l.call(s.point, func() error { return fn(ctx, p) }); err != nil {
			return err
		}
	}
	return nil
}

// Bail asks listeners in turn until one answers.
type Bail[P, R any] struct{ *point }

// NewBail makes the point; name is "room.event", doc one sentence for the catalog.
func NewBail[P, R any](name, doc string) Bail[P, R] { return Bail[P, R]{&point{name, doc}} }

// On registers a listener as an effect of f. It returns false where it has no answer.
func (b Bail[P, R]) On(f *Fiber, fn func(context.Context, P) (R, bool, error)) { f.listen(b.point, fn) }

// Ask returns the first answer, and true; false where nobody had one. An error or a
// panic ends the asking.
func (b Bail[P, R]) Ask(ctx context.Context, r *Realm, p P) (answer R, answered bool, err error) {
	for _, l := range r.audience(b.point) {
		fn := l.fn.(func(context.Context, P) (R, bool, error))
		err = l.call(b.point, func() (err error) { answer, answered, err = fn(ctx, p); return err })
		if err != nil || answered {
			return answer, answered, err
		}
	}
	return answer, false, nil
}

// Waterfall passes a value through its listeners to a base operation; each may look,
// change what goes in or comes out, or answer without going on.
type Waterfall[P, R any] struct{ *point }

// NewWaterfall makes the point; name is "room.event", doc one sentence for the catalog.
func NewWaterfall[P, R any](name, doc string) Waterfall[P, R] {
	return Waterfall[P, R]{&point{name, doc}}
}

// On registers a listener as an effect of f. The first listener is the outermost.
func (w Waterfall[P, R]) On(f *Fiber, fn func(ctx context.Context, p P, next func(context.Context, P) (R, error)) (R, error)) {
	f.listen(w.point, fn)
}

// Run calls the first listener, whose next is the second, and so on to base. A panic,
// of a listener or of base, is an error; only a listener's own fails its fiber.
func (w Waterfall[P, R]) Run(ctx context.Context, r *Realm, p P, base func(context.Context, P) (R, error)) (R, error) {
	return w.through(r.audience(w.point), func(ctx context.Context, p P) (result R, err error) {
		err = contain(func() (err error) { result, err = base(ctx, p); return err })
		if c, panicked := err.(*crash); panicked {
			r.graph.log.Error("base of a waterfall panicked", "point", w.name, "error", c, "stack", string(c.stack))
			err = fault.Wrap(fault.Internal, w.name, c, "The operation failed unexpectedly; nothing more of it runs.")
		}
		return result, err
	})(ctx, p)
}

func (w Waterfall[P, R]) through(listeners []*listener, base func(context.Context, P) (R, error)) func(context.Context, P) (R, error) {
	if len(listeners) == 0 {
		return base
	}
	return func(ctx context.Context, p P) (result R, err error) {
		l := listeners[0]
		fn := l.fn.(func(context.Context, P, func(context.Context, P) (R, error)) (R, error))
		next := w.through(listeners[1:], base)
		err = l.call(w.point, func() (err error) { result, err = fn(ctx, p, next); return err })
		return result, err
	}
}
