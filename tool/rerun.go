package tool

import (
	"context"

	"fairlead/fault"
	"fairlead/graph"
)

// Rerunner is an [Asker] that can offer what a command was refused: one more run of
// the same, with the protected paths writable that it tried to change.
type Rerunner interface {
	// Rerun asks a person, and logs the question and the decision as [Asker] does. paths
	// are absolute and among call.Policy.Deny. A yes carries the wider policy, for this
	// one run.
	Rerun(ctx context.Context, call *Call, paths []string) (Answer, error)
}

// AskRerun asks whether the command of a call, which has ended, may run once more with
// these protected paths writable. A yes confines and confirms the call anew. It can be
// asked once for a call; a second time, and where nobody can be asked, it is a no.
func (c *Call) AskRerun(ctx context.Context, paths []string) (Answer, error) {
	no := Answer{DeniedBy: "nobody"}
	if c.rerun || c.realm == nil {
		return no, nil
	}
	asker, ok := graph.Lookup(c.realm, AskKey)
	if !ok {
		return no, nil
	}
	again, ok := asker.(Rerunner)
	if !ok {
		return no, nil
	}
	c.rerun = true
	answer, err := again.Rerun(ctx, c, paths)
	switch {
	case err != nil:
		return no, fault.Wrap(fault.KindOf(err), "tool.rerun", err, "It could not be asked whether the command may run once more, so it did not.")
	case answer.Approved:
		c.Policy, c.Confirm = answer.Policy, answer.Confirm
	}
	return answer, nil
}
