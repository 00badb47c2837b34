package permission

import (
	"context"
	"encoding/json"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
)

// offerCommands registers what people can do with standing rules of projects.
func offerCommands(f *graph.Fiber, rules *Rules) {
	command.RegisterViews(f, command.View{Name: "rules", Scope: command.Host, Summary: "the standing permissions of projects",
		Read: func(context.Context, command.Query) (any, error) {
			list, err := rules.List()
			return map[string]any{"rules": append([]Rule{}, list...)}, err
		}})
	command.Register(f,
		command.Command{Name: "revoke-rule", Scope: command.Host, Summary: "takes a standing permission back",
			Params: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`),
			Run: func(_ context.Context, c command.Call) (any, error) {
				args, err := ruleArgs(c)
				if err != nil {
					return nil, err
				}
				return struct{}{}, rules.Revoke(args.ID)
			}},
		command.Command{Name: "narrow-rule", Scope: command.Host, Summary: "lets a standing permission cover fewer files",
			Params: []byte(`{"type":"object","properties":{"id":{"type":"string"},"below":{"type":"string"}},"required":["id","below"],"additionalProperties":false}`),
			Run: func(_ context.Context, c command.Call) (any, error) {
				args, err := ruleArgs(c)
				if err != nil {
					return nil, err
				}
				return struct{}{}, rules.Narrow(args.ID, args.Below)
			}},
	)
}

type ruleArguments struct {
	ID    string `json:"id"`
	Below string `json:"below"`
}

func ruleArgs(c command.Call) (ruleArguments, error) {
	var args ruleArguments
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return args, fault.Wrap(fault.Invalid, "permission.rule", err, "Say which rule. Nothing was changed.")
	}
	return args, nil
}
