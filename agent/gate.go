package agent

import (
	"context"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// Modes of a turn. Anything else is read as Manual.
const (
	Manual = "manual"
	Plan   = "plan"
	Bypass = "bypass"
)

// Gate admits a turn under a mode. It is provided by the slice that enforces modes.
type Gate interface {
	// Admit settles the mode of a turn before it starts: an empty mode is the
	// session's own. The mode is written, read back and confirmed; where it cannot
	// be enforced the error has code "mode-unavailable", and the turn ends blocked.
	Admit(ctx context.Context, log *session.Log, turn int, mode string) (string, error)
}

// GateKey is where the gate is provided.
var GateKey = graph.NewKey[Gate]("agent.gate", "admits a turn under a mode; without it only Bypass turns run")

// CodeModeUnavailable marks a turn whose mode nobody enforces.
const CodeModeUnavailable = "mode-unavailable"

// admit asks the gate. Without one, a turn that relies on a gate does not run.
func (a *Agent) admit(ctx context.Context, turn int, mode string) (string, error) {
	if gate, ok := graph.Lookup(a.Realm(), GateKey); ok {
		return gate.Admit(ctx, a.log, turn, mode)
	}
	if mode == Bypass {
		return mode, nil
	}
	if mode != Plan {
		mode = Manual
	}
	return mode, fault.New(fault.Unavailable, "agent.admit",
		"The part that enforces permissions is not loaded, so this turn did not start and nothing was changed. Enable the row `permission` and send the message again.").WithCode(CodeModeUnavailable)
}
