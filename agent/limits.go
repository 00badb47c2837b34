package agent

import (
	"context"
	"fmt"
	"time"

	"fairlead/session"
)

// Limits bound one turn. A zero limit is none.
type Limits struct {
	// Steps is how many model requests a turn may make.
	Steps int `yaml:"steps" json:"steps"`
	// Tokens is how many tokens a turn may use, in and out.
	Tokens int `yaml:"tokens" json:"tokens"`
	// Time is how long a turn may take.
	Time time.Duration `yaml:"time" json:"time"`
}

// spent says which limit a turn has reached, nil for none.
func (l Limits) spent(t *turn) *Rejection {
	used := max(t.usage.Input, 0) + max(t.usage.Output, 0)
	switch {
	case l.Steps > 0 && t.steps >= l.Steps:
		return &Rejection{Reason: session.EndReason{Kind: session.EndBudget, By: "steps"}, Key: "end.steps",
			Text: fmt.Sprintf("The turn reached its limit of %d steps and stopped there. What was done so far stands; say \"go on\", with a larger limit if need be.", l.Steps)}
	case l.Tokens > 0 && used >= l.Tokens:
		return &Rejection{Reason: session.EndReason{Kind: session.EndBudget, By: "tokens"}, Key: "end.tokens",
			Text: fmt.Sprintf("The turn used %d tokens, its limit is %d, and stopped there. What was done so far stands; say \"go on\", with a larger limit if need be.", used, l.Tokens)}
	}
	return nil
}

// watch ends the turn when its time is over, in the middle of whatever it does.
func (l Limits) watch(ctx context.Context, t *turn) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(l.Time, func() {
		t.end(session.EndReason{Kind: session.EndBudget, By: "time"}, "end.time",
			fmt.Sprintf("The turn reached its time limit of %s and was stopped. What was done so far stands; say \"go on\", with a larger limit if need be.", l.Time))
		cancel()
	})
	return ctx, func() { timer.Stop(); cancel() }
}
