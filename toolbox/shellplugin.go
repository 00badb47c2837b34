package toolbox

import (
	"errors"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/tool"
)

// ShellPlugin registers the tools that run commands: in the foreground, as jobs and
// in terminals.
func ShellPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "shell",
		Doc:    "lets the model run shell commands, jobs in the background and terminals",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(sandbox.Key)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err1 := graph.Get(f, tool.RegistryKey)
			box, err2 := graph.Get(f, sandbox.Key)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			j := newJobs(f, box)
			f.Effect("jobs", j.wait) // they end with the fiber's context
			for _, t := range append([]tool.Tool{shell{box, j}, jobOutput{j}, jobStop{j}}, terminalTools(j)...) {
				if err := registry.Register(f, t); err != nil {
					return err
				}
			}
			agent.PreStep.On(f, j.lost)
			j.offer(f)
			return nil
		},
	}
}
