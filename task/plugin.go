package task

import (
	"context"
	"sync"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
)

// Config configures the plugin.
type Config struct {
	// AtOnce is how many runs go on at the same time; others wait. 0 means 2.
	AtOnce int `yaml:"atOnce"`
	// Asked keeps tasks from firing by themselves: they run when a person asks.
	Asked bool `yaml:"asked"`
}

// Plugin fires the tasks of a folder for as long as it runs.
func Plugin(folder *Folder) graph.Plugin {
	return graph.Plugin{
		Name:   "tasks",
		Doc:    "runs agents at set times",
		Inject: []graph.Dependency{graph.Needs(agent.HostKey)},
		Config: func() any { return &Config{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := *cfg.(*Config)
			if c.AtOnce < 0 {
				return fault.New(fault.Invalid, "task.plugin", "atOnce cannot be negative; 0 means 2.")
			}
			if c.AtOnce == 0 {
				c.AtOnce = 2
			}
			host, err := graph.Get(f, agent.HostKey)
			if err != nil {
				return err
			}
			k := newKeeper(folder, c.AtOnce, f.Log())
			k.play = player{host: host, log: f.Log()}.play
			ctx, stop := context.WithCancel(f.Context())
			var done sync.WaitGroup
			f.Effect("firing tasks", func(context.Context) error {
				stop()
				done.Wait()
				k.end()
				return nil
			})
			k.offer(f, ctx)
			if !c.Asked {
				done.Go(func() { k.run(ctx) })
			}
			return nil
		},
	}
}
