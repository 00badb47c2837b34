package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// Rare is a tool that does not earn its place in every request. A model learns of
// it through tool_help and calls it through tool_use, so the list of tools that
// requests begin with stays the same. Calls of it pass the pipeline under its own
// name, like any other.
type Rare interface {
	// Rare says in one line what the tool is for.
	Rare() string
}

// The names of the two tools for rare ones.
const (
	helpName = "tool_help"
	useName  = "tool_use"
)

//go:embed tool_help.md
var helpText string

//go:embed tool_use.md
var useText string

// RarePlugin registers tool_help and tool_use.
func RarePlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "rare-tools",
		Doc:    "lets the model look up and call tools that are not in every request",
		Inject: []graph.Dependency{graph.Needs(RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, RegistryKey)
			if err != nil {
				return err
			}
			if err := registry.Register(f, helper{registry}); err != nil {
				return err
			}
			return registry.Register(f, user{})
		},
	}
}

// isRare reports whether a tool is left out of requests.
func isRare(t Tool) bool { _, ok := t.(Rare); return ok }

// RareNames lists the rare tools seen in a realm with their line, by name, as a
// prompt may show them.
func (r *Registry) RareNames(realm *graph.Realm) []string {
	var lines []string
	for _, e := range r.view(realm) {
		if t, ok := e.tool.(Rare); ok {
			lines = append(lines, e.schema.Name+": "+strings.TrimSpace(t.Rare()))
		}
	}
	return lines
}

// helper is the tool tool_help.
type helper struct{ registry *Registry }

func (helper) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: helpName, Description: strings.TrimSpace(helpText),
		Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false}`)}
}

func (helper) ReadOnly(*Call) bool { return true }

func (helper) name(c *Call) string {
	var a struct{ Name string }
	_ = c.Decode(&a) // the arguments passed the schema
	return a.Name
}

func (h helper) Present(c *Call) session.Present {
	return session.Present{Verb: "read", What: strings.TrimSpace(helpName + " " + h.name(c))}
}

func (h helper) Run(_ context.Context, c *Call) (*Result, error) {
	name := h.name(c)
	if name == "" {
		lines := h.registry.RareNames(c.realm)
		if len(lines) == 0 {
			return Text("There are no further tools."), nil
		}
		return Text(strings.Join(lines, "\n")), nil
	}
	e := h.registry.find(c.realm, name)
	if e == nil {
		return failed(CodeUnknownTool, h.registry.unknown(c.realm, name)), nil
	}
	parameters := e.schema.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{}`)
	}
	return Text(fmt.Sprintf("%s: %s\nArguments: %s", name, e.schema.Description, parameters)), nil
}

// user is the tool tool_use. Its calls never reach it: the pipeline turns each into
// the call of the tool it names.
type user struct{}

func (user) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: useName, Description: strings.TrimSpace(useText),
		Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"],"additionalProperties":false}`)}
}

func (user) Run(context.Context, *Call) (*Result, error) {
	return failed(CodeArguments, "tool_use needs the name of another tool. Nothing was changed."), nil
}

// unwrap makes of a call of tool_use the call that it asks for.
func (x *run) unwrap() error {
	object, err := readArguments(x.call.Raw)
	if err == nil {
		object, err = x.entry.check.check(object)
	}
	if err != nil {
		return err
	}
	name, _ := object["name"].(string)
	if name == useName {
		return fmt.Errorf("%q cannot be called through itself", useName)
	}
	x.call.Tool, x.call.Raw = name, "{}"
	if inner, ok := object["arguments"]; ok {
		x.call.Raw = string(canonical(inner))
	}
	x.entry = x.batch.registry.find(x.batch.realm, name)
	return nil
}
