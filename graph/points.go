package graph

import (
	"context"

	"fairlead/fault"
)

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
