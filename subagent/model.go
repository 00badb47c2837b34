package subagent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// CodeModel marks a name that no model, or more than one, has.
const CodeModel = "MODEL_UNKNOWN"

// askLimit is how long a server gets to list its models.
const askLimit = 5 * time.Second

// route is where a helper's requests will go.
func (c *crew) route(ctx context.Context, parent *agent.Agent, o order) (llm.Route, error) {
	if o.Model != "" {
		return named(ctx, c.routes, o.Model)
	}
	at, err := session.StateOf(parent.Log(), agent.Loop)
	if err != nil {
		return llm.Route{}, err
	}
	return c.routes.Resolve(ctx, at.Route)
}

// named finds the one model that a name means: "connection/model", the model's id, the
// name people pick it by, a connection, or "local". A name that is nearly right starts
// nothing: the error says which ones were perhaps meant.
func named(ctx context.Context, routes *llm.Routes, name string) (llm.Route, error) {
	list := routes.List()
	asked := strings.TrimSpace(name)
	for _, is := range []func(llm.Route) bool{
		func(r llm.Route) bool { return strings.EqualFold(r.Name, asked) },
		func(r llm.Route) bool { return strings.EqualFold(r.Model.ID, asked) },
		func(r llm.Route) bool { return strings.EqualFold(r.Model.Name, asked) },
		func(r llm.Route) bool { return strings.EqualFold(connection(r), asked) },
		func(r llm.Route) bool { return r.Local && strings.EqualFold(asked, "local") },
	} {
		if fits := slices.DeleteFunc(slices.Clone(list), func(r llm.Route) bool { return !is(r) }); len(fits) > 0 {
			return only(routes, asked, fits)
		}
	}
	unknown := errUnknown(asked, list)
	if !strings.Contains(asked, "/") || strings.EqualFold(asked, "local") {
		return llm.Route{}, unknown
	}
	return offered(ctx, routes, asked, unknown)
}

// only takes the one route that fits, or the default where it is among them.
func only(routes *llm.Routes, asked string, fits []llm.Route) (llm.Route, error) {
	if len(fits) == 1 {
		return fits[0], nil
	}
	if standard, ok := routes.Default(); ok {
		if i := slices.IndexFunc(fits, func(r llm.Route) bool { return r.Name == standard.Name }); i >= 0 {
			return fits[i], nil
		}
	}
	names := make([]string, len(fits))
	for i, r := range fits {
		names[i] = r.Name
	}
	return llm.Route{}, fault.New(fault.Invalid, "subagent.model", "%q fits several models: %s. Nothing was started; give the whole name of one.", asked, strings.Join(names, ", ")).WithCode(CodeModel)
}

// offered takes a model that its connection does not list, where the server itself
// does, or will not say.
func offered(ctx context.Context, routes *llm.Routes, asked string, unknown error) (llm.Route, error) {
	r, err := routes.Resolve(ctx, asked)
	if err != nil {
		return llm.Route{}, unknown
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	models, err := r.Adapter.Models(ctx)
	if err != nil || len(models) == 0 || slices.ContainsFunc(models, func(m llm.Model) bool { return m.ID == r.Model.ID }) {
		return r, nil
	}
	served := make([]llm.Route, len(models))
	for i, m := range models {
		served[i] = llm.Route{Name: connection(r) + "/" + m.ID, Model: m}
	}
	return llm.Route{}, errUnknown(asked, served)
}

func errUnknown(asked string, list []llm.Route) error {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, r := range list {
		add(r.Name)
	}
	for _, r := range list {
		add(r.Model.ID)
		add(r.Model.Name)
		add(connection(r))
	}
	if near := tool.Near(asked, names); len(near) > 0 {
		return fault.New(fault.NotFound, "subagent.model", "There is no model %q. Nothing was started. Did you mean %s?", asked, tool.OrList(near)).WithCode(CodeModel)
	}
	some := names[:min(len(names), len(list), 8)]
	if len(some) == 0 {
		return fault.New(fault.NotFound, "subagent.model", "There is no model %q: no connection lists any. Nothing was started; leave the model out to use your own.", asked).WithCode(CodeModel)
	}
	return fault.New(fault.NotFound, "subagent.model", "There is no model %q. Nothing was started. There are: %s.", asked, strings.Join(some, ", ")).WithCode(CodeModel)
}

// connection is the first part of a route's name.
func connection(r llm.Route) string {
	name, _, _ := strings.Cut(r.Name, "/")
	return name
}

// describe is a line of list_models.
func describe(r llm.Route, standard bool) string {
	var notes []string
	if r.Model.Name != "" && r.Model.Name != r.Model.ID {
		notes = append(notes, r.Model.Name)
	}
	if r.Model.Window > 0 {
		notes = append(notes, fmt.Sprintf("window %d tokens", r.Model.Window))
	}
	if r.Local {
		notes = append(notes, "local")
	}
	if r.Model.Slots > 0 {
		notes = append(notes, fmt.Sprintf("%d requests at once", r.Model.Slots))
	}
	if v := r.Model.Vision; v != nil && *v {
		notes = append(notes, "sees pictures")
	}
	if standard {
		notes = append(notes, "the default")
	}
	if len(notes) == 0 {
		return r.Name
	}
	return r.Name + " (" + strings.Join(notes, ", ") + ")"
}
