package app

import (
	"context"
	"encoding/json"
	"iter"

	"fairlead/command"
	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
)

// inspection is the plugin through which a person sees what the process consists of
// and restarts a part of it.
func (a *App) inspection() graph.Plugin {
	return graph.Plugin{
		Name: "inspection",
		Doc:  "the views of the graph and of the configuration, and restarting a fiber",
		Apply: func(f *graph.Fiber, _ any) error {
			command.RegisterViews(f,
				command.View{
					Name: "graph", Scope: command.Host, Summary: "Every fiber: state, since when, what it provides, uses and holds, and why it failed.",
					Read:  func(context.Context, command.Query) (any, error) { return a.graph.Inventory(), nil },
					Watch: func(ctx context.Context, _ command.Query) iter.Seq2[any, error] { return a.watchGraph(ctx) },
				},
				command.View{
					Name: "config", Scope: command.Host, Summary: "The effective configuration with the origin of each value, and whether the last edit was applied.",
					Read: func(context.Context, command.Query) (any, error) { return a.configuration(), nil },
				},
			)
			command.Register(f,
				command.Command{
					Name: "graph.restart", Scope: command.Host, Summary: "Stop a fiber and what stands on it, and start it again; the graph shows how it went.",
					Params: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
					Run:    a.restart,
				},
				command.Command{
					Name: "config.reload", Scope: command.Host, Summary: "Read the configuration files again now; the view config shows how it went.",
					Run: func(context.Context, command.Call) (any, error) {
						a.background("reload", a.live.Reload)
						return nil, nil
					},
				},
			)
			return nil
		},
	}
}

func (a *App) watchGraph(ctx context.Context) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for list := range a.graph.Watch(ctx) {
			if !yield(list, nil) {
				return
			}
		}
	}
}

func (a *App) restart(_ context.Context, call command.Call) (any, error) {
	var args struct{ Path string }
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fault.Wrap(fault.Invalid, "app.restart", err, "A restart names the path of a fiber. Nothing was restarted.")
	}
	f, found := a.graph.Find(args.Path)
	if !found || args.Path == "" {
		return nil, fault.New(fault.NotFound, "app.restart", "There is no fiber %q. Nothing was restarted.", args.Path)
	}
	a.background("restart", f.Restart)
	return nil, nil
}

// background does something that may stop the very front door that asked for it. It
// ends with the process; how it went is in the graph and in the log.
func (a *App) background(what string, do func(context.Context) error) {
	a.following.Go(func() {
		if err := do(a.follow); err != nil {
			a.options.Log.Error("asked for by a person, but failed", "what", what, "error", err)
		}
	})
}

// configuration is the view "config".
func (a *App) configuration() any {
	report := a.live.Report()
	view := struct {
		Profile   string   `json:"profile"`
		Text      string   `json:"text"`
		AppliedAt int64    `json:"appliedAt"`
		Changed   []string `json:"changed,omitempty"`
		Warnings  []string `json:"warnings,omitempty"`
		Failure   string   `json:"failure,omitempty"`
	}{Profile: report.Tree.Profile, Text: report.Tree.Dump(), AppliedAt: report.At.UnixMilli(), Changed: report.Changed}
	for _, w := range report.Tree.Warnings {
		view.Warnings = append(view.Warnings, config.Problem(w).String())
	}
	if report.Failure != nil {
		view.Failure = fault.Person(report.Failure)
	}
	return view
}
