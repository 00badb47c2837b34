package app

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"sync"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/settings"
)

// ModelSettings are the connections that a person saved. Keys are never in them: a
// connection names its key.
type ModelSettings struct {
	Default     string                `yaml:"default" doc:"The model of sessions that chose none, as connection/model."`
	Connections map[string]Connection `yaml:"connections" doc:"The ways to servers of models, by name."`
}

// ModelSection is the part of the settings that holds the [ModelSettings].
var ModelSection = settings.NewSection("models", "Where models are, and which one is taken by default.", ModelSettings{})

// savedConnections keeps the routes of the connections in the settings.
type savedConnections struct {
	*dialer
	fiber       *graph.Fiber
	routes      *llm.Routes
	document    *settings.Document
	credentials *settings.Credentials
	redactor    *settings.Redactor
	environ     func(string) string

	mu       sync.Mutex
	live     map[string]kept
	problems map[string]string // why a connection of the settings is not there
	standard kept              // what makes the default the default
}

// kept is a part that runs, with what it was made of.
type kept struct {
	fiber *graph.Fiber
	made  Connection
}

// saved is the plugin of the connections in the settings: one route each, changed as
// the settings are. A connection with a mistake is left out and says so; it keeps
// nothing else from starting.
func (d *dialer) saved(redactor *settings.Redactor, environ func(string) string) graph.Plugin {
	return graph.Plugin{
		Name:   "saved-connections",
		Doc:    "the connections that the person saved, and the commands that change and test them",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey), graph.Needs(settings.DocumentKey), graph.Needs(settings.CredentialsKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			routes, err1 := graph.Get(f, llm.RoutesKey)
			document, err2 := graph.Get(f, settings.DocumentKey)
			credentials, err3 := graph.Get(f, settings.CredentialsKey)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			s := &savedConnections{dialer: d, fiber: f, routes: routes, document: document, credentials: credentials, redactor: redactor, environ: environ, live: map[string]kept{}}
			document.Declare(f, ModelSection)
			settings.Changed.On(f, func(ctx context.Context, _ settings.Change) { s.reconcile(ctx) })
			s.reconcile(f.Context())
			s.offer(f)
			return nil
		},
	}
}

// reconcile brings the routes in line with the settings.
func (s *savedConnections) reconcile(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := settings.Get(s.document, ModelSection)
	s.problems = map[string]string{}
	for name, k := range s.live {
		if c, ok := want.Connections[name]; !ok || !reflect.DeepEqual(c.called(name), k.made) {
			s.end(ctx, k)
			delete(s.live, name)
		}
	}
	for name, c := range want.Connections {
		if _, runs := s.live[name]; runs {
			continue
		}
		c = c.called(name)
		err := c.Check()
		if err == nil {
			err = checkName(name)
		}
		if other, taken := s.find(name); err == nil && taken {
			err = fault.New(fault.Conflict, "app.connection", "There is a connection %s from %s already. Give this one another name.", name, other.origin())
		}
		if err == nil {
			err = s.begin(c)
		}
		if err != nil {
			s.problems[name] = fault.Person(err)
			s.fiber.Log().Warn("a saved connection is left out", "name", name, "error", err)
		}
	}
	if s.standard.made.Default != want.Default {
		s.end(ctx, s.standard)
		s.standard = kept{made: Connection{Default: want.Default}}
		if want.Default != "" {
			s.standard.fiber, _ = s.fiber.Plug("default model", graph.Plugin{Name: "default-model", Doc: "the model of sessions that chose none", Apply: func(f *graph.Fiber, _ any) error {
				s.routes.Suggest(f, want.Default)
				return nil
			}}, nil)
		}
	}
	s.changed.Ring()
}

// called is the connection under a name of the settings.
func (c Connection) called(name string) Connection {
	c.Name = name
	return c
}

func (s *savedConnections) begin(c Connection) error {
	f, err := s.fiber.Plug("connection "+c.Name, graph.Plugin{Name: "saved-connection", Doc: "the routes of one saved connection", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)},
		Apply: func(f *graph.Fiber, _ any) error { return s.register(f, s.routes, c, fromSettings) }}, nil)
	if err == nil {
		s.live[c.Name] = kept{f, c}
	}
	return err
}

func (s *savedConnections) end(ctx context.Context, k kept) {
	if k.fiber == nil {
		return
	}
	if err := k.fiber.Dispose(ctx); err != nil {
		s.fiber.Log().Warn("the routes of a connection are not all gone", "name", k.made.Name, "error", err)
	}
}

var nameOfConnection = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`) })

// checkName says what is wrong with the name of a saved connection: it is part of a
// key of the settings and of the names of routes.
func checkName(name string) error {
	if nameOfConnection().MatchString(name) {
		return nil
	}
	return fault.New(fault.Invalid, "app.connection", "%q is no name for a connection: it has letters, digits, - and _ only, at most 40. Nothing was changed.", name)
}

// origin says where a connection comes from, for a sentence.
func (e entered) origin() string {
	switch e.from {
	case fromEnv:
		return "the environment variable " + e.KeyEnv
	case fromRows:
		return "the configuration"
	}
	return "the settings"
}
