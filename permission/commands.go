package permission

import (
	"context"
	"encoding/json"
	"slices"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// offerCommands registers what people can do with standing rules of projects.
func offerCommands(f *graph.Fiber, rules *Rules) {
	command.RegisterViews(f, command.View{Name: "rules", Scope: command.Host, Summary: "the standing permissions of projects",
		Read: func(context.Context, command.Query) (any, error) {
			list, err := rules.List()
			return map[string]any{"rules": append([]Rule{}, list...)}, err
		}})
	command.Register(f,
		command.Command{Name: "rule.revoke", Scope: command.Host, Summary: "takes a standing permission back",
			Params: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`),
			Run: func(_ context.Context, c command.Call) (any, error) {
				args, err := ruleArgs(c)
				if err != nil {
					return nil, err
				}
				return struct{}{}, rules.Revoke(args.ID)
			}},
		command.Command{Name: "rule.narrow", Scope: command.Host, Summary: "lets a standing permission cover less: a folder, a pattern or a command inside what it covers",
			Params: []byte(`{"type":"object","properties":{"id":{"type":"string"},"to":{"type":"string"}},"required":["id","to"],"additionalProperties":false}`),
			Run: func(_ context.Context, c command.Call) (any, error) {
				args, err := ruleArgs(c)
				if err != nil {
					return nil, err
				}
				return struct{}{}, rules.Narrow(args.ID, args.To)
			}},
	)
}

// offerSessionRules registers taking back a rule that was given for a session.
func offerSessionRules(f *graph.Fiber) {
	command.Register(f, command.Command{Name: "rule.forget", Scope: command.Session, Summary: "takes a permission back that was given for this session",
		Params: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`),
		Run: func(ctx context.Context, c command.Call) (any, error) {
			args, err := ruleArgs(c)
			if err != nil {
				return nil, err
			}
			host, ok := graph.Lookup(f.Realm(), agent.HostKey)
			if !ok {
				return nil, fault.New(fault.Unavailable, "permission.rule", "No sessions are driven here. Nothing was changed.")
			}
			a, err := host.Open(ctx, session.ID(c.Session))
			if err != nil {
				return nil, err
			}
			return struct{}{}, forgetRule(ctx, a.Log(), args.ID)
		}})
}

// forgetRule takes a session's rule back; what was allowed by it stays done.
func forgetRule(ctx context.Context, log *session.Log, id string) error {
	rules, err := session.StateOf(log, rulesProjection)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if at < 0 {
		return fault.New(fault.NotFound, "permission.rule", "The session has no rule %s. Nothing was changed.", id)
	}
	if _, err := log.Append(ctx, RuleChanged.New(0, 0, RuleChangedData{Op: "removed", Rule: rules[at]})); err != nil {
		return err
	}
	return log.Flush(ctx)
}

type ruleArguments struct {
	ID string `json:"id"`
	To string `json:"to"`
}

func ruleArgs(c command.Call) (ruleArguments, error) {
	var args ruleArguments
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return args, fault.Wrap(fault.Invalid, "permission.rule", err, "Say which rule. Nothing was changed.")
	}
	return args, nil
}

// offerTrust registers what people can do with their answers about folders.
func offerTrust(f *graph.Fiber, s *Service) {
	command.RegisterViews(f, command.View{Name: "trust", Scope: command.Host, Summary: "what was answered about files that folders bring along",
		Read: func(context.Context, command.Query) (any, error) {
			list, err := s.trust.kept.List()
			return map[string]any{"folders": append([]Trusted{}, list...)}, err
		}})
	command.Register(f, command.Command{Name: "trust.revoke", Scope: command.Host, Summary: "forgets what was answered about a folder; it is asked about again when it is opened",
		Params: []byte(`{"type":"object","properties":{"folder":{"type":"string"}},"required":["folder"],"additionalProperties":false}`),
		Run: func(ctx context.Context, c command.Call) (any, error) {
			var args struct {
				Folder string `json:"folder"`
			}
			if err := json.Unmarshal(c.Args, &args); err != nil {
				return nil, fault.Wrap(fault.Invalid, "permission.trust", err, "Say which folder. Nothing was changed.")
			}
			if err := s.trust.kept.Revoke(args.Folder); err != nil {
				return nil, err
			}
			s.trustChanged(ctx, args.Folder)
			return struct{}{}, nil
		}})
}
