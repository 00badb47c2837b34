package agent

import (
	"context"
	"errors"
	"time"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// Options configure the row `agent`.
type Options struct {
	// HoldQueue keeps what waits after a stop or an error until the person lets it
	// go on; otherwise the queue goes on by itself.
	HoldQueue bool `yaml:"holdQueue" json:"holdQueue"`
}

// stopGrace is how long agents get to end their turns when their row is taken out
// of the graph; a process that shuts down calls [Host.Shutdown] with its own.
const stopGrace = 5 * time.Second

// Plugins are the rows of this room: the host of the agents and what it ships with
// on its seams. [Titles] asks models for more than turns do, and is a row apart.
func Plugins() []graph.Plugin {
	return []graph.Plugin{hosting(), Prompt(), Environment(), Retry(), Monitor()}
}

func hosting() graph.Plugin {
	return graph.Plugin{
		Name:     "agent",
		Doc:      "drives sessions: inbox, loop, prompt",
		Inject:   []graph.Dependency{graph.Needs(session.LibraryKey), graph.Needs(llm.RoutesKey), graph.Needs(tool.RegistryKey), graph.Needs(SectionsKey), graph.Optional(config.PresetsKey)},
		Provides: []graph.AnyKey{HostKey},
		Config:   func() any { return &Options{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			library, err1 := graph.Get(f, session.LibraryKey)
			routes, err2 := graph.Get(f, llm.RoutesKey)
			tools, err3 := graph.Get(f, tool.RegistryKey)
			sections, err4 := graph.Get(f, SectionsKey)
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				return err
			}
			presets, err := graph.Get(f, config.PresetsKey)
			if err != nil && !fault.Is(err, fault.Unavailable) {
				return err
			}
			h := &Host{fiber: f, live: map[session.ID]*Agent{}, opening: map[session.ID]chan struct{}{},
				needs: needs{library: library, routes: routes, tools: tools, sections: sections, presets: presets, options: *cfg.(*Options), logger: f.Log()}}
			f.Effect("agents", func(ctx context.Context) error {
				ctx, cancel := context.WithTimeout(ctx, stopGrace)
				defer cancel()
				return h.Shutdown(ctx)
			})
			offerCommands(f, h)
			return graph.Provide(f, HostKey, h)
		},
	}
}
