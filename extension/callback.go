package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/script"
	"fairlead/session"
	"fairlead/tool"
)

// use is a call of a package's tool: what the package calls meanwhile happens under it.
type use struct {
	call   *tool.Call
	series *tool.Series
	made   atomic.Int32
}

// invoke enters the sandbox. under is the call in which it happens, nil for none.
func (r *running) invoke(ctx context.Context, callback int, args json.RawMessage, b script.Budget, under *use) (json.RawMessage, error) {
	v := script.Invocation{Callback: callback, Args: args, Now: time.Now(), Budget: b}
	if under != nil {
		v.Entry = under
	}
	return r.sandbox().Invoke(ctx, v)
}

// called answers a call that the package makes: of a service, or of a tool while one of
// its own tools is being called.
func (r *running) called(c *script.Call) {
	under, _ := c.Entry.(*use)
	if name, ok := strings.CutPrefix(c.Name, "service:"); ok {
		go r.serve(c, name, under)
		return
	}
	if under == nil {
		c.Reject(script.Thrown{Code: "NO_CALL", Message: "A package can call tools only while one of its own tools is being called."})
		return
	}
	inner := &tool.Call{ID: fmt.Sprintf("%s.%d", under.call.ID, under.made.Add(1)), Parent: under.call.ID, Caller: tool.CallerPackage, Tool: c.Name, Raw: string(c.Args),
		Log: under.call.Log, Turn: under.call.Turn, Step: under.call.Step, Folder: under.call.Folder}
	under.series.Add(inner, func(o tool.Outcome) {
		if o.Logged.Failed {
			c.Reject(script.Thrown{Tool: c.Name, Code: o.Logged.Code, Message: o.Plain()})
			return
		}
		c.ResolveText(o.Plain())
	})
}

// serve passes a value to a service and its answer back.
func (r *running) serve(c *script.Call, name string, under *use) {
	service, method, _ := strings.Cut(name, ".")
	by, methods := r.shelf.service(service)
	number, ok := methods[method]
	if !ok {
		c.Reject(script.Thrown{Code: "NO_SERVICE", Message: fmt.Sprintf("No package offers %s.%s now.", service, method)})
		return
	}
	value, err := by.invoke(by.shelf.fiber.Context(), number, c.Args, toolBudget, under)
	if err != nil {
		c.Reject(script.Thrown{Code: fault.CodeOf(err), Message: fault.ForModel(err)})
		return
	}
	c.Resolve(value)
}

// methods answers fairlead.use.
func (r *running) methods(args json.RawMessage) (json.RawMessage, error) {
	var a struct{ Name string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, refused("a service has a name")
	}
	by, methods := r.shelf.service(a.Name)
	if by == nil {
		return nil, refused("no package offers a service %q now", a.Name)
	}
	names := make([]string, 0, len(methods))
	for name := range methods {
		names = append(names, name)
	}
	return json.Marshal(names)
}

// packageTool is a tool that a package offers. It is reached through tool_use, so that
// the list of tools in requests stays as it is.
type packageTool struct {
	of    *running
	offer toolOffer
}

func (t *packageTool) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: t.offer.Name, Description: t.offer.Description, Parameters: t.offer.Parameters}
}

// Rare is the first line of its description.
func (t *packageTool) Rare() string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.offer.Description), "\n")
	return line + " (package " + t.of.name + ")"
}

// ReadOnly holds because a package has no authority of its own: what it calls is judged
// by itself.
func (t *packageTool) ReadOnly(*tool.Call) bool { return true }

// Nests says that calls may come of it.
func (t *packageTool) Nests() {}

func (t *packageTool) Present(*tool.Call) session.Present {
	return session.Present{Verb: "use", What: t.offer.Name, Full: t.offer.Name + " (package " + t.of.name + ")"}
}

func (t *packageTool) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	under := &use{call: call, series: t.of.shelf.registry.Series(ctx, call.Realm())}
	value, err := t.of.invoke(ctx, t.offer.Callback, call.Args, toolBudget, under)
	if err != nil {
		stop()
	}
	under.series.Wait()
	if err != nil {
		return nil, err
	}
	if value == nil {
		return tool.Text("Done."), nil
	}
	return tool.Text(script.Readable(value)), nil
}
