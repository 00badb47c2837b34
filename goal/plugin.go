package goal

import (
	"context"
	"errors"
	"sync"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/settings"
	"fairlead/tool"
)

// Options are what a process gives to the room. Mark names the process at random:
// a goal goes on by itself in the one in which a person set or resumed it.
type Options struct{ Mark string }

// Config configures the row of goals.
type Config struct {
	// Rounds is how many rounds a goal may take, 1 to 256; 0 means 256.
	Rounds int `yaml:"rounds"`
}

// key is where the row of goals is found by that of the command.
var key = graph.NewKey[*driver]("goal.driver", "changes goals and begins their rounds")

// Plugins are the rows of this room: what pursues goals, and the command /goal, which
// says so where that is switched off.
func Plugins(o Options) []graph.Plugin { return []graph.Plugin{pursuing(o), commanding()} }

func pursuing(o Options) graph.Plugin {
	return graph.Plugin{
		Name:     "goals",
		Doc:      "pursues a goal of the person's, round after round",
		Inject:   []graph.Dependency{graph.Needs(agent.HostKey), graph.Needs(tool.RegistryKey), graph.Optional(settings.DocumentKey)},
		Provides: []graph.AnyKey{key},
		Config:   func() any { return &Config{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := *cfg.(*Config)
			if c.Rounds < 0 || c.Rounds > MaxRounds {
				return fault.New(fault.Invalid, "goal.plugin", "rounds is %d; it goes from 1 to %d, and 0 means that.", c.Rounds, MaxRounds)
			}
			if c.Rounds == 0 {
				c.Rounds = MaxRounds
			}
			host, err1 := graph.Get(f, agent.HostKey)
			tools, err2 := graph.Get(f, tool.RegistryKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			d := &driver{host: host, tools: tools, goal: Of(o.Mark), mark: o.Mark, max: c.Rounds, log: f.Log(), off: func() bool { return false }}
			if document, err := graph.Get(f, settings.DocumentKey); err == nil {
				d.off = func() bool { return tool.IsOff(document, "goals") }
			}
			if err := errors.Join(tools.Register(f, d.done()), tools.Register(f, d.blocked())); err != nil {
				return err
			}
			d.listen(f)
			return graph.Provide(f, key, d)
		},
	}
}

// listen hears what sessions do.
func (d *driver) listen(f *graph.Fiber) {
	var begun sync.WaitGroup
	agent.Opening.On(f, func(ctx context.Context, o agent.Opened) {
		if err := disarm(ctx, o.Log); err != nil {
			d.log.Error("a round that waited could not be taken back", "session", o.Log.ID(), "error", err)
		}
	})
	agent.PreStep.On(f, d.tell)
	agent.TurnEnded.On(f, d.ended)
	agent.Cancelling.On(f, d.stopping)
	agent.Rested.On(f, func(_ context.Context, a *agent.Agent) {
		begun.Go(func() { d.rested(f.Context(), a) })
	})
	f.Effect("beginning rounds", func(context.Context) error { begun.Wait(); return nil })
}

func commanding() graph.Plugin {
	return graph.Plugin{
		Name:   "goal-command",
		Doc:    "lets people set and end goals, or says that they are switched off",
		Inject: []graph.Dependency{graph.Optional(key)},
		Apply: func(f *graph.Fiber, _ any) error {
			d, err := graph.Get(f, key)
			if err != nil && !fault.Is(err, fault.Unavailable) {
				return err
			}
			command.Register(f, verb(d))
			return nil
		},
	}
}
