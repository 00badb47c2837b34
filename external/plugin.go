package external

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strconv"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/tool"
)

// Config configures the plugin. 0 stands for the default everywhere.
type Config struct {
	// Events is how many events of a run are kept in memory; 400.
	Events int `yaml:"events"`
	// Runs is how many runs are kept; 50.
	Runs int `yaml:"runs"`
	// Preview is how many characters of a prompt are shown; 280.
	Preview int `yaml:"preview"`
	// KeepMegabytes bounds what is kept on disk of one run's output; 64.
	KeepMegabytes int `yaml:"keepMegabytes"`
	// ReadMegabytes ends a run that prints more; 256.
	ReadMegabytes int `yaml:"readMegabytes"`
}

func (c Config) limits() Limits { return Limits{Events: c.Events, Runs: c.Runs, Preview: c.Preview} }

func (c Config) kept() int64 { return megabytes(c.KeepMegabytes, 64) }
func (c Config) read() int64 { return megabytes(c.ReadMegabytes, 256) }

func megabytes(n, standard int) int64 {
	if n == 0 {
		n = standard
	}
	return int64(n) << 20
}

// Plugin offers the agents of this machine to models and people. Nothing is looked for
// before somebody asks.
func Plugin(o Options) graph.Plugin {
	return graph.Plugin{
		Name:     "external",
		Doc:      "asks other products' agents: Claude Code, Codex, Grok",
		Inject:   []graph.Dependency{graph.Needs(sandbox.Key), graph.Needs(tool.RegistryKey), graph.Optional(settings.DocumentKey), graph.Optional(session.LibraryKey)},
		Provides: []graph.AnyKey{Key},
		Config:   func() any { return &Config{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := *cfg.(*Config)
			if min(c.Events, c.Runs, c.Preview, c.KeepMegabytes, c.ReadMegabytes) < 0 {
				return fault.New(fault.Invalid, "external.plugin", "The bounds of the row external cannot be negative; 0 stands for the default.")
			}
			box, err1 := graph.Get(f, sandbox.Key)
			registry, err2 := graph.Get(f, tool.RegistryKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			read := func() Settings { return Settings{} }
			if d, err := graph.Get(f, settings.DocumentKey); err == nil {
				d.Declare(f, Section)
				read = func() Settings { return settings.Get(d, Section) }
			}
			a := newAgents(o, c, box, read, f.Log())
			if lib, err := graph.Get(f, session.LibraryKey); err == nil {
				a.library = lib
			}
			f.Effect("runs of external agents", func(context.Context) error {
				a.Table.stopAll()
				return nil
			})
			offer(f, a)
			if err := registry.Register(f, harnessCall{a}); err != nil {
				return err
			}
			return graph.Provide(f, Key, a)
		},
	}
}

// offer registers what people see and do.
func offer(f *graph.Fiber, a *Agents) {
	command.RegisterViews(f,
		command.View{
			Name: "external", Scope: command.Host, Summary: "The external agents: which are installed, their versions, and whether somebody is signed in.",
			Read: func(ctx context.Context, _ command.Query) (any, error) {
				return map[string]any{"agents": a.Found(ctx)}, nil
			},
		},
		command.View{
			Name: "runs", Scope: command.Host, Params: []string{"run", "since"},
			Summary: "The runs of external agents; with run one of them, with its events after the number since.",
			Read: func(_ context.Context, q command.Query) (any, error) {
				since, err := sinceOf(q)
				if err != nil {
					return nil, err
				}
				return a.Table.read(q.Params["run"], since)
			},
			Watch: a.Table.watch,
		})
	command.Register(f, command.Command{Name: "external.stop", Scope: command.Host, Summary: "stops a run of an external agent",
		Params: json.RawMessage(`{"type":"object","properties":{"run":{"type":"string"}},"required":["run"],"additionalProperties":false}`),
		Run: func(_ context.Context, call command.Call) (any, error) {
			var args struct{ Run string }
			if err := json.Unmarshal(call.Args, &args); err != nil {
				return nil, fault.Wrap(fault.Invalid, "external.stop", err, "The call names no run. Nothing was stopped.")
			}
			return nil, a.Table.Stop(args.Run)
		}})
}

func sinceOf(q command.Query) (int64, error) {
	text := q.Params["since"]
	if text == "" {
		return 0, nil
	}
	since, err := strconv.ParseInt(text, 10, 64)
	if err != nil || since < 0 {
		return 0, fault.New(fault.Invalid, "external.runs", "since is the number of an event, and %q is none.", text)
	}
	return since, nil
}

// read is the value of the view runs.
func (t *Table) read(run string, since int64) (any, error) {
	if run == "" {
		return map[string]any{"runs": t.List()}, nil
	}
	return t.Get(run, since)
}

// watch tells of changes. Of one run it tells every event once, as long as it is in memory.
func (t *Table) watch(ctx context.Context, q command.Query) iter.Seq2[any, error] {
	since, err := sinceOf(q)
	return follow(ctx, t, func() (any, error) {
		if err != nil {
			return nil, err
		}
		v, err := t.read(q.Params["run"], since)
		if r, ok := v.(Run); ok && len(r.Events) > 0 {
			since = r.Events[len(r.Events)-1].Seq
		}
		return v, err
	})
}

// stopAll ends every run that goes on.
func (t *Table) stopAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		r.stop(errStopped)
	}
}
