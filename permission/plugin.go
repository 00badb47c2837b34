package permission

import (
	"context"

	"fairlead/agent"
	"fairlead/config"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/tool"
)

// Plugin provides the gate: under [Key] for front doors, as [agent.Gate] for turns
// and as [tool.Asker] for calls, and judges every call.
func Plugin(options Options) graph.Plugin {
	return graph.Plugin{
		Name:     "permission",
		Doc:      "decides what runs, what is asked and what is refused; keeps the questions that wait for a person",
		Inject:   []graph.Dependency{graph.Optional(settings.DocumentKey), graph.Optional(settings.RedactorKey), graph.Optional(sandbox.Key)},
		Provides: []graph.AnyKey{Key, agent.GateKey, tool.AskKey, config.TrustKey},
		Apply: func(f *graph.Fiber, _ any) error {
			options := options
			if options.Log == nil {
				options.Log = f.Log()
			}
			if box, err := graph.Get(f, sandbox.Key); err == nil && options.Probe == nil {
				options.Probe = box.Probe
			}
			realm := f.Realm()
			options.Realm = realm
			if options.Sessions == nil {
				options.Sessions = func() (*session.Library, bool) { return graph.Lookup(realm, session.LibraryKey) }
			}
			if redactor, err := graph.Get(f, settings.RedactorKey); err == nil && options.Secret == nil {
				options.Secret = redactor.Secret
			}
			s := New(options)
			tool.PreExecute.On(f, func(ctx context.Context, call *tool.Call, next func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
				mine, err := s.Judge(ctx, call)
				if err != nil || mine.Decision == tool.Deny {
					return mine, err
				}
				other, err := next(ctx, call)
				return stricter(mine, other), err
			})
			if d, err := graph.Get(f, settings.DocumentKey); err == nil {
				s.follow(f, d)
			}
			offerSessionRules(f)
			if options.Rules != nil {
				offerCommands(f, options.Rules)
			}
			if s.trust != nil {
				if err := s.followFolders(f); err != nil {
					return err
				}
			}
			if err := graph.Provide(f, Key, s); err != nil {
				return err
			}
			if err := graph.Provide[agent.Gate](f, agent.GateKey, s); err != nil {
				return err
			}
			return graph.Provide[tool.Asker](f, tool.AskKey, s)
		},
	}
}
