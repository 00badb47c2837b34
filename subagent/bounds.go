package subagent

import (
	"context"
	"encoding/json"
	"fmt"

	"fairlead/agent"
	"fairlead/session"
	"fairlead/tool"
)

const (
	mostAsked = 2 // how often an answer that does not fit is asked for again
	rowEvery  = 8 // steps between two notes of what a helper used up
)

// preStep ends a helper's turn that has used up what it was given, and keeps its row.
func (c *crew) preStep(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	r, err := role(p.Agent.Log())
	if err != nil || r.Parent == "" {
		return admit(ctx, p, next, err)
	}
	if reject := r.Budget.reached(r); reject != nil {
		return agent.Admission{Messages: p.Messages, Reject: reject}, nil
	}
	if j := c.by(p.Agent.ID()); j != nil && p.Step%rowEvery == 1 {
		d := ChangedData{Helper: j.helper, Status: Working}
		if p.Step > 1 {
			d.Tokens, d.Steps = r.AllTokens, r.AllSteps
		}
		c.note(ctx, j, d)
	}
	return next(ctx, p)
}

func admit(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error), err error) (agent.Admission, error) {
	if err != nil {
		return agent.Admission{}, err
	}
	return next(ctx, p)
}

// reached is the end of a round whose budget is used up, nil where there is some left.
func (b Budget) reached(r Role) *agent.Rejection {
	switch {
	case b.Steps > 0 && r.Steps >= b.Steps:
		return spent("steps", fmt.Sprintf("It made %d steps, which is all that it was given.", r.Steps))
	case b.Tokens > 0 && r.Tokens >= b.Tokens:
		return spent("tokens", fmt.Sprintf("It used %d tokens, and was given %d.", r.Tokens, b.Tokens))
	}
	return nil
}

func spent(by, text string) *agent.Rejection {
	return &agent.Rejection{Reason: session.EndReason{Kind: session.EndBudget, By: by}, Text: text}
}

// turnStopping has a helper write its answer again where it does not fit its schema.
func (c *crew) turnStopping(_ context.Context, s *agent.Stop) error {
	r, err := role(s.Agent.Log())
	if err != nil || r.Schema == nil || r.Asked >= mostAsked || len(c.of(s.Agent.ID())) > 0 {
		return err
	}
	_, misfit := tool.Conform(json.RawMessage(r.lastWords()), r.Schema)
	if misfit == nil {
		return nil
	}
	s.GoOn(complaint, fmt.Sprintf("Your last message is not what was asked for: %v. Write it again: one JSON value that fits the schema, and nothing else.", misfit))
	return nil
}

// lastWords is the text of the last reply, a blank where it had none.
func (r Role) lastWords() string {
	if !r.Said {
		return " "
	}
	return r.Text
}
