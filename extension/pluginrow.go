package extension

import (
	"context"
	"encoding/json"
	"errors"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/script"
	"fairlead/tool"
)

// PluginsPlugin keeps the plugins of a folder and runs the reviewed ones, for every
// session. They start once the process is up; where there are none it costs nothing.
func PluginsPlugin(dir string) graph.Plugin {
	return graph.Plugin{
		Name:     "plugins",
		Doc:      "runs the plugins that a person has reviewed, and lists the others",
		Inject:   []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(agent.SectionsKey), graph.Needs(script.Key)},
		Provides: []graph.AnyKey{PluginsKey},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err1 := graph.Get(f, tool.RegistryKey)
			sections, err2 := graph.Get(f, agent.SectionsKey)
			engine, err3 := graph.Get(f, script.Key)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			p := &Plugins{Folder: NewFolder(dir), shelf: &shelf{fiber: f, engine: engine, registry: registry, sections: sections, packages: map[string]*pack{}}}
			p.offer(f)
			life, loaded := f.Context(), make(chan struct{})
			go func() {
				defer close(loaded)
				if err := p.load(life); err != nil && life.Err() == nil {
					f.Log().Error("a plugin could not be started", "error", err)
				}
			}()
			f.Effect("plugins", func(ctx context.Context) error {
				select {
				case <-loaded:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			})
			return graph.Provide(f, PluginsKey, p)
		},
	}
}

// offer gives the person the list, the review and the decision.
func (p *Plugins) offer(f *graph.Fiber) {
	command.RegisterViews(f,
		command.View{
			Name: "plugins", Scope: command.Host, Summary: "The files of the plugin folder: reviewed ones run, new and changed ones never do.",
			Read: func(context.Context, command.Query) (any, error) { return p.List() },
		},
		command.View{
			Name: "plugin.review", Scope: command.Host, Summary: "A plugin's whole source, the difference to what was reviewed last, and what it asks for.", Params: []string{"name"},
			Read: func(_ context.Context, q command.Query) (any, error) { return p.Review(q.Params["name"]) },
		})
	type arguments struct{ Name, SHA256 string }
	verb := func(name, summary, params string, do func(ctx context.Context, a arguments) error) command.Command {
		return command.Command{Name: name, Scope: command.Host, Summary: summary, Params: json.RawMessage(params), Run: func(ctx context.Context, call command.Call) (any, error) {
			var a arguments
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return nil, fault.Wrap(fault.Invalid, "extension.command", err, "%s names a plugin. Nothing was changed.", name)
			}
			return struct{}{}, do(ctx, a)
		}}
	}
	command.Register(f,
		verb("plugin.approve", "Take a plugin for reviewed, by the hash of what was read, and run it.",
			`{"type":"object","properties":{"name":{"type":"string"},"sha256":{"type":"string"}},"required":["name","sha256"],"additionalProperties":false}`,
			func(ctx context.Context, a arguments) error { return p.Approve(ctx, a.Name, a.SHA256) }),
		verb("plugin.remove", "Delete a plugin's file and end what runs of it.",
			`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`,
			func(ctx context.Context, a arguments) error { return p.Remove(ctx, a.Name) }))
}
