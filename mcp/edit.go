package mcp

import (
	"context"

	"fairlead/fault"
	"fairlead/settings"
)

// Add writes a server into the settings. It is not started: that takes an approval.
// A name that is taken is a fault.Conflict.
func (s *Servers) Add(ctx context.Context, name string, config Server) (State, error) {
	if err := config.check(name); err != nil {
		return State{}, err
	}
	if _, taken := settings.Get(s.document, Section).Servers[name]; taken {
		return State{}, fault.New(fault.Conflict, "mcp.add", "There is an MCP server %q already. Nothing was changed; choose another name, or remove it first.", name)
	}
	if err := s.write(ctx, name, config.plain()); err != nil {
		return State{}, err
	}
	return s.State(name)
}

// Remove takes a server out of the settings, and its approval back.
func (s *Servers) Remove(ctx context.Context, name string) error {
	if _, there := settings.Get(s.document, Section).Servers[name]; !there {
		return fault.New(fault.NotFound, "mcp.remove", "There is no MCP server %q. Nothing was changed; see fairlead mcp list.", name)
	}
	if err := s.trust.put(name, nil); err != nil {
		return err
	}
	return s.write(ctx, name, nil)
}

// OwnTools gives the person's own tools, by name.
func (s *Servers) OwnTools() []OwnState { return s.own.list() }

// ApproveOwn records, as a person's act, the command of an own tool and what it may do.
// Another digest than that of its state is a fault.Conflict.
func (s *Servers) ApproveOwn(ctx context.Context, name, digest string) (OwnState, error) {
	return s.own.approve(ctx, name, digest)
}

func (s *Servers) write(ctx context.Context, name string, value any) error {
	if _, err := s.document.Patch(ctx, s.document.Revision(), map[string]any{"mcp.servers." + name: value}); err != nil {
		return err
	}
	s.follow(ctx)
	return nil
}

// plain is what is written of a server: the keys that say something.
func (s Server) plain() map[string]any {
	keys := map[string]any{}
	list := func(name string, words []string) {
		if len(words) > 0 {
			values := make([]any, len(words))
			for i, w := range words {
				values[i] = w
			}
			keys[name] = values
		}
	}
	word := func(name, text string) {
		if text != "" {
			keys[name] = text
		}
	}
	list("command", s.Command)
	list("env", s.Env)
	list("write", s.Write)
	word("url", s.URL)
	word("key", s.Key)
	word("folder", s.Folder)
	if s.Limit > 0 {
		keys["limit"] = s.Limit.String()
	}
	if s.Network {
		keys["network"] = true
	}
	return keys
}
