package app

import (
	"os"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
)

// demoWire names the format of the scripted model in process.
const demoWire = "scripted"

// demo is the plugin of the scripted model: it needs no key and no network.
func demo() graph.Plugin {
	return graph.Plugin{
		Name:   "demo",
		Doc:    "plays a model from a script",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			adapter := scripted.New(scripted.Demo())
			models, err := adapter.Models(f.Context())
			if err != nil {
				return err
			}
			route := llm.Route{Name: "demo/" + models[0].ID, Model: models[0], Adapter: adapter, Wire: demoWire}
			routes.Prefer(f, route.Name)
			return routes.Register(f, route)
		},
	}
}

// DemoFolder makes a scratch folder with the files that the scripted demo works on.
// It lies outside of the home folder, where every change would be a grave one.
func DemoFolder() (string, error) {
	dir, err := os.MkdirTemp("", "fairlead-demo-")
	if err == nil {
		err = os.CopyFS(dir, scripted.DemoFiles())
	}
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "app.demo", err, "The folder for the demo could not be made. Nothing was started; free some space in %s.", os.TempDir())
	}
	return dir, nil
}
