package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/settings"
	"fairlead/tool"
)

// ownTools are the tools that the person made in the settings. They are brought up to
// date when a turn begins or somebody looks, never in between.
type ownTools struct {
	deps     dependencies
	document *settings.Document
	trust    *trust
	fiber    *graph.Fiber

	mu     sync.Mutex
	placed string       // the digest of what is registered
	holder *graph.Fiber // holds it; nil where that is nothing
}

// OwnState is an own tool as people see it.
type OwnState struct {
	Name string `json:"name"`
	Tool string `json:"tool"` // under which a model sees it
	// State is "ready", "disabled", "invalid", "unapproved" or "changed" (the command, or
	// what it may do, is another one than was approved).
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// Digest is what an approval must repeat; "" where there is nothing to approve.
	Digest string   `json:"digest,omitempty"`
	Config tool.Own `json:"config"`
}

// trustedAs is the key of an own tool's approval, which no server can have.
func trustedAs(name string) string { return "own/" + name }

// list gives all own tools, by name.
func (o *ownTools) list() []OwnState {
	all := settings.Get(o.document, tool.Section).Own
	states := make([]OwnState, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		states = append(states, o.state(name, all[name]))
	}
	return states
}

func (o *ownTools) state(name string, config tool.Own) OwnState {
	s := OwnState{Name: name, Tool: tool.OwnPrefix + name, State: "ready", Config: config}
	known, ok, err := o.trust.get(trustedAs(name))
	digest := digestOf(config)
	switch wrong := checkOwn(name, config); {
	case wrong != nil:
		s.State, s.Reason = "invalid", fault.Person(wrong)
	case err != nil:
		s.State, s.Reason = "invalid", fault.Person(err)
	case config.Disabled:
		s.State = "disabled"
	case config.Kind == ownText || ok && known.Launch == digest:
	case ok:
		s.State, s.Digest = "changed", digest
	default:
		s.State, s.Digest = "unapproved", digest
	}
	return s
}

// follow brings what is registered in line with the settings and the approvals.
func (o *ownTools) follow(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	ready := slices.DeleteFunc(o.list(), func(s OwnState) bool { return s.State != "ready" })
	now := ""
	if len(ready) > 0 {
		now = digestOf(ready)
	}
	if now == o.placed {
		return nil
	}
	if o.holder != nil {
		if err := o.holder.Dispose(ctx); err != nil {
			return err
		}
		o.holder, o.placed = nil, ""
	}
	if len(ready) == 0 {
		return nil
	}
	holder, err := o.fiber.Plug("own tools", graph.Plugin{
		Name: "own-tools", Doc: "The person's own tools.", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			for _, s := range ready {
				if err := registry.Register(f, o.make(s)); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil)
	if err != nil {
		return err
	}
	o.holder, o.placed = holder, now
	return holder.Ready(ctx)
}

func (o *ownTools) make(s OwnState) tool.Tool {
	one := own{name: s.Tool, about: s.Config.Description}
	if s.Config.Kind == ownText {
		return ownInstructions{one, s.Config.Text}
	}
	return &ownCommand{own: one, config: s.Config, digest: digestOf(s.Config), tools: o}
}

// approve records, as a person's act, a command and what it may do. Another digest
// than that of its state is a fault.Conflict.
func (o *ownTools) approve(ctx context.Context, name, digest string) (OwnState, error) {
	config, ok := settings.Get(o.document, tool.Section).Own[name]
	if !ok {
		return OwnState{}, fault.New(fault.NotFound, "own.approve", "There is no own tool %q. Nothing was approved; see fairlead tool list.", name)
	}
	if s := o.state(name, config); s.Digest == "" || s.Digest != digest {
		return s, fault.New(fault.Conflict, "own.approve", "The own tool %s is not what you were shown, or needs no approval. Nothing was approved; look at it again.", name)
	}
	if err := o.trust.put(trustedAs(name), &approved{Launch: digest, At: time.Now().UnixMilli()}); err != nil {
		return OwnState{}, err
	}
	return o.state(name, config), nil
}

// offer registers what people see and do, and has own tools followed as turns begin.
func (o *ownTools) offer(f *graph.Fiber) {
	agent.PreStep.On(f, func(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
		if p.Step == 1 {
			if err := o.follow(ctx); err != nil {
				return agent.Admission{}, err
			}
		}
		return next(ctx, p)
	})
	command.RegisterViews(f, command.View{
		Name: "own-tools", Scope: command.Host, Summary: "The person's own tools: how each is, and what waits for approval.",
		Read: func(context.Context, command.Query) (any, error) { return o.list(), nil },
	})
	command.Register(f, command.Command{Name: "own-tool.approve", Scope: command.Host, Summary: "approves the command of an own tool and what it may do, as they were shown",
		Params: json.RawMessage(`{"type":"object","properties":{"tool":{"type":"string"},"digest":{"type":"string"}},"required":["tool","digest"],"additionalProperties":false}`),
		Run: func(ctx context.Context, call command.Call) (any, error) {
			var a struct{ Tool, Digest string }
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return nil, fault.Wrap(fault.Invalid, "mcp.arguments", err, "The arguments are not understood. Nothing was done.")
			}
			return o.approve(ctx, a.Tool, a.Digest)
		}})
}
