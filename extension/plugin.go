package extension

import (
	_ "embed"
	"errors"
	"strings"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/script"
	"fairlead/tool"
)

//go:embed packages.md
var packagesText string

// Declarations is what a package sees, as TypeScript.
//
//go:embed fairlead.d.ts
var Declarations string

// Plugin lets the agents in whose realm it stands define and run packages. It belongs
// into a preset, so that each session has its own.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name:   "packages",
		Doc:    "lets an agent look at the runtime graph, and define and run dynamic packages",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(agent.SectionsKey), graph.Needs(script.Key), graph.Optional(PluginsKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err1 := graph.Get(f, tool.RegistryKey)
			sections, err2 := graph.Get(f, agent.SectionsKey)
			engine, err3 := graph.Get(f, script.Key)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			s := &shelf{fiber: f, engine: engine, registry: registry, sections: sections, packages: map[string]*pack{}}
			s.offer(f)
			text := strings.Replace(packagesText, "{declarations}", strings.TrimSpace(Declarations), 1)
			if err := sections.Add(f, agent.Section{Name: "packages", Order: 550, Text: text}); err != nil {
				return err
			}
			all := []tool.Tool{define{s}, start{s}, end{s, false}, end{s, true}, inspect{s}, look{}}
			if plugins, err := graph.Get(f, PluginsKey); err == nil {
				all = append(all, keep{s, plugins})
			}
			for _, t := range all {
				if err := registry.Register(f, t); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
