package sandbox

import (
	"context"
	"time"

	"fairlead/graph"
)

// Key is where the sandbox is found.
var Key = graph.NewKey[Sandbox]("sandbox", "starts child processes, confined, and ends them")

// closeGrace is how long children get to end by themselves when the process does.
const closeGrace = time.Second

// Plugin provides the sandbox of this machine. It ends what a dead host of the same
// home left running, and its own children when it stops.
func Plugin(o Options) graph.Plugin {
	return graph.Plugin{
		Name:     "sandbox",
		Doc:      "starts child processes with a scrubbed environment, confines them and ends whole trees of them",
		Provides: []graph.AnyKey{Key},
		Apply: func(f *graph.Fiber, _ any) error {
			options := o
			options.Log = f.Log()
			s := New(options)
			for _, l := range s.Reclaim() {
				f.Log().Warn("ended what a process of Fairlead that died had left running", "pid", l.Pid, "name", l.Name)
			}
			f.Effect("children", func(context.Context) error {
				s.Close(closeGrace)
				return nil
			})
			return graph.Provide[Sandbox](f, Key, s)
		},
	}
}
