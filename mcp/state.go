package mcp

import (
	"context"
	"iter"
	"maps"
	"slices"

	"fairlead/fault"
	"fairlead/graph"
)

// State is one server as people see it.
type State struct {
	Name  string `json:"name"`
	Where string `json:"where"` // its command line or its address
	// State is "disabled", "invalid", "unapproved", "changed" (started in another way
	// than was approved), "idle" (approved, started when a call needs it), "starting",
	// "ready" or "failed".
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// Digest is what an approval must repeat; "" where there is nothing to approve.
	Digest  string      `json:"digest,omitempty"`
	Tools   []ToolState `json:"tools"`
	Skipped []skipped   `json:"skipped,omitempty"`
	Since   int64       `json:"since,omitempty"` // of the connection, Unix milliseconds
	// Server and Protocol are what it calls itself and speaks.
	Server   string `json:"server,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Noise counts lines on its stdout that were no messages; Said is the end of its stderr.
	Noise  int    `json:"noise,omitempty"`
	Said   string `json:"said,omitempty"`
	Config Server `json:"config"`
}

// ToolState is one tool. State is "approved", "changed" (its words or arguments are
// others than were approved; it is not called), "new" (not approved; the model does not
// see it) or "gone" (approved, but not offered any more).
type ToolState struct {
	Name  string   `json:"name"` // under which a model sees it
	State string   `json:"state"`
	Now   *offered `json:"now,omitempty"`
	Was   *offered `json:"was,omitempty"` // where that differs
}

// List gives all servers, by name.
func (s *Servers) List() []State {
	s.mu.Lock()
	entries := maps.Clone(s.entries)
	s.mu.Unlock()
	list := []State{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		list = append(list, s.state(name, entries[name]))
	}
	return list
}

// State gives one server.
func (s *Servers) State(name string) (State, error) {
	e, err := s.find(name)
	if err != nil {
		return State{}, err
	}
	return s.state(name, e), nil
}

func (s *Servers) state(name string, e *entry) State {
	show := State{Name: name, Where: e.config.where(), Config: e.config, Tools: []ToolState{}}
	switch {
	case e.problem != nil:
		show.State, show.Reason = "invalid", fault.Person(e.problem)
		return show
	case e.config.Disabled:
		show.State = "disabled"
		return show
	case !e.known:
		show.State, show.Digest = "unapproved", e.config.digest()
		return show
	case !e.inUse():
		show.State, show.Digest = "changed", e.config.digest()
		return show
	}
	l := e.server.show(&show)
	if l == nil {
		for _, o := range e.trusted.Tools {
			show.Tools = append(show.Tools, ToolState{Name: wireName(name, o.Name), State: "approved", Now: &o})
		}
		return show
	}
	var now []offered
	now, show.Skipped = l.offers()
	show.Tools = compare(name, e.trusted, now)
	show.Digest = pendingDigest(e.trusted, now)
	return show
}

// show fills in what is known of the connection.
func (s *server) show(out *State) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.link != nil:
		out.State, out.Since = "ready", s.link.since.UnixMilli()
		if init := s.link.session.InitializeResult(); init != nil {
			out.Protocol = init.ProtocolVersion
			if init.ServerInfo != nil {
				out.Server = init.ServerInfo.Name + " " + init.ServerInfo.Version
			}
		}
		if c := s.link.child; c != nil {
			out.Noise, out.Said = c.out.skipped(), c.errors.text()
		}
	case s.coming != nil:
		out.State = "starting"
	case s.failure != nil:
		out.State, out.Reason = "failed", fault.Person(s.failure)
	default:
		out.State = "idle"
	}
	return s.link
}

// compare holds what a server offers against what was approved.
func compare(server string, was approved, now []offered) []ToolState {
	list := []ToolState{}
	for _, o := range now {
		t := ToolState{Name: wireName(server, o.Name), State: "approved", Now: &o}
		if old, ok := was.tool(o.Name); !ok {
			t.State = "new"
		} else if old.digest() != o.digest() {
			t.State, t.Was = "changed", &old
		}
		list = append(list, t)
	}
	for _, old := range was.Tools {
		if !slices.ContainsFunc(now, func(o offered) bool { return o.Name == old.Name }) {
			list = append(list, ToolState{Name: wireName(server, old.Name), State: "gone", Was: &old})
		}
	}
	return list
}

// pendingDigest names what is offered where it is not what was approved; "" where it is.
func pendingDigest(was approved, now []offered) string {
	for _, t := range compare("", was, now) {
		if t.State != "approved" {
			return digestOf(now)
		}
	}
	return ""
}

// Watch yields the list whenever something of it changed, the present one first.
func (s *Servers) Watch(ctx context.Context) iter.Seq[[]State] {
	return graph.Watch(ctx, &s.told, s.List)
}
