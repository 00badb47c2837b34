package graph

import (
	"context"
	"iter"
	"strings"
	"time"

	"fairlead/fault"
)

// Status is what can be said about a fiber at one moment.
type Status struct {
	Path   string `json:"path"`
	Plugin string `json:"plugin"`
	Doc    string `json:"doc,omitempty"`
	Parent string `json:"parent"`
	// Realm is the path of the fiber that isolated the realm, "" for the root's.
	Realm string `json:"realm"`
	State State  `json:"state"`
	// Since is when it came into the state, in Unix milliseconds.
	Since int64 `json:"since"`
	// Took is how long the last Apply ran, in nanoseconds; Starts counts successful ones.
	Took     time.Duration `json:"tookNs"`
	Starts   int           `json:"starts"`
	Provides []string      `json:"provides,omitempty"`
	Injects  []Injected    `json:"injects,omitempty"`
	// Holds names the effects that will be undone, oldest first.
	Holds []string `json:"holds,omitempty"`
	// Missing names the services it needs and nobody provides.
	Missing []string `json:"missing,omitempty"`
	// Reason says why it failed, what it waits for, what holds it, and which effects its
	// stops left behind.
	Reason string `json:"reason,omitempty"`
}

// Injected is one declared use of a service.
type Injected struct {
	Key      string `json:"key"`
	Optional bool   `json:"optional,omitempty"`
	// Provider is the path of the fiber whose value is used; "" while there is none.
	Provider string `json:"provider,omitempty"`
}

// Inventory lists every fiber but the root, parents before children, in the order
// they were plugged.
func (g *Graph) Inventory() []Status {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var all []Status
	g.root.walk(func(f *Fiber) {
		if f.parent != nil {
			all = append(all, f.status())
		}
	})
	return all
}

// Watch yields the inventory, at once and then after changes; several changes that
// follow each other quickly may be seen as one. It ends with ctx.
func (g *Graph) Watch(ctx context.Context) iter.Seq[[]Status] {
	return Watch(ctx, &g.changed, g.Inventory)
}

func (f *Fiber) status() Status {
	s := Status{
		Path: f.path, Plugin: f.plugin.Name, Doc: f.plugin.Doc, Parent: f.parent.path, Realm: f.realm.path,
		State: f.state, Since: f.since.UnixMilli(), Took: f.took, Starts: f.starts, Reason: f.why(),
	}
	for i, d := range f.plugin.Inject {
		in := Injected{Key: d.key.name, Optional: d.optional}
		if f.run != nil && f.run.using[i] != nil {
			in.Provider = f.run.using[i].by.path
		}
		s.Injects = append(s.Injects, in)
	}
	if f.run == nil {
		for _, d := range f.plugin.Inject {
			if _, o := f.realm.resolve(d.key, f); o == none && !d.optional {
				s.Missing = append(s.Missing, d.key.name)
			}
		}
		return s
	}
	for _, o := range f.run.offered {
		s.Provides = append(s.Provides, o.key.name)
	}
	for _, e := range f.run.effects {
		s.Holds = append(s.Holds, e.name)
	}
	return s
}

// why says in words what is the matter with f, "" for nothing.
func (f *Fiber) why() string {
	var all []string
	switch {
	case f.reason != nil:
		all = append(all, fault.Person(f.reason))
	case f.held:
		all = append(all, "is held; it is stopped as soon as it is released")
	case f.state == Waiting:
		all = append(all, "waits for "+f.awaited())
	}
	if f.left != nil {
		all = append(all, f.left.Error())
	}
	return strings.Join(all, "\n")
}

// awaited names what keeps a waiting fiber from starting.
func (f *Fiber) awaited() string {
	var waits []string
	if f.parent.outlook != up {
		waits = append(waits, f.parent.name())
	}
	for _, d := range f.plugin.Inject {
		if s, o := f.realm.resolve(d.key, f); s == nil && (o == coming || !d.optional) {
			waits = append(waits, d.key.name)
		}
	}
	if waits == nil {
		return "its predecessor to stop"
	}
	return strings.Join(waits, ", ")
}

// plight names f with its state and the reason.
func (f *Fiber) plight() string {
	if why := f.why(); why != "" {
		return f.name() + " is " + string(f.state) + " (" + why + ")"
	}
	return f.name() + " is " + string(f.state)
}
