package toolbox

import (
	"context"
	"errors"
	"slices"
	"sync"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/tool"
)

// SwitchesPlugin keeps groups of tools that the person switched off out of sessions,
// and lists them. A switch counts from a session's next message: the tools of a turn
// stay the same.
func SwitchesPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "tool-switches",
		Doc:    "takes groups of tools away from the model that the person switched off",
		Inject: []graph.Dependency{graph.Needs(settings.DocumentKey), graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			document, err1 := graph.Get(f, settings.DocumentKey)
			registry, err2 := graph.Get(f, tool.RegistryKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			document.Declare(f, tool.Section)
			s := &switches{document: document, rooms: map[session.ID]*switched{}}
			agent.Opening.On(f, s.enter)
			agent.PreStep.On(f, s.apply)
			command.RegisterViews(f, command.View{
				Name: "tools", Scope: command.Host, Summary: "The groups of tools: which are on, and the tools of each that every session has.",
				Read: func(context.Context, command.Query) (any, error) { return s.groups(registry, f.Realm()), nil },
			})
			return nil
		},
	}
}

// switches are the filters of live sessions.
type switches struct {
	document *settings.Document
	mu       sync.Mutex
	rooms    map[session.ID]*switched
}

// switched is what is taken away from one session. Only its loop touches the last two.
type switched struct {
	room   *graph.Fiber
	denied []string
	filter *graph.Fiber // nil where nothing is
}

// enter knows a session for as long as its realm lasts.
func (s *switches) enter(_ context.Context, o agent.Opened) {
	s.mu.Lock()
	s.rooms[o.Log.ID()] = &switched{room: o.Room}
	s.mu.Unlock()
	o.Room.Effect("follows the switches of tools", func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.rooms, o.Log.ID())
		return nil
	})
}

// apply brings a session's tools in line with the settings when a turn begins.
func (s *switches) apply(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	s.mu.Lock()
	one := s.rooms[p.Agent.ID()]
	s.mu.Unlock()
	if p.Step == 1 && one != nil {
		if err := one.set(ctx, tool.SwitchedOff(s.document)); err != nil {
			return agent.Admission{}, err
		}
	}
	return next(ctx, p)
}

func (o *switched) set(ctx context.Context, filter tool.Filter) error {
	if slices.Equal(filter.Deny, o.denied) {
		return nil
	}
	if o.filter != nil {
		if err := o.filter.Dispose(ctx); err != nil {
			return err
		}
		o.filter, o.denied = nil, nil
	}
	if len(filter.Deny) == 0 {
		return nil
	}
	var err error
	if o.filter, err = tool.Narrow(ctx, o.room, "switched-off", "switched-off tools", "takes away what the person switched off", filter); o.filter != nil {
		o.denied = filter.Deny
	}
	return err
}

// groupState is a group as people see it.
type groupState struct {
	Name  string   `json:"name"`
	On    bool     `json:"on"`
	Tools []string `json:"tools"`
}

func (s *switches) groups(registry *tool.Registry, realm *graph.Realm) []groupState {
	var states []groupState
	for _, g := range tool.Groups() {
		state := groupState{Name: g.Name, On: !tool.IsOff(s.document, g.Name), Tools: []string{}}
		for _, t := range registry.View(realm) {
			if name := t.Schema().Name; g.Holds(name) {
				state.Tools = append(state.Tools, name)
			}
		}
		states = append(states, state)
	}
	return states
}
