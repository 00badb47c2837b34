package graph

import (
	"slices"

	"fairlead/fault"
)

// Plugin is something that can run in a graph. It is plain data: nothing happens
// until it is plugged, and the same plugin may run in many fibers at once.
//
// Its life, run after run:
//  1. Every needed service is there, every optional one is there or not on its way.
//  2. Apply is called with the fiber and its configuration. What it registers is
//     undone when the fiber stops; what it provides appears when it returns nil.
//  3. A service it stands on is about to leave, or the fiber is updated, restarted
//     or disposed: first whoever stands on it stops, then its children, then its
//     effects are undone in reverse order.
//  4. From there back to 1, unless it was disposed.
type Plugin struct {
	// Name says which plugin this is; a row of a profile refers to it.
	Name string
	// Doc is one sentence for the catalog.
	Doc string
	// Inject declares what Apply may Get.
	Inject []Dependency
	// Provides declares what Apply may Provide. The graph uses it to tell who could
	// provide a missing service and to refuse cycles before anything runs.
	Provides []AnyKey
	// Config makes a pointer to the plugin's configuration with its defaults filled
	// in; nil means that it takes none.
	Config func() any
	// Apply starts the plugin. It returns once the plugin works; it should be quick
	// and must give up when f.Context() ends. An error or a panic undoes what it
	// registered so far and marks the fiber failed.
	Apply func(f *Fiber, cfg any) error
}

// Dependency is a declared use of a service.
type Dependency struct {
	key      *key
	optional bool
}

// Needs declares that the plugin cannot run without the service.
func Needs(k AnyKey) Dependency { return Dependency{key: k.ident()} }

// Optional declares that the plugin uses the service where there is one: it waits
// for a provider that is on its way, does without one that is not, and is restarted
// when that changes.
func Optional(k AnyKey) Dependency { return Dependency{key: k.ident(), optional: true} }

// On reports whether the dependency is on k.
func (d Dependency) On(k AnyKey) bool { return d.key == k.ident() }

// Key is what is depended on.
func (d Dependency) Key() AnyKey { return d.key }

// Optional reports whether the plugin can do without.
func (d Dependency) Optional() bool { return d.optional }

// Standby declares, in Provides, that the plugin stands in while the realm has no
// other provider of the key. Without it a second provider in a realm is refused.
func Standby(k AnyKey) AnyKey { return standby{k} }

type standby struct{ AnyKey }

func isStandby(k AnyKey) bool { _, ok := k.(standby); return ok }

func (p *Plugin) provides(k *key) bool {
	return slices.ContainsFunc(p.Provides, func(o AnyKey) bool { return o.ident() == k })
}

func (p *Plugin) standsBy(k *key) bool {
	return slices.ContainsFunc(p.Provides, func(o AnyKey) bool { return o.ident() == k && isStandby(o) })
}

func (p *Plugin) check() error {
	if p.Name == "" || p.Apply == nil {
		return fault.New(fault.Internal, "graph.plug", "The plugin %q has no name or no Apply.", p.Name)
	}
	for i, d := range p.Inject {
		if slices.ContainsFunc(p.Inject[:i], func(o Dependency) bool { return o.key == d.key }) {
			return fault.New(fault.Internal, "graph.plug", "The plugin %s declares %s twice.", p.Name, d.key.name)
		}
	}
	return nil
}
