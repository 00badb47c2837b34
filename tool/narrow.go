package tool

import (
	"context"

	"fairlead/graph"
)

// Narrow plugs a filter into a session's room, where it holds until the fiber that it
// gives is disposed; see [Registry.Restrict]. Doc says in the graph whose wish it is.
// It returns once the filter counts; an error gives the fiber as well, where there is one.
func Narrow(ctx context.Context, room *graph.Fiber, id, name, doc string, filter Filter) (*graph.Fiber, error) {
	f, err := room.Plug(id, graph.Plugin{
		Name: name, Doc: doc,
		Inject: []graph.Dependency{graph.Needs(RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			tools, err := graph.Get(f, RegistryKey)
			if err != nil {
				return err
			}
			return tools.Restrict(f, filter)
		},
	}, nil)
	if err != nil {
		return f, err
	}
	return f, f.Ready(ctx)
}
