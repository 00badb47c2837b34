package subagent

import (
	"cmp"
	"context"
	"errors"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// Config configures the row.
type Config struct {
	// AtOnce is how many helpers may work at once on one model; 0 takes as many as its
	// server takes requests, and at least four on this machine, eight elsewhere.
	AtOnce int `yaml:"atOnce"`
	// Depth is how far down helpers may have helpers; 0 means 3.
	Depth int `yaml:"depth"`
	// Steps and Tokens are what a helper may use up in one piece of work where it was
	// given nothing else; 0 is no limit.
	Steps  int `yaml:"steps"`
	Tokens int `yaml:"tokens"`
}

func (c Config) depth() int { return cmp.Or(c.Depth, 3) }

// budget is what a helper gets: what was asked for, no more than the row says.
func (c Config) budget(o order) Budget {
	least := func(asked, most int) int {
		if asked == 0 || most > 0 && most < asked {
			return most
		}
		return asked
	}
	return Budget{Steps: least(o.Steps, c.Steps), Tokens: least(o.Tokens, c.Tokens)}
}

func (c Config) check() error {
	if c.AtOnce < 0 || c.Depth < 0 || c.Steps < 0 || c.Tokens < 0 {
		return fault.New(fault.Invalid, "subagent.plugin", "A limit of helpers cannot be negative; 0 is the usual one.")
	}
	return nil
}

// Plugin lets agents have helpers.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name:   "helpers",
		Doc:    "lets an agent have others work for it",
		Inject: []graph.Dependency{graph.Needs(agent.HostKey), graph.Needs(session.LibraryKey), graph.Needs(llm.RoutesKey), graph.Needs(tool.RegistryKey)},
		Config: func() any { return &Config{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			config := *cfg.(*Config)
			host, err1 := graph.Get(f, agent.HostKey)
			library, err2 := graph.Get(f, session.LibraryKey)
			routes, err3 := graph.Get(f, llm.RoutesKey)
			registry, err4 := graph.Get(f, tool.RegistryKey)
			if err := errors.Join(config.check(), err1, err2, err3, err4); err != nil {
				return err
			}
			ctx, stop := context.WithCancel(f.Context())
			c := &crew{host: host, library: library, routes: routes, config: config, ctx: ctx, log: f.Log()}
			f.Effect("helpers at work", func(context.Context) error {
				stop()
				c.running.Wait()
				return nil
			})
			c.listen(f)
			for _, a := range host.All() { // loaded while sessions are open
				c.woken(ctx, a)
			}
			return errors.Join(registry.Register(f, starter{c}), registry.Register(f, sender{c}), registry.Register(f, stopper{c}), registry.Register(f, lister{c}), registry.Register(f, models{c}))
		},
	}
}

// listen puts the crew on the seams of the loop.
func (c *crew) listen(f *graph.Fiber) {
	waiting := &queues{routes: map[string]*queue{}}
	agent.Stream.On(f, waiting.stream)
	agent.PreStep.On(f, c.preStep)
	agent.TurnStopping.On(f, c.turnStopping)
	agent.Rested.On(f, c.rested)
	agent.Woken.On(f, c.woken)
	agent.Cancelling.On(f, c.cancelling)
	agent.Pending.On(f, c.pending)
}
