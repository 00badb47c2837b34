package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"sync"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/script"
	"fairlead/session"
	"fairlead/tool"
)

// mostFalls is how often the sandbox of one activation may break before its fiber stays
// failed. A person may start it again from the graph.
const mostFalls = 1

// apply is a running package in the graph: everything it registers is an effect of f.
func (r *running) apply(f *graph.Fiber, _ any) error {
	r.mu.Lock()
	fresh, falls, broke := r.ready, r.falls, r.broke
	r.ready = false
	if falls > mostFalls {
		r.falls = 0
	}
	r.mu.Unlock()
	if falls > mostFalls {
		return broke
	}
	if !fresh {
		if err := r.start(f.Context()); err != nil {
			return err
		}
		r.mu.Lock()
		r.ready = false
		r.mu.Unlock()
	}
	instance, o := r.sandbox(), r.offered()
	f.Effect("sandbox", func(context.Context) error {
		instance.Close()
		return nil
	})
	for _, t := range o.tools {
		if err := r.shelf.registry.Register(f, &packageTool{r, t}); err != nil {
			return err
		}
	}
	for i, text := range o.sections {
		if err := r.shelf.sections.Add(f, agent.Section{Name: fmt.Sprintf("package %s %d", r.name, i+1), Order: 600, Text: text}); err != nil {
			return err
		}
	}
	for _, number := range o.guards {
		r.shelf.registry.Guard(f, r.guard(number))
	}
	for _, c := range o.commands {
		command.Register(f, r.command(c))
	}
	r.listen(f, o.listeners)
	r.attend(f, instance)
	return nil
}

// attend restarts the fiber when its sandbox breaks.
func (r *running) attend(f *graph.Fiber, instance *script.Instance) {
	life := f.Context()
	go func() {
		select {
		case <-life.Done():
			return
		case <-instance.Gone():
		}
		if life.Err() != nil {
			return
		}
		_, why := instance.Invoke(life, script.Invocation{}) // an instance that is gone says why
		r.mu.Lock()
		r.falls++
		r.broke = fault.Wrap(fault.KindOf(why), "extension.package", why, "The package %s broke: %s", r.name, fault.Person(why))
		again := r.falls <= mostFalls
		r.mu.Unlock()
		r.tell(why, again)
		if err := f.Restart(context.WithoutCancel(life)); err != nil {
			f.Log().Error("a package that broke could not be started again", "package", r.name, "error", err)
		}
		r.shelf.changed.Ring()
	}()
}

// tell puts into the log, and before the model, that the package broke.
func (r *running) tell(why error, again bool) {
	ctx := context.Background()
	text := fmt.Sprintf("The package %s broke: %s ", r.name, fault.ForModel(why))
	if again {
		text += "It was started once more; what it had kept in memory is lost."
	} else {
		text += "It broke twice and does not run any more. Define a version that stays within its bounds."
	}
	if r.log == nil { // a plugin: the graph shows it
		r.shelf.fiber.Log().Error("a plugin broke", "plugin", r.name, "again", again, "error", why)
		return
	}
	if _, err := r.log.Append(ctx, Failed.New(0, 0, FailedData{Package: r.name, Version: r.version.number, Reason: fault.Person(why), Again: again})); err != nil {
		r.shelf.fiber.Log().Error("the end of a package could not be logged", "package", r.name, "error", err)
	}
	host, ok := graph.Lookup(r.shelf.fiber.Realm(), agent.HostKey)
	if !ok {
		return
	}
	if a, live := host.Live(r.log.ID()); live {
		if err := a.Inject(ctx, "packages", text); err != nil {
			r.shelf.fiber.Log().Error("the model could not be told of a package's end", "package", r.name, "error", err)
		}
	}
}

// guard is a check that can only deny; one that fails denies.
func (r *running) guard(number int) func(context.Context, *tool.Call) error {
	return func(ctx context.Context, call *tool.Call) error {
		args, err := json.Marshal(map[string]any{"tool": call.Tool, "args": call.Args, "caller": call.Caller, "folder": call.Folder})
		if err != nil {
			return err
		}
		value, err := r.invoke(ctx, number, args, askBudget, nil)
		if err != nil {
			return fault.Wrap(fault.KindOf(err), "extension.guard", err, "the guard of the package %s failed: %s", r.name, fault.Person(err))
		}
		var reason string
		if json.Unmarshal(value, &reason) == nil && reason != "" {
			return fault.New(fault.Denied, "extension.guard", "%s (the package %s)", reason, r.name)
		}
		return nil
	}
}

// command is one for the person.
func (r *running) command(c commandOffer) command.Command {
	return command.Command{Name: "package." + r.name + "." + c.Name, Scope: command.Session, Summary: c.Summary, Slash: c.Name,
		Params: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`),
		Run: func(ctx context.Context, call command.Call) (any, error) {
			var args struct{ Text string }
			if len(call.Args) > 0 {
				if err := json.Unmarshal(call.Args, &args); err != nil {
					return nil, fault.Wrap(fault.Invalid, "extension.command", err, "/%s takes a text. Nothing was done.", c.Name)
				}
			}
			text, err := json.Marshal(args.Text)
			if err != nil {
				return nil, err
			}
			value, err := r.invoke(ctx, c.Callback, text, toolBudget, nil)
			return value, err
		}}
}

// listen tells the package of the session's events from now on, one after another.
func (r *running) listen(f *graph.Fiber, listeners []listenerOffer) {
	if len(listeners) == 0 {
		return
	}
	life, from := f.Context(), r.log.Seq()
	var done sync.WaitGroup
	done.Go(func() {
		for frame, err := range r.log.Watch(life, from) {
			if err != nil {
				if life.Err() == nil {
					f.Log().Error("a package does not hear of events any more", "package", r.name, "error", err)
				}
				return
			}
			if frame.Event != nil {
				r.hear(life, f, *frame.Event, listeners)
			}
		}
	})
	f.Effect("listens", func(context.Context) error {
		done.Wait()
		return nil
	})
}

func (r *running) hear(ctx context.Context, f *graph.Fiber, e session.Event, listeners []listenerOffer) {
	for _, l := range listeners {
		if wanted, err := path.Match(l.Kind, e.Type); err != nil || !wanted {
			continue
		}
		text, err := json.Marshal(map[string]any{"seq": e.Seq, "type": e.Type, "turn": e.Turn, "step": e.Step, "data": e.Data})
		if err == nil {
			_, err = r.invoke(ctx, l.Callback, text, askBudget, nil)
		}
		if err != nil && ctx.Err() == nil {
			f.Log().Warn("a package's listener failed", "package", r.name, "kind", e.Type, "error", err)
		}
	}
}
