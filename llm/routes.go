package llm

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/graph"
)

// RoutesKey is the service that knows every way to a model.
var RoutesKey = graph.NewKey[*Routes]("llm.routes", "the ways to models, by the name a session stores")

// CodeModelUnavailable is the code of the error for a route that is not there. No
// other model is ever taken in its place.
const CodeModelUnavailable = "model-unavailable"

// Routes is the registry of routes. It may be used by any goroutine.
type Routes struct {
	mu      sync.Mutex
	routes  []Route // in the order of registration
	offers  []*offer
	prefer  []string
	learned map[string]learned
}

// learned is what an endpoint's refusals taught, kept while the process runs.
type learned struct {
	quirks Quirks
	window int
	source string // how the window is known
}

// NewRoutes makes an empty registry.
func NewRoutes() *Routes { return &Routes{learned: map[string]learned{}} }

// Plugin provides the registry.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name: "llm", Doc: "The registry of ways to models.",
		Provides: []graph.AnyKey{RoutesKey},
		Apply: func(f *graph.Fiber, _ any) error {
			return graph.Provide(f, RoutesKey, NewRoutes())
		},
	}
}

// Register adds a route for as long as f runs. A name that is taken is a conflict.
func (r *Routes) Register(f *graph.Fiber, route Route) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.find(route.Name) >= 0 {
		return fault.New(fault.Conflict, "llm.register", "There are two routes named %q. The second one was left out. Rename one of the connections.", route.Name)
	}
	r.routes = append(r.routes, route)
	f.Effect("route "+route.Name, func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.routes = slices.DeleteFunc(r.routes, func(o Route) bool { return o.Name == route.Name })
		delete(r.learned, route.Name)
		return nil
	})
	return nil
}

// offer is a connection that can make a route to any model id.
type offer struct {
	name  string
	route func(model string) Route
}

// Offer makes every name "connection/model" resolve for as long as f runs, whether
// or not that model was registered: an endpoint has more models than it lists, and
// it is asked for its list only when somebody wants to see it.
func (r *Routes) Offer(f *graph.Fiber, connection string, route func(model string) Route) error {
	o := &offer{connection, route}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.offered(connection) != nil {
		return fault.New(fault.Conflict, "llm.offer", "There are two connections named %q. The second one was left out. Rename one of them.", connection)
	}
	r.offers = append(r.offers, o)
	f.Effect("connection "+connection, func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.offers = slices.DeleteFunc(r.offers, func(other *offer) bool { return other == o })
		maps.DeleteFunc(r.learned, func(name string, _ learned) bool { return strings.HasPrefix(name, connection+"/") })
		return nil
	})
	return nil
}

func (r *Routes) offered(connection string) *offer {
	if i := slices.IndexFunc(r.offers, func(o *offer) bool { return o.name == connection }); i >= 0 {
		return r.offers[i]
	}
	return nil
}

// made gives the route of a name that a connection offers.
func (r *Routes) made(name string) (Route, bool) {
	connection, model, ok := strings.Cut(name, "/")
	if o := r.offered(connection); ok && model != "" && o != nil {
		return o.route(model), true
	}
	return Route{}, false
}

// Prefer makes a name the default for as long as f runs; of several, the last one.
// The route need not be there yet.
func (r *Routes) Prefer(f *graph.Fiber, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prefer = append(r.prefer, name)
	r.unprefer(f, name)
}

// Suggest makes a name the default for as long as f runs and nobody prefers another:
// what a person chose once and for all gives way to what this process was started for.
func (r *Routes) Suggest(f *graph.Fiber, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prefer = slices.Insert(r.prefer, 0, name)
	r.unprefer(f, name)
}

func (r *Routes) unprefer(f *graph.Fiber, name string) {
	f.Effect("default route "+name, func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.prefer, name); i >= 0 {
			r.prefer = slices.Delete(r.prefer, i, i+1)
		}
		return nil
	})
}

// Resolve gives the route of a name, with what was learned about it; the empty
// name is the default. A model's id will do where only one route has it. Anything
// else is a NotFound with [CodeModelUnavailable].
func (r *Routes) Resolve(_ context.Context, name string) (Route, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "" {
		if route, ok := r.standard(); ok {
			return r.taught(route), nil
		}
		return Route{}, r.unavailable(name)
	}
	if i := r.find(name); i >= 0 {
		return r.taught(r.routes[i]), nil
	}
	if route, ok := r.made(name); ok {
		return r.taught(route), nil
	}
	found := -1
	for i := range r.routes {
		if r.routes[i].Model.ID == name {
			if found >= 0 {
				return Route{}, r.unavailable(name)
			}
			found = i
		}
	}
	if found < 0 {
		return Route{}, r.unavailable(name)
	}
	return r.taught(r.routes[found]), nil
}

// List gives all routes in the order in which they came, with what was learned.
func (r *Routes) List() []Route {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Route, len(r.routes))
	for i, route := range r.routes {
		list[i] = r.taught(route)
	}
	return list
}

// Default gives the route for a session that chose none: the preferred one, else
// the first. A preferred route that is not there is not replaced by another.
func (r *Routes) Default() (Route, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	route, ok := r.standard()
	return r.taught(route), ok
}

// Learn keeps what a refusal teaches about a route: what it wants of a request,
// and the true size of its window.
func (r *Routes) Learn(name string, e *Error) {
	r.learn(name, func(l *learned) {
		l.quirks, _ = l.quirks.With(e.Wants)
		if e.Window > 0 {
			l.window, l.source = e.Window, SourceRefusal
		}
	})
}

// SourceRefusal marks a window that a server's refusal told.
const SourceRefusal = "refusal"

// LearnWindow keeps the true size of a route's window, in tokens, and how it is known.
func (r *Routes) LearnWindow(name string, window int, source string) {
	r.learn(name, func(l *learned) { l.window, l.source = window, source })
}

func (r *Routes) learn(name string, change func(*learned)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, made := r.made(name); !made && r.find(name) < 0 {
		return
	}
	l := r.learned[name]
	change(&l)
	r.learned[name] = l
}

func (r *Routes) taught(route Route) Route {
	l := r.learned[route.Name]
	route.Params.Quirks, _ = route.Params.Quirks.With(l.quirks)
	if l.window > 0 {
		route.Model.Window, route.Model.Source = l.window, l.source
	}
	return route
}

func (r *Routes) standard() (Route, bool) {
	if n := len(r.prefer); n > 0 {
		if i := r.find(r.prefer[n-1]); i >= 0 {
			return r.routes[i], true
		}
		return r.made(r.prefer[n-1])
	}
	if len(r.routes) == 0 {
		return Route{}, false
	}
	return r.routes[0], true
}

func (r *Routes) find(name string) int {
	return slices.IndexFunc(r.routes, func(o Route) bool { return o.Name == name })
}

func (r *Routes) unavailable(name string) error {
	if name == "" && len(r.prefer) > 0 {
		name = r.prefer[len(r.prefer)-1]
	}
	const op = "llm.resolve"
	var e *fault.Error
	switch {
	case name == "":
		e = fault.New(fault.NotFound, op, "There is no model. Nothing was sent. Add a connection to a server, or give its address with --base-url and its model with --model.")
	case len(r.routes) == 0:
		e = fault.New(fault.NotFound, op, "The model %q is not available: there is no connection. Nothing was sent. Add one, or start the local server.", name)
	default:
		names := make([]string, 0, 5)
		for _, route := range r.routes[:min(len(r.routes), cap(names))] {
			names = append(names, route.Name)
		}
		e = fault.New(fault.NotFound, op, "The model %q is not available. Nothing was sent. Choose another one, such as %s.", name, strings.Join(names, ", "))
	}
	return e.WithCode(CodeModelUnavailable)
}
