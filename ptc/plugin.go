package ptc

import (
	"errors"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/script"
	"fairlead/tool"
)

// Options configure the row `run-code`.
type Options struct {
	// Only leaves the other tools to programs: the model calls run_code and nothing
	// else. Otherwise they stand beside it.
	Only bool `yaml:"only" json:"only"`
	// Calls is how many calls one program may make.
	Calls int `yaml:"calls" json:"calls"`
}

// Plugin registers run_code and tells the model how tools are called in a program.
func Plugin() graph.Plugin {
	return graph.Plugin{
		Name:   "run-code",
		Doc:    "lets the model write programs that call tools",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(agent.SectionsKey), graph.Needs(script.Key)},
		Config: func() any { return &Options{Only: true, Calls: 1000} },
		Apply: func(f *graph.Fiber, cfg any) error {
			registry, err1 := graph.Get(f, tool.RegistryKey)
			sections, err2 := graph.Get(f, agent.SectionsKey)
			engine, err3 := graph.Get(f, script.Key)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			o := *cfg.(*Options)
			if o.Only {
				registry.Reserve(f, tool.Reservation{Except: []string{Name}, Say: onlyInPrograms})
			}
			b := &bindings{registry: registry}
			if err := sections.Add(f, agent.Section{Name: "programs", Order: 500, Of: b.text}); err != nil {
				return err
			}
			return registry.Register(f, &runCode{registry, engine, o})
		},
	}
}

func onlyInPrograms(c *tool.Call) string {
	return c.Tool + " is called in a program here, not by itself: " + Name + ` with code such as "return await tools.` + c.Tool + `({…})". Nothing was changed.`
}
