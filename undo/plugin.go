package undo

import (
	"errors"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/session"
)

// Plugin offers taking back to people and tells the model of it.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name:   "undo",
		Doc:    "takes back what turns changed in files, and tells the model",
		Inject: []graph.Dependency{graph.Needs(agent.HostKey), graph.Needs(session.LibraryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			host, err1 := graph.Get(f, agent.HostKey)
			lib, err2 := graph.Get(f, session.LibraryKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			agent.PreStep.On(f, tell)
			offer(f, host, lib)
			return nil
		},
	}
}
