package app

import (
	"context"
	"encoding/json"
	"iter"

	"fairlead/command"
	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// inspection is the plugin through which a person sees what the process consists of
// and restarts a part of it.
func (a *App) inspection() graph.Plugin {
	return graph.Plugin{
		Name:   "inspection",
		Doc:    "the views of the graph and of the configuration, restarting a fiber, and the proofs of a session",
		Inject: []graph.Dependency{graph.Optional(session.LibraryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			command.RegisterViews(f,
				command.View{
					Name: "graph", Scope: command.Host, Summary: "Every fiber: state, since when, what it provides, uses and holds, and why it failed.",
					Read:  func(context.Context, command.Query) (any, error) { return a.inventory(a.graph.Inventory()), nil },
					Watch: watched(a.graph.Watch, func(list []graph.Status) any { return a.inventory(list) }),
				},
				command.View{
					Name: "config", Scope: command.Host, Summary: "The effective configuration with the origin of each value, and whether the last edit was applied.",
					Read:  func(context.Context, command.Query) (any, error) { return configuration(a.live.Report()), nil },
					Watch: watched(a.live.Reports, configuration),
				},
				command.View{
					Name: "presets", Scope: command.Host, Summary: "The capability sets a session can begin with; a broken one with its reason.",
					Read: func(context.Context, command.Query) (any, error) { return a.presets.List(), nil },
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
				command.Command{
					Name: "preset.copy", Scope: command.Host, Summary: "Copy a preset to one of your own, to be edited in the home folder.",
					Params: json.RawMessage(`{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"],"additionalProperties":false}`),
					Run:    a.copyPreset,
				},
				command.Command{
					Name: "preset.remove", Scope: command.Host, Summary: "Delete a preset of your own; sessions that run with it go on.",
					Params: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`),
					Run:    a.removePreset,
				},
			)
			return a.offerProofs(f)
		},
	}
}

// inventory takes secrets out of the reasons of fibers that failed: a part that
// crashed may have had one in its mouth. The list is this caller's own.
func (a *App) inventory(list []graph.Status) []graph.Status {
	for i := range list {
		list[i].Reason = a.redactor.Text(list[i].Reason)
	}
	return list
}

// watched makes a view's Watch of a sequence and of what is shown of each value.
func watched[T any](values func(context.Context) iter.Seq[T], shown func(T) any) func(context.Context, command.Query) iter.Seq2[any, error] {
	return func(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
		return func(yield func(any, error) bool) {
			for v := range values(ctx) {
				if !yield(shown(v), nil) {
					return
				}
			}
		}
	}
}

func (a *App) copyPreset(_ context.Context, call command.Call) (any, error) {
	var args struct{ From, To string }
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fault.Wrap(fault.Invalid, "app.preset", err, "A copy names a preset and what the copy is called. Nothing was copied.")
	}
	path, err := a.presets.Copy(args.From, args.To)
	return map[string]string{"path": path}, err
}

func (a *App) removePreset(_ context.Context, call command.Call) (any, error) {
	var args struct{ ID string }
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, fault.Wrap(fault.Invalid, "app.preset", err, "A removal names a preset. Nothing was removed.")
	}
	return nil, a.presets.Remove(args.ID)
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
func configuration(report config.Report) any {
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
