package tool

import (
	"context"
	"log/slog"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
)

// RegistryKey names the one registry of a process.
var RegistryKey = graph.NewKey[*Registry]("tool.registry", "registers tools and runs every call through the pipeline")

// Options of a registry. The zero value works.
type Options struct {
	// Log hears of defects in tools; nil discards.
	Log *slog.Logger
}

// Registry knows which tools are seen where, and runs calls of them. Slices
// register into it; the agent loop and whoever else has calls made runs them with
// [Registry.Batch] and [Registry.Execute].
type Registry struct {
	log *slog.Logger

	naming  sync.Mutex // held while ids of calls are given out
	mu      sync.Mutex
	tools   map[*graph.Realm][]*entry
	filters map[*graph.Realm][]*Filter
	guards  map[*graph.Realm][]*guard
	// reservations are looked at with every request: mostly there is none
	reservations map[*graph.Realm][]*Reservation
	views        map[*graph.Realm][]*entry // as worked out since the last change
	lanes        map[laneKey]*lane
}

// entry is a registered tool.
type entry struct {
	tool   Tool
	schema llm.ToolSchema
	check  *schema
	by     string // the path of the fiber that registered it
}

// New makes an empty registry.
func New(o Options) *Registry {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Registry{log: o.Log, tools: map[*graph.Realm][]*entry{}, filters: map[*graph.Realm][]*Filter{}, guards: map[*graph.Realm][]*guard{}, reservations: map[*graph.Realm][]*Reservation{},
		views: map[*graph.Realm][]*entry{}, lanes: map[laneKey]*lane{}}
}

// validName is what every provider takes as the name of a function.
var validName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
})

// Register makes a tool seen in f's realm and the realms below, until f stops. It
// fails with fault.Invalid for a name that providers refuse and with
// fault.Conflict for one that is seen in f's realm already: a tool that comes
// later cannot take the place of another.
func (r *Registry) Register(f *graph.Fiber, t Tool) error {
	s := t.Schema()
	if !validName().MatchString(s.Name) {
		return fault.New(fault.Invalid, "tool.register", "%q cannot be a tool's name: letters, digits, _ and -, at most 64 of them.", s.Name)
	}
	e := &entry{tool: t, schema: s, by: f.Path(), check: &schema{tool: s.Name, text: s.Parameters}}
	realm := f.Realm()
	r.mu.Lock()
	for up := realm; up != nil; up = up.Parent() {
		if slices.ContainsFunc(r.tools[up], func(o *entry) bool { return o.schema.Name == s.Name }) {
			r.mu.Unlock()
			return fault.New(fault.Conflict, "tool.register", "There is a tool %q already; the second one was not registered.", s.Name)
		}
	}
	r.tools[realm] = append(r.tools[realm], e)
	clear(r.views)
	r.mu.Unlock()
	f.Effect("tool "+s.Name, func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		remove(r.tools, realm, e)
		clear(r.views)
		return nil
	})
	return nil
}

// Filter narrows what is seen of the tools of outer realms. Names may hold * for
// any text. An empty Allow allows all; Deny wins.
type Filter struct {
	Allow, Deny []string
	// Rows are ids of fibers, such as rows of the configuration: tools that one of
	// them, or a fiber below it, registered are not seen.
	Rows []string
	// Inner narrows the tools of the realm itself, too.
	Inner bool
}

func (f *Filter) admits(e *entry) bool {
	name := e.schema.Name
	if slices.ContainsFunc(f.Rows, func(row string) bool { return slices.Contains(strings.Split(e.by, "/"), row) }) {
		return false
	}
	matches := func(pattern string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }
	return (len(f.Allow) == 0 || slices.ContainsFunc(f.Allow, matches)) && !slices.ContainsFunc(f.Deny, matches)
}

// Restrict narrows which tools registered in outer realms are seen in f's realm
// and below, until f stops. Several filters intersect. Tools of f's own realm are
// not touched, unless the filter says so: whoever restricts a realm also fills it.
func (r *Registry) Restrict(f *graph.Fiber, filter Filter) error {
	for _, pattern := range slices.Concat(filter.Allow, filter.Deny) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fault.Wrap(fault.Invalid, "tool.restrict", err, "%q is no pattern of tool names.", pattern)
		}
	}
	realm, own := f.Realm(), &filter
	r.mu.Lock()
	r.filters[realm] = append(r.filters[realm], own)
	clear(r.views)
	r.mu.Unlock()
	f.Effect("restricts tools", func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		remove(r.filters, realm, own)
		clear(r.views)
		return nil
	})
	return nil
}

func remove[T comparable](lists map[*graph.Realm][]T, realm *graph.Realm, item T) {
	rest := slices.DeleteFunc(slices.Clone(lists[realm]), func(o T) bool { return o == item })
	if lists[realm] = rest; len(rest) == 0 {
		delete(lists, realm)
	}
}

// mostViews bounds the memory of realms looked at since the last change.
const mostViews = 256

// view gives what is seen in a realm, by name. The slice is shared, not to be changed.
func (r *Registry) view(realm *graph.Realm) []*entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seen, ok := r.views[realm]; ok {
		return seen
	}
	nearest := map[string]*entry{}
	var filters []*Filter
	for up := realm; up != nil; up = up.Parent() {
		for _, f := range r.filters[up] {
			if f.Inner {
				filters = append(filters, f)
			}
		}
		for _, e := range r.tools[up] {
			if nearest[e.schema.Name] == nil && !slices.ContainsFunc(filters, func(f *Filter) bool { return !f.admits(e) }) {
				nearest[e.schema.Name] = e
			}
		}
		for _, f := range r.filters[up] {
			if !f.Inner {
				filters = append(filters, f)
			}
		}
	}
	seen := make([]*entry, 0, len(nearest))
	for _, e := range nearest {
		seen = append(seen, e)
	}
	slices.SortFunc(seen, func(a, b *entry) int { return strings.Compare(a.schema.Name, b.schema.Name) })
	if len(r.views) >= mostViews {
		clear(r.views)
	}
	r.views[realm] = seen
	return seen
}

func (r *Registry) find(realm *graph.Realm, name string) *entry {
	seen := r.view(realm)
	i, ok := slices.BinarySearchFunc(seen, name, func(e *entry, name string) int { return strings.Compare(e.schema.Name, name) })
	if !ok {
		return nil
	}
	return seen[i]
}

// View lists the tools that are seen in a realm, by name. What is not in it cannot
// be called there.
func (r *Registry) View(realm *graph.Realm) []Tool {
	seen := r.view(realm)
	tools := make([]Tool, len(seen))
	for i, e := range seen {
		tools[i] = e.tool
	}
	return tools
}

// Schemas describes the tools seen in a realm to a model, by name, but for rare and
// reserved ones; the same tools give the same bytes.
func (r *Registry) Schemas(realm *graph.Realm) []llm.ToolSchema {
	kept := r.reservation(realm)
	return r.schemas(realm, func(e *entry) bool { return !isRare(e.tool) && !kept.keeps(e.schema.Name) })
}

// Reserved describes the reserved tools seen in a realm, by name, but for rare ones.
func (r *Registry) Reserved(realm *graph.Realm) []llm.ToolSchema {
	kept := r.reservation(realm)
	return r.schemas(realm, func(e *entry) bool { return !isRare(e.tool) && kept.keeps(e.schema.Name) })
}

func (r *Registry) schemas(realm *graph.Realm, shown func(*entry) bool) []llm.ToolSchema {
	seen := r.view(realm)
	schemas := make([]llm.ToolSchema, 0, len(seen))
	for _, e := range seen {
		if shown(e) {
			schemas = append(schemas, e.schema)
		}
	}
	return schemas
}

// guard is a registered check.
type guard struct {
	name  string
	check func(context.Context, *Call) error
}

// Guard adds a check of every call made in f's realm and below, until f stops. It
// runs before and after approval and can only deny: an error is the reason that
// the model reads, nil leaves the decision to the others. A panic denies too, and
// the guard stays: a broken lock is not an open door.
func (r *Registry) Guard(f *graph.Fiber, check func(context.Context, *Call) error) {
	g, realm := &guard{f.Path(), check}, f.Realm()
	r.mu.Lock()
	r.guards[realm] = append(r.guards[realm], g)
	r.mu.Unlock()
	f.Effect("guards calls", func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		remove(r.guards, realm, g)
		return nil
	})
}

// guarded asks the guards of a realm; the first denial is the outcome.
func (r *Registry) guarded(ctx context.Context, realm *graph.Realm, call *Call) error {
	r.mu.Lock()
	var all []*guard
	for up := realm; up != nil; up = up.Parent() {
		all = append(all, r.guards[up]...)
	}
	r.mu.Unlock()
	for _, g := range all {
		if err := r.ask(ctx, g, call); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) ask(ctx context.Context, g *guard, call *Call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("a guard panicked; the call is denied", "guard", g.name, "tool", call.Tool, "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "tool.guard", "a check of it failed unexpectedly")
		}
	}()
	return g.check(ctx, call)
}

// Find gives the tool of a name that is seen in a realm, nil where there is none.
func (r *Registry) Find(realm *graph.Realm, name string) Tool {
	if e := r.find(realm, name); e != nil {
		return e.tool
	}
	return nil
}
