package local

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"sync"
	"time"

	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm"
)

// Options are what the plugin needs of who composes the product.
type Options struct {
	// Client asks the servers. It must not have a timeout of its own.
	Client *http.Client
	// Adapter makes the adapter for a server and gives the name of its wire.
	Adapter func(s *Server) (adapter llm.Adapter, wire string, err error)
}

// Config says where and how often to look.
type Config struct {
	// Addresses are asked; empty means [Addresses].
	Addresses []string `yaml:"addresses"`
	// Every is the pause between two looks; 0 means 10 s.
	Every time.Duration `yaml:"every"`
}

const (
	standardPause = 10 * time.Second
	// misses is how many looks in a row a server may fail before its routes go: a
	// busy one may be slow to answer.
	misses = 3
	// kept is how many samples the history holds, an hour at the standard pause.
	kept = 360
)

// Plugin finds servers of models on this machine for as long as it runs, registers a
// route for each of their models, and shows what they do as the view "engines".
func Plugin(opt Options) graph.Plugin {
	return graph.Plugin{
		Name:   "local-servers",
		Doc:    "Finds servers of models on this machine and keeps routes to their models.",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)},
		Config: func() any { return &Config{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := *cfg.(*Config)
			if len(c.Addresses) == 0 {
				c.Addresses = Addresses()
			}
			if c.Every <= 0 {
				c.Every = standardPause
			}
			l := &lookout{opt: opt, config: c, fiber: f, known: map[string]*engine{}, changed: make(chan struct{})}
			command.RegisterViews(f, command.View{
				Name: "engines", Scope: command.Host, Summary: "The servers of models on this machine, what they can and what they do.",
				Read: func(context.Context, command.Query) (any, error) { return l.read(), nil }, Watch: l.watch,
			})
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.run(f.Context())
			}()
			f.Effect("looking for local servers", func(ctx context.Context) error {
				select {
				case <-done:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			return nil
		},
	}
}

// Engine is one server as the view shows it.
type Engine struct {
	*Server
	Name    string   `json:"name"`
	Now     Figures  `json:"now"`
	History []Sample `json:"history"`
}

// Sample is what a server did at a moment, in Unix milliseconds.
type Sample struct {
	At int64 `json:"at"`
	Figures
}

// lookout keeps the known servers.
type lookout struct {
	opt    Options
	config Config
	fiber  *graph.Fiber

	mu      sync.Mutex
	known   map[string]*engine // by root
	order   []string
	changed chan struct{} // closed and replaced at each change
}

type engine struct {
	server  *Server
	name    string
	fiber   *graph.Fiber
	missed  int
	history []Sample
}

func (l *lookout) run(ctx context.Context) {
	tick := time.NewTicker(l.config.Every)
	defer tick.Stop()
	for {
		l.look(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look asks all addresses once and brings the routes up to date.
func (l *lookout) look(ctx context.Context) {
	found := map[string]*Server{}
	for _, s := range Find(ctx, l.opt.Client, l.config.Addresses) {
		found[s.Root] = s
	}
	if ctx.Err() != nil {
		return
	}
	for root, e := range l.known {
		if found[root] == nil {
			if e.missed++; e.missed >= misses {
				l.forget(ctx, e)
			}
		}
	}
	for _, address := range l.config.Addresses {
		if s := found[address]; s != nil {
			l.update(ctx, s)
		}
	}
	l.mu.Lock()
	close(l.changed)
	l.changed = make(chan struct{})
	l.mu.Unlock()
}

func (l *lookout) update(ctx context.Context, s *Server) {
	e := l.known[s.Root]
	switch {
	case e == nil:
		e = &engine{server: s, name: l.name(s)}
		l.mu.Lock()
		l.known[s.Root] = e
		l.order = append(l.order, s.Root)
		l.mu.Unlock()
		l.plug(e)
	case !sameServer(e.server, s):
		l.unplug(ctx, e)
		l.mu.Lock()
		e.server = s
		l.mu.Unlock()
		l.plug(e)
	}
	figures, err := s.Figures(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	e.missed = 0
	if err == nil {
		e.history = append(e.history[max(0, len(e.history)-kept+1):], Sample{At: time.Now().UnixMilli(), Figures: figures})
	}
}

func sameServer(a, b *Server) bool {
	return a.Kind == b.Kind && a.Loading == b.Loading && reflect.DeepEqual(a.Models, b.Models)
}

// name gives a server the first part of its routes' names: its kind, with the port
// where another server of the kind was there before.
func (l *lookout) name(s *Server) string {
	name := s.Name()
	for _, e := range l.known {
		if e.name == name {
			if u, err := url.Parse(s.Root); err == nil {
				return fmt.Sprintf("%s-%s", name, u.Port())
			}
		}
	}
	return name
}

// plug registers the routes of a server in a fiber of their own.
func (l *lookout) plug(e *engine) {
	s := e.server
	if len(s.Models) == 0 {
		return
	}
	fiber, err := l.fiber.Plug("server "+e.name, graph.Plugin{
		Name: "local-server", Doc: "The routes to the models of one server.",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			adapter, wire, err := l.opt.Adapter(s)
			if err != nil {
				return err
			}
			for _, m := range s.Models {
				r := llm.Route{Name: e.name + "/" + m.ID, Model: m, Adapter: adapter, Wire: wire, Local: true}
				if s.CanCount() {
					r.Counter = s
				}
				if err := routes.Register(f, r); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil)
	if err != nil {
		l.fiber.Log().Warn("a local server was found but not used", "server", s.Root, "error", err)
		return
	}
	e.fiber = fiber
}

func (l *lookout) unplug(ctx context.Context, e *engine) {
	if e.fiber == nil {
		return
	}
	if err := e.fiber.Dispose(ctx); err != nil {
		l.fiber.Log().Warn("the routes of a local server are not all gone", "server", e.server.Root, "error", err)
	}
	e.fiber = nil
}

func (l *lookout) forget(ctx context.Context, e *engine) {
	l.unplug(ctx, e)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, e.server.Root)
	for i, root := range l.order {
		if root == e.server.Root {
			l.order = append(l.order[:i:i], l.order[i+1:]...)
			return
		}
	}
}

func (l *lookout) read() []Engine {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Engine, 0, len(l.order))
	for _, root := range l.order {
		e := l.known[root]
		show := Engine{Server: e.server, Name: e.name, History: append([]Sample(nil), e.history...)}
		if n := len(e.history); n > 0 {
			show.Now = e.history[n-1].Figures
		}
		list = append(list, show)
	}
	return list
}

func (l *lookout) watch(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for {
			l.mu.Lock()
			changed := l.changed
			l.mu.Unlock()
			if !yield(l.read(), nil) {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}
