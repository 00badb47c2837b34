package mcp

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/settings"
	"fairlead/tool"
)

// Key names the servers.
var Key = graph.NewKey[*Servers]("mcp", "the person's MCP servers: their states, approving, testing")

// Options are what the room needs of who composes the product.
type Options struct {
	// Trust is the file that keeps what was approved.
	Trust string
	// Dir is where programs start that name no folder, absolute.
	Dir string
	// Own are the product's own folders, which no server may change.
	Own []string
	// Client reaches servers that have an address.
	Client *http.Client
	// Secret gives a variable of the environment or a saved key by its name, "" for none.
	Secret func(name string) string
	// Version is what we call ourselves.
	Version string
}

// trustEvery is how often approvals of other processes are looked for.
const trustEvery = 2 * time.Second

// Plugin connects the person's servers. It starts none of them: that is for the first
// call that needs it.
func Plugin(o Options) graph.Plugin {
	return graph.Plugin{
		Name:     "mcp",
		Doc:      "registers the approved tools of MCP servers and connects a server when a call needs it",
		Inject:   []graph.Dependency{graph.Needs(settings.DocumentKey), graph.Needs(sandbox.Key), graph.Needs(tool.RegistryKey), graph.Optional(settings.CredentialsKey)},
		Provides: []graph.AnyKey{Key},
		Apply: func(f *graph.Fiber, _ any) error {
			document, err := graph.Get(f, settings.DocumentKey)
			if err != nil {
				return err
			}
			box, err := graph.Get(f, sandbox.Key)
			if err != nil {
				return err
			}
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			document.Declare(f, Section)
			s := &Servers{document: document, trust: &trust{path: o.Trust}, fiber: f, entries: map[string]*entry{},
				deps: dependencies{box: box, client: o.Client, secret: o.Secret, dir: o.Dir, own: o.Own, log: f.Log(), registry: registry, version: o.Version}}
			if keys, err := graph.Get(f, settings.CredentialsKey); err == nil {
				s.deps.signin = &signin{keys: keys, log: f.Log()}
			}
			s.own = &ownTools{deps: s.deps, document: document, trust: s.trust, fiber: f}
			s.start(f)
			s.own.offer(f)
			tell(f, registry)
			s.offer(f)
			return graph.Provide(f, Key, s)
		},
	}
}

// start follows the settings and the approvals. The first look is before anything
// runs, so that the first request of a session knows the tools.
func (s *Servers) start(f *graph.Fiber) {
	var running sync.WaitGroup
	ctx := f.Context()
	var once sync.Once
	watch := func() { once.Do(func() { running.Go(func() { s.watchTrust(ctx, trustEvery) }) }) }
	look := func() {
		s.follow(ctx)
		if s.any() {
			watch()
		}
	}
	f.Effect("follows the MCP servers", func(context.Context) error { running.Wait(); return nil })
	if len(settings.Get(s.document, Section).Servers) > 0 {
		look()
	}
	settings.Changed.On(f, func(_ context.Context, c settings.Change) {
		if slices.Contains(c.Sections, Section.Name()) {
			running.Go(look)
		}
	})
}

func (s *Servers) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries) > 0
}

// offer registers what people see and do.
func (s *Servers) offer(f *graph.Fiber) {
	command.RegisterViews(f, command.View{
		Name: "mcp", Scope: command.Host, Summary: "The MCP servers: how each is, its tools, and what waits for approval.",
		Read: func(context.Context, command.Query) (any, error) { return s.List(), nil },
		Watch: func(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				for list := range s.Watch(ctx) {
					if !yield(list, nil) {
						return
					}
				}
			}
		},
	})
	one := json.RawMessage(`{"type":"object","properties":{"server":{"type":"string"}},"required":["server"],"additionalProperties":false}`)
	command.Register(f,
		command.Command{Name: "mcp.approve", Scope: command.Host, Summary: "approves an MCP server and its tools, as they were shown",
			Params: json.RawMessage(`{"type":"object","properties":{"server":{"type":"string"},"digest":{"type":"string"}},"required":["server","digest"],"additionalProperties":false}`),
			Run: func(ctx context.Context, call command.Call) (any, error) {
				a, err := named(call)
				if err != nil {
					return nil, err
				}
				return s.Approve(ctx, a.Server, a.Digest)
			}},
		command.Command{Name: "mcp.test", Scope: command.Host, Summary: "starts an approved MCP server, if it is not running, and asks whether it answers", Params: one,
			Run: func(ctx context.Context, call command.Call) (any, error) {
				a, err := named(call)
				if err != nil {
					return nil, err
				}
				return s.Test(ctx, a.Server)
			}},
		command.Command{Name: "mcp.forget", Scope: command.Host, Summary: "takes the approval of an MCP server back", Params: one,
			Run: func(ctx context.Context, call command.Call) (any, error) {
				a, err := named(call)
				if err != nil {
					return nil, err
				}
				return nil, s.Forget(ctx, a.Server)
			}},
	)
}

type arguments struct{ Server, Digest string }

func named(call command.Call) (a arguments, err error) {
	if err := json.Unmarshal(call.Args, &a); err != nil {
		return a, fault.Wrap(fault.Invalid, "mcp.arguments", err, "The arguments are not understood. Nothing was done.")
	}
	return a, nil
}
