package graph

import (
	"slices"

	"fairlead/fault"
)

// service is a value under a key, provided by one run of a fiber.
type service struct {
	key   *key
	value any
	by    *Fiber
	run   uint64
}

// Provide offers v under k in f's realm. It is called from Apply only; the value
// appears when Apply has returned nil and is withdrawn after everything that stands
// on it has stopped. A key that the plugin does not declare, a nil value and a
// second value under the same key are errors.
func Provide[T any](f *Fiber, k Key[T], v T) error { return f.provide(k.key, v) }

func (f *Fiber) provide(k *key, v any) error {
	f.graph.mu.Lock()
	defer f.graph.mu.Unlock()
	refuse := func(why string) error {
		return fault.New(fault.Internal, "graph.provide", "%s did not provide %s: %s.", f.path, k.name, why)
	}
	switch {
	case !f.plugin.provides(k):
		return refuse("the plugin " + f.plugin.Name + " does not declare it in Provides")
	case f.state != Starting:
		return refuse("services are provided inside Apply, and this fiber is " + string(f.state))
	case v == nil:
		return refuse("the value is nil")
	case slices.ContainsFunc(f.run.offered, func(s *service) bool { return s.key == k }):
		return refuse("it already provided one")
	}
	f.run.offered = append(f.run.offered, &service{key: k, value: v, by: f, run: f.run.id})
	return nil
}

// service gives what f provides under k now, nil for nothing. The lock is held.
func (f *Fiber) service(k *key) *service {
	if f.state != Active {
		return nil // not there yet, or withdrawn
	}
	for _, s := range f.run.offered {
		if s.key == k {
			return s
		}
	}
	return nil
}

// Get gives the service that f was started with. It stays the same value for the
// whole run, also while f stops. A key the plugin does not declare is an error of
// kind Internal; an optional one nobody provides is Unavailable.
func Get[T any](f *Fiber, k Key[T]) (T, error) {
	s, err := f.get(k.key)
	if err != nil {
		var none T
		return none, err
	}
	return s.value.(T), nil
}

func (f *Fiber) get(k *key) (*service, error) {
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	for i, d := range f.plugin.Inject {
		if d.key != k {
			continue
		}
		if f.run == nil || f.run.using[i] == nil {
			return nil, fault.New(fault.Unavailable, "graph.get", "Nobody provides %s to %s.", k.name, f.path)
		}
		return f.run.using[i], nil
	}
	return nil, fault.New(fault.Internal, "graph.get", "%s asked for %s, which the plugin %s does not declare in Inject.", f.path, k.name, f.plugin.Name)
}
