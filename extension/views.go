package extension

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// shownPackage is a package as people and the model see it.
type shownPackage struct {
	Name     string         `json:"name"`
	Versions []shownVersion `json:"versions"`
	// Running is the version that runs, 0 for none; State is its fiber's.
	Running int          `json:"running,omitempty"`
	State   string       `json:"state"`
	Reason  string       `json:"reason,omitempty"`
	Offers  []string     `json:"offers,omitempty"`
	Panels  []shownPanel `json:"panels,omitempty"`
}

type shownVersion struct {
	Number  int    `json:"number"`
	Purpose string `json:"purpose,omitempty"`
	SHA256  string `json:"sha256"`
	At      int64  `json:"at"`
}

// shownPanel names a panel; its HTML is read by name.
type shownPanel struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// list shows all packages, by name.
func (s *shelf) list() []shownPackage {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]shownPackage, 0, len(s.packages))
	for _, p := range s.packages {
		one := shownPackage{Name: p.name, State: "stopped"}
		for _, v := range p.versions {
			one.Versions = append(one.Versions, shownVersion{v.number, v.purpose, v.sum, v.at.UnixMilli()})
		}
		if r := p.running; r != nil {
			one.Running, one.State, one.Offers = r.version.number, string(r.fiber.State()), r.offered().list()
			if err := r.fiber.Err(); err != nil {
				one.Reason = fault.Person(err)
			}
			for _, panel := range r.offered().panels {
				one.Panels = append(one.Panels, shownPanel{panel.Name, panel.Title})
			}
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b shownPackage) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// panel gives the HTML of a panel of a running package.
func (s *shelf) panel(name, panel string) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.packages[name]; p != nil && p.running != nil {
		for _, one := range p.running.offered().panels {
			if one.Name == panel {
				return one, nil
			}
		}
	}
	return nil, fault.New(fault.NotFound, "extension.panel", "No running package shows a panel %q.", panel)
}

// offer gives the person the same sight and the last word.
func (s *shelf) offer(f *graph.Fiber) {
	command.RegisterViews(f,
		command.View{
			Name: "packages", Scope: command.Session, Summary: "The dynamic packages of the session: versions, state, what they offer.",
			Read: func(context.Context, command.Query) (any, error) { return s.list(), nil },
			Watch: func(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
				return func(yield func(any, error) bool) {
					for list := range graph.Watch(ctx, &s.changed, s.list) {
						if !yield(list, nil) {
							return
						}
					}
				}
			},
		},
		command.View{
			Name: "package.panel", Scope: command.Session, Summary: "The HTML of a panel, for a frame without any rights.", Params: []string{"name", "panel"},
			Read: func(_ context.Context, q command.Query) (any, error) {
				return s.panel(q.Params["name"], q.Params["panel"])
			},
		})
	const params = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`
	verb := func(name, summary string, do func(ctx context.Context, log *session.Log, name string) error) command.Command {
		return command.Command{Name: name, Scope: command.Session, Summary: summary, Params: json.RawMessage(params), Run: func(ctx context.Context, call command.Call) (any, error) {
			var a args
			if err := json.Unmarshal(call.Args, &a); err != nil {
				return nil, fault.Wrap(fault.Invalid, "extension.command", err, "%s names a package. Nothing was changed.", name)
			}
			host, ok := graph.Lookup(f.Realm(), agent.HostKey)
			if !ok {
				return nil, fault.New(fault.Unavailable, "extension.command", "No agent runs here. Nothing was changed.")
			}
			owner, err := host.Open(ctx, session.ID(call.Session))
			if err != nil {
				return nil, err
			}
			return struct{}{}, do(ctx, owner.Log(), a.Name)
		}}
	}
	command.Register(f,
		verb("package.stop", "Stop a dynamic package; its versions are kept.", func(ctx context.Context, log *session.Log, name string) error {
			_, err := s.stop(ctx, log, 0, 0, name, "person")
			return err
		}),
		verb("package.undefine", "Stop a dynamic package and forget its versions.", func(ctx context.Context, log *session.Log, name string) error {
			return s.undefine(ctx, log, 0, 0, name, "person")
		}))
}
