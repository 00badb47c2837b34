package settings

import (
	"context"
	"encoding/json"
	"iter"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
)

// doors registers what people see and do here: the settings by revision, and
// credentials by name. A credential's value goes in and never comes out.
func doors(f *graph.Fiber, d *Document, c *Credentials) {
	command.RegisterViews(f,
		command.View{
			Name: "settings", Scope: command.Host, Summary: "The settings by section, with their revision and the mistakes in the file.",
			Read: func(context.Context, command.Query) (any, error) { return d.Snapshot(), nil },
			Watch: func(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
				return func(yield func(any, error) bool) {
					for snap := range d.Watch(ctx) {
						if !yield(snap, nil) {
							return
						}
					}
				}
			},
		},
		command.View{
			Name: "credentials", Scope: command.Host, Summary: "The names of the saved keys and where each is kept.",
			Read: func(context.Context, command.Query) (any, error) { return c.List() },
		},
	)
	command.Register(f,
		command.Command{
			Name: "settings.change", Scope: command.Host, Summary: "Change settings, if they are still at the revision named.",
			Params: json.RawMessage(`{"type":"object","properties":{"revision":{"type":"string"},"changes":{"type":"object"}},"required":["revision","changes"],"additionalProperties":false}`),
			Run: func(ctx context.Context, call command.Call) (any, error) {
				var w Write
				if err := arguments(call, &w); err != nil {
					return nil, err
				}
				return d.Patch(ctx, w.Revision, w.Changes)
			},
		},
		command.Command{
			Name: "credential.save", Scope: command.Host, Summary: "Save a key under a name, in the system's keyring where there is one.",
			Params: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}},"required":["name","value"],"additionalProperties":false}`),
			Run: func(ctx context.Context, call command.Call) (any, error) {
				var args struct{ Name, Value string }
				if err := arguments(call, &args); err != nil {
					return nil, err
				}
				source, err := c.Set(ctx, args.Name, args.Value)
				return Credential{Name: args.Name, Source: source}, err
			},
		},
		command.Command{
			Name: "credential.forget", Scope: command.Host, Summary: "Remove a saved key.",
			Params: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`),
			Run: func(ctx context.Context, call command.Call) (any, error) {
				var args struct{ Name string }
				if err := arguments(call, &args); err != nil {
					return nil, err
				}
				return nil, c.Delete(ctx, args.Name)
			},
		},
	)
}

// Write is a change of settings as front doors carry it; see [Document.Patch].
type Write struct {
	Revision string         `json:"revision"`
	Changes  map[string]any `json:"changes"`
}

func arguments(call command.Call, into any) error {
	if err := json.Unmarshal(call.Args, into); err != nil {
		return fault.Wrap(fault.Invalid, "settings.arguments", err, "The arguments are not understood. Nothing was changed.")
	}
	return nil
}
