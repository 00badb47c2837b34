package window

import (
	"errors"
	"log/slog"
	"weak"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm"
)

// room is the plugin at work.
type room struct {
	config Config
	host   *agent.Host
	routes *llm.Routes
	meters meters
	log    *slog.Logger
}

// Plugin meters every request, makes room in time and after refusals, and offers
// /compact and /context.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name:   "window",
		Doc:    "keeps sessions inside the context of their model: measures, summarises, refuses what cannot fit",
		Inject: []graph.Dependency{graph.Needs(agent.HostKey), graph.Needs(llm.RoutesKey)},
		Config: func() any { return &Config{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			host, err1 := graph.Get(f, agent.HostKey)
			routes, err2 := graph.Get(f, llm.RoutesKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			w := &room{config: *cfg.(*Config), host: host, routes: routes, log: f.Log(), meters: meters{list: map[weak.Pointer[agent.Agent]]*meter{}}}
			agent.Request.On(f, w.request)
			agent.RequestError.On(f, w.refused)
			agent.Stream.On(f, w.stream)
			command.Register(f, w.offer()...)
			return nil
		},
	}
}
