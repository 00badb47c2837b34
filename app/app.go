package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"fairlead/agent"
	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// Options say what process to boot.
type Options struct {
	// Home is Fairlead's home folder, absolute; see [HomeOf].
	Home string
	// Profile names the bundles to start from; Rows and Patches are files, as in
	// [config.Options].
	Profile string
	Rows    string
	Patches []string
	// Flags are rows that the command line itself asks for, as the text of a patch;
	// they are laid over everything else.
	Flags string
	// Environ looks up a variable of the environment; nil finds none.
	Environ func(name string) string
	Version string
	// Log hears what goes on; nil discards.
	Log *slog.Logger
}

// App is a running process: the graph that its profile asked for.
type App struct {
	options Options
	home    Home
	tree    *config.Tree
	table   config.Table
	graph   *graph.Graph
	client  *http.Client
}

// ShutdownLimit is how long running turns get to end durably when a process stops.
const ShutdownLimit = 5 * time.Second

// Boot starts a process. Where a row cannot start, nothing stays, and the error says
// which one, what it waits for and who could provide it.
func Boot(ctx context.Context, o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = func(string) string { return "" }
	}
	a := &App{options: o, client: newClient()}
	var err error
	if a.home, err = OpenHome(o.Home); err != nil {
		return nil, err
	}
	if a.tree, err = config.Load(config.Options{Home: o.Home, Profile: o.Profile, Rows: o.Rows, Patches: o.Patches, Flags: o.Flags}); err != nil {
		return nil, err
	}
	for _, w := range a.tree.Warnings {
		o.Log.Warn("a patch matches nothing", "at", w.At.String(), "what", w.Text)
	}
	if a.table, err = a.plugins(); err != nil {
		return nil, err
	}
	rows, err := config.Resolve(a.tree.Rows, a.table)
	if err != nil {
		return nil, err
	}
	a.graph = graph.New(graph.Options{Log: o.Log})
	if err = config.Mount(a.graph.Root(), rows); err == nil {
		if err = a.graph.Settle(ctx); err == nil {
			err = a.audit()
		}
	}
	if err != nil {
		return nil, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	return a, nil
}

// Tree is the effective configuration.
func (a *App) Tree() *config.Tree { return a.tree }

// Home is the process's home folder.
func (a *App) Home() Home { return a.home }

// Graph is the live graph.
func (a *App) Graph() *graph.Graph { return a.graph }

// Host keeps the agents. It fails where the profile has no row that provides it.
func (a *App) Host() (*agent.Host, error) { return need(a, agent.HostKey) }

// Library keeps the sessions.
func (a *App) Library() (*session.Library, error) { return need(a, session.LibraryKey) }

func need[T any](a *App, k graph.Key[T]) (T, error) {
	v, ok := graph.Lookup(a.graph.Root().Realm(), k)
	if !ok {
		return v, fault.New(fault.Unavailable, "app.need", "The profile %q has no row that provides %s. Nothing was started; choose another profile.", a.tree.Profile, k.Name())
	}
	return v, nil
}

// ModelReady checks, before a session is made, that there is a model of that name;
// the empty name is the default. Nothing is asked of a server.
func (a *App) ModelReady(ctx context.Context, name string) error {
	routes, err := need(a, llm.RoutesKey)
	if err != nil {
		return err
	}
	_, err = routes.Resolve(ctx, name)
	if err != nil && name == "" {
		// There is nothing to choose from: that is the configuration's fault, not a model's.
		return fault.New(fault.Invalid, "app.model", "%s", fault.Person(err)).WithCode("no-model")
	}
	return err
}

// Close stops the process's work: agents first, each turn with a durable end as far
// as ctx and [ShutdownLimit] give it time, then everything else.
func (a *App) Close(ctx context.Context) error {
	var err error
	if host, ok := graph.Lookup(a.graph.Root().Realm(), agent.HostKey); ok {
		drain, cancel := context.WithTimeout(ctx, ShutdownLimit)
		err = host.Shutdown(drain)
		cancel()
	}
	err = errors.Join(err, a.graph.Close(ctx))
	a.client.CloseIdleConnections()
	return err
}
