package mcp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/settings"
	"fairlead/tool"
)

// Servers are all servers of the person. What is registered follows the settings and
// the record of approvals.
type Servers struct {
	deps     dependencies
	document *settings.Document
	trust    *trust
	fiber    *graph.Fiber
	told     graph.Bell
	own      *ownTools

	following sync.Mutex   // held while registrations are brought up to date
	reader    *graph.Fiber // holds mcp_read; nil where no server is in use

	mu      sync.Mutex
	entries map[string]*entry
}

// entry is one server of the settings.
type entry struct {
	config  Server
	problem error // why it cannot be used at all
	trusted approved
	known   bool // something was approved
	server  *server
	fiber   *graph.Fiber // holds its tools; nil where it is not in use
}

// inUse reports whether the server may be used as it is set.
func (e *entry) inUse() bool {
	return e.problem == nil && !e.config.Disabled && e.known && e.trusted.Launch == e.config.digest()
}

// same reports whether two entries are used in the same way.
func (e *entry) same(o *entry) bool {
	return o != nil && e.inUse() == o.inUse() && e.config.digest() == o.config.digest() && e.config.limit() == o.config.limit() && digestOf(e.trusted) == digestOf(o.trusted)
}

// follow brings what is registered in line with the settings and the approvals.
func (s *Servers) follow(ctx context.Context) {
	s.following.Lock()
	defer s.following.Unlock()
	wanted := map[string]*entry{}
	for name, config := range settings.Get(s.document, Section).Servers {
		e := &entry{config: config, problem: config.check(name)}
		var err error
		if e.trusted, e.known, err = s.trust.get(name); err != nil {
			e.problem = errors.Join(e.problem, err)
		}
		wanted[name] = e
	}
	s.mu.Lock()
	before := s.entries
	s.mu.Unlock()
	for name, old := range before {
		if next := wanted[name]; next != nil && next.same(old) {
			next.server, next.fiber = old.server, old.fiber
		} else if old.fiber != nil {
			if err := old.fiber.Dispose(ctx); err != nil {
				s.deps.log.Warn("an MCP server is not all gone", "server", name, "error", err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if e := wanted[name]; e.inUse() && e.fiber == nil {
			s.mount(name, e)
		}
	}
	s.offerReading(ctx, wanted)
	s.mu.Lock()
	s.entries = wanted
	s.mu.Unlock()
	s.told.Ring()
}

// mount registers the approved tools of a server. Nothing is started.
func (s *Servers) mount(name string, e *entry) {
	ctx, cancel := context.WithCancel(s.fiber.Context())
	e.server = &server{name: name, config: e.config, deps: s.deps, ctx: ctx, changed: s.told.Ring}
	var err error
	e.fiber, err = s.fiber.Plug("server "+name, graph.Plugin{
		Name: "mcp-server", Doc: "The approved tools of one MCP server.",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			f.Effect("connection to "+name, func(ctx context.Context) error {
				cancel()
				return e.server.close(ctx)
			})
			for _, o := range e.trusted.Tools {
				if err := registry.Register(f, &remote{name: wireName(name, o.Name), server: e.server, offer: o}); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil)
	if err != nil {
		cancel()
		e.problem = err
		s.deps.log.Warn("an MCP server cannot be used", "server", name, "error", err)
	}
}

// offerReading has the tool mcp_read there while a server is in use.
func (s *Servers) offerReading(ctx context.Context, wanted map[string]*entry) {
	used := false
	for _, e := range wanted {
		used = used || e.inUse()
	}
	var err error
	switch {
	case used && s.reader == nil:
		s.reader, err = s.fiber.Plug("reading", graph.Plugin{
			Name: "mcp-read", Doc: "The tool that reads resources and prompts of MCP servers.", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)},
			Apply: func(f *graph.Fiber, _ any) error {
				registry, err := graph.Get(f, tool.RegistryKey)
				if err != nil {
					return err
				}
				return registry.Register(f, &resources{s})
			},
		}, nil)
	case !used && s.reader != nil:
		err = s.reader.Dispose(ctx)
		s.reader = nil
	}
	if err != nil {
		s.deps.log.Warn("the tool mcp_read is not as it should be", "error", err)
	}
}

// watchTrust follows approvals that another process wrote, as long as there are
// servers to approve.
func (s *Servers) watchTrust(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := s.trust.stamp()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := s.trust.stamp(); now != last {
			last = now
			s.follow(ctx)
		}
	}
}

// find gives a server of the settings.
func (s *Servers) find(name string) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[name]
	if e == nil {
		return nil, fault.New(fault.NotFound, "mcp.find", "There is no MCP server %q. Nothing was done; see fairlead mcp list.", name)
	}
	return e, nil
}

// Approve records, as a person's act, what a server is and offers. digest is the one
// of its [State]: it names exactly what the person was shown, and another one is a
// fault.Conflict. A server that was not approved yet, or is started in another way
// now, is started for it; what it offers then is approved with it.
func (s *Servers) Approve(ctx context.Context, name, digest string) (State, error) {
	e, err := s.find(name)
	if err == nil {
		err = e.problem
	}
	if err != nil {
		return State{}, err
	}
	if digest != s.state(name, e).Digest {
		return State{}, fault.New(fault.Conflict, "mcp.approve", "The MCP server %s is not any more what you were shown. Nothing was approved; look at it again.", name)
	}
	var tools []offered
	if e.inUse() {
		l, err := e.server.use(ctx)
		if err != nil {
			return State{}, err
		}
		tools, _ = l.offers()
	} else if tools, err = s.try(ctx, name, e.config); err != nil {
		return State{}, err
	}
	if e.inUse() && pendingDigest(e.trusted, tools) != digest {
		return State{}, fault.New(fault.Conflict, "mcp.approve", "The MCP server %s changed its tools meanwhile. Nothing was approved; look at them again.", name)
	}
	if err := s.trust.put(name, &approved{Launch: e.config.digest(), Tools: tools, At: time.Now().UnixMilli()}); err != nil {
		return State{}, err
	}
	s.follow(ctx)
	if e, err = s.find(name); err != nil {
		return State{}, err
	}
	return s.state(name, e), s.settle(ctx, e)
}

// settle waits until what a server brought is there to be called.
func (s *Servers) settle(ctx context.Context, e *entry) error {
	s.following.Lock()
	fibers := []*graph.Fiber{e.fiber, s.reader}
	s.following.Unlock()
	for _, f := range fibers {
		if f == nil {
			continue
		}
		if err := f.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// try starts a server beside the others, reads its tools, and ends it.
func (s *Servers) try(ctx context.Context, name string, config Server) ([]offered, error) {
	one, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &server{name: name, config: config, deps: s.deps, ctx: one, changed: func() {}}
	l, err := server.use(ctx)
	if err != nil {
		return nil, err
	}
	tools, _ := l.offers()
	server.drop(l)
	return tools, server.close(ctx)
}

// Test makes sure that a server in use answers, and gives its state.
func (s *Servers) Test(ctx context.Context, name string) (State, error) {
	e, err := s.find(name)
	if err != nil {
		return State{}, err
	}
	if !e.inUse() {
		return s.state(name, e), fault.New(fault.Denied, "mcp.test", "The MCP server %s is not approved, so it was not started. Look at it and approve it: fairlead mcp approve %s.", name, name)
	}
	l, err := e.server.use(ctx)
	if err != nil {
		return s.state(name, e), err
	}
	if err := l.session.Ping(ctx, nil); err != nil {
		e.server.drop(l)
		return s.state(name, e), e.server.unusable(l.child, err)
	}
	return s.state(name, e), nil
}

// Forget takes an approval back; the server's settings stay.
func (s *Servers) Forget(ctx context.Context, name string) error {
	if err := s.trust.put(name, nil); err != nil {
		return err
	}
	s.follow(ctx)
	return nil
}
