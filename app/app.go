package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/config"
	"fairlead/external"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/mcp"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/web"
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
	// Env is the whole environment, "NAME=value" each; children get the part of it that
	// the sandbox passes on.
	Env     []string
	Version string
	// Web is the way to the web; the zero value is this machine's own.
	Web web.Network
	// Log hears what goes on; nil discards.
	Log *slog.Logger
}

// App is a running process: the graph that its profile asked for.
type App struct {
	options  Options
	home     Home
	table    config.Table
	presets  *config.Presets
	graph    *graph.Graph
	live     *config.Live
	client   *http.Client
	redactor *settings.Redactor
	dial     *dialer

	// follow ends before the graph closes, and following waits for what it ends.
	follow     context.Context
	stopFollow context.CancelFunc
	following  sync.WaitGroup
}

// ShutdownLimit is how long running turns get to end durably when a process stops.
const ShutdownLimit = 5 * time.Second

// followEvery is how often the files of the configuration are looked at.
const followEvery = 500 * time.Millisecond

// Boot starts a process. Where a row cannot start, nothing stays, and the error says
// which one, what it waits for and who could provide it. While it runs, edits of its
// configuration files are applied, or refused with the reason.
func Boot(ctx context.Context, o Options) (*App, error) {
	a, err := boot(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	a.following.Go(func() { a.live.Watch(a.follow, followEvery) })
	return a, nil
}

// Part starts only the rows of some plugins, for verbs that need no more of the
// product. Edits of the configuration are not followed.
func Part(ctx context.Context, o Options, plugins ...string) (*App, error) {
	return boot(ctx, o, plugins)
}

// boot starts the rows of a profile, where plugins are named only theirs.
func boot(ctx context.Context, o Options, plugins []string) (*App, error) {
	a, err := prepare(o)
	if err != nil {
		return nil, err
	}
	if a.home, err = OpenHome(o.Home); err != nil {
		return nil, err
	}
	tree, rows, err := a.load()
	if err != nil {
		return nil, err
	}
	if plugins != nil {
		rows = slices.DeleteFunc(rows, func(r config.Resolved) bool { return !slices.Contains(plugins, r.Of.Name) })
	}
	a.graph = graph.New(graph.Options{Log: a.options.Log})
	a.live = config.NewLive(o.Sources(), a.table, a.graph.Root(), tree, rows)
	if err = config.Mount(a.graph.Root(), rows); err == nil {
		if err = a.graph.Settle(ctx); err == nil {
			err = config.Audit(a.graph.Inventory(), a.table)
		}
	}
	if err != nil {
		err = fault.Wrap(fault.KindOf(err), "app.boot", err, "The profile %q cannot start:\n%s\nNothing was started; enable what is missing, or disable the rows named.", tree.Profile, fault.Person(err))
		return nil, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	return a, nil
}

// prepare makes an app that has started nothing.
func prepare(o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Environ == nil {
		o.Environ = func(string) string { return "" }
	}
	a := &App{options: o, home: Home(o.Home), client: newClient(), redactor: &settings.Redactor{}, presets: &config.Presets{Home: o.Home}}
	a.follow, a.stopFollow = context.WithCancel(context.Background())
	a.options.Log = slog.New(a.redactor.Handler(o.Log.Handler()))
	var err error
	a.table, err = a.plugins()
	a.presets.Table = a.table
	return a, err
}

// Sources are the options of the configuration.
func (o Options) Sources() config.Options {
	return config.Options{Home: o.Home, Profile: o.Profile, Rows: o.Rows, Patches: o.Patches, Flags: o.Flags}
}

func (a *App) load() (*config.Tree, []config.Resolved, error) {
	tree, err := config.Load(a.options.Sources())
	if err != nil {
		return nil, nil, err
	}
	for _, w := range tree.Warnings {
		a.options.Log.Warn("a patch matches nothing", "at", w.At.String(), "what", w.Text)
	}
	rows, err := config.Resolve(tree.Rows, a.table)
	return tree, rows, err
}

// Tree is the effective configuration.
func (a *App) Tree() *config.Tree { return a.live.Report().Tree }

// Reload reads the files of the configuration again now, as it happens by itself a
// moment after an edit; see [config.Live.Reload].
func (a *App) Reload(ctx context.Context) error { return a.live.Reload(ctx) }

// Home is the process's home folder.
func (a *App) Home() Home { return a.home }

// Graph is the live graph.
func (a *App) Graph() *graph.Graph { return a.graph }

// Host keeps the agents. It fails where the profile has no row that provides it.
func (a *App) Host() (*agent.Host, error) { return need(a, agent.HostKey) }

// Library keeps the sessions.
func (a *App) Library() (*session.Library, error) { return need(a, session.LibraryKey) }

// Servers are the person's MCP servers.
func (a *App) Servers() (*mcp.Servers, error) { return need(a, mcp.Key) }

// Agents are the external agents.
func (a *App) Agents() (*external.Agents, error) { return need(a, external.Key) }

func need[T any](a *App, k graph.Key[T]) (T, error) {
	v, ok := graph.Lookup(a.graph.Root().Realm(), k)
	if !ok {
		return v, fault.New(fault.Unavailable, "app.need", "The profile %q has no row that provides %s. Nothing was started; choose another profile.", a.Tree().Profile, k.Name())
	}
	return v, nil
}

// Do carries out a command of the process. Its arguments are written as JSON.
func (a *App) Do(ctx context.Context, name string, args any) (any, error) {
	c, ok := command.Find(ctx, a.graph.Root().Realm(), name)
	if !ok {
		return nil, fault.New(fault.Unavailable, "app.command", "The profile %q has no part that can do %s. Nothing was changed; choose another profile.", a.Tree().Profile, name)
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, command.Call{Args: text})
}

// Show reads a view of the process.
func (a *App) Show(ctx context.Context, name string) (any, error) {
	v, ok := command.FindView(ctx, a.graph.Root().Realm(), name)
	if !ok {
		return nil, fault.New(fault.Unavailable, "app.view", "The profile %q has no part that shows %s. Choose another profile.", a.Tree().Profile, name)
	}
	return v.Read(ctx, command.Query{})
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
	a.stopFollow()
	a.following.Wait()
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
