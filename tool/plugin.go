package tool

import "fairlead/graph"

// Plugin provides the registry.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name:     "tools",
		Doc:      "registers tools and runs every call of one through the pipeline",
		Provides: []graph.AnyKey{RegistryKey},
		Apply: func(f *graph.Fiber, _ any) error {
			return graph.Provide(f, RegistryKey, New(Options{Log: f.Log()}))
		},
	}
}
