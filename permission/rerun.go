package permission

import (
	"context"
	"maps"
	"slices"
	"strings"

	"fairlead/fault"
	"fairlead/sandbox"
	"fairlead/tool"
)

// Rerun is [tool.Rerunner]: a command that may run has tried to change protected paths.
// Plan is a no, as is anything but a command; where nobody is there, nobody answers.
func (s *Service) Rerun(ctx context.Context, call *tool.Call, paths []string) (tool.Answer, error) {
	state, err := s.state(call.Log)
	if err != nil {
		return tool.Answer{}, err
	}
	mode := state.ofTurn(call.Turn, s.mark)
	commander, ok := call.Uses.(tool.Commander)
	if !ok || mode == Plan || !denies(call.Policy, paths) {
		return tool.Answer{DeniedBy: "mode"}, s.Record(ctx, call, refused("protected path"))
	}
	if _, ok := commander.Command(call); !ok {
		return tool.Answer{DeniedBy: "mode"}, s.Record(ctx, call, refused("protected path"))
	}
	chat, err := s.chatOf(ctx, call.Log)
	if err != nil {
		return tool.Answer{}, err
	}
	policy, names := call.Policy, strings.Join(paths, ", ")
	facts := []tool.Fact{{Key: "card.rerun", Values: map[string]any{"path": names}, Warn: true}}
	if policy.Network {
		facts = append(facts, tool.Fact{Key: "card.network-open"})
	}
	again := func(ctx context.Context) (tool.Verdict, []offer, error) {
		card, err := rerunCard(ctx, call, paths)
		return tool.Verdict{Decision: tool.Ask, Grave: names, Reason: "protected path", Card: card, Policy: allowing(policy, paths), Facts: facts}, nil, err
	}
	verdict, _, err := again(ctx)
	if err != nil {
		return tool.Answer{}, err
	}
	return s.put(ctx, &question{call: call, verdict: verdict, mode: mode, chat: chat, record: s.record, again: again, closed: make(chan struct{})})
}

// denies reports whether a policy holds just these paths back: a rerun widens what
// was refused and nothing else.
func denies(p sandbox.Policy, paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(p.Deny, path) })
}

// allowing is a policy without its hold on some protected paths.
func allowing(p sandbox.Policy, paths []string) sandbox.Policy {
	p.Deny = slices.DeleteFunc(slices.Clone(p.Deny), func(path string) bool { return slices.Contains(paths, path) })
	return p
}

// rerunCard is the card of the command itself, bound to the protected paths as well.
func rerunCard(ctx context.Context, call *tool.Call, paths []string) (*tool.Card, error) {
	card, err := draw(ctx, call)
	if err != nil {
		return nil, err
	}
	binds := maps.Clone(card.Binds)
	if binds == nil {
		binds = map[string]string{}
	}
	for _, path := range paths {
		resolved, err := tool.Resolve(path)
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, "permission.rerun", err, "The protected path %s cannot be followed.", path)
		}
		if binds[resolved], err = tool.Identity(resolved); err != nil {
			return nil, err
		}
	}
	card.Binds = binds
	return card, nil
}
