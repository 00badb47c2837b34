package toolbox

import (
	"errors"

	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/tool"
)

// ShellPlugin registers the tools that run commands.
func ShellPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "shell",
		Doc:    "lets the model run shell commands",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(sandbox.Key)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err1 := graph.Get(f, tool.RegistryKey)
			box, err2 := graph.Get(f, sandbox.Key)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			for _, t := range []tool.Tool{shell{box}} {
				if err := registry.Register(f, t); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
