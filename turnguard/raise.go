package turnguard

import (
	"context"
	"encoding/json"
	"time"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// raise is what a person allows a session: nothing at all doubles what ended the
// last turn.
type raise struct {
	Scope   string  `json:"scope"`
	Steps   int     `json:"steps"`
	Tokens  int     `json:"tokens"`
	USD     float64 `json:"usd"`
	Seconds int     `json:"seconds"`
	// Text is what the agent is told; empty only raises.
	Text string `json:"text"`
}

// offerRaise registers the way past a budget.
func offerRaise(f *graph.Fiber, b *keeper) {
	command.Register(f, command.Command{
		Name: "budget.raise", Scope: command.Session, Summary: "Give this session a larger budget, by default twice the one it reached, and go on with the text.",
		Params: json.RawMessage(`{"type":"object","properties":{"scope":{"enum":["turn","session","goal","tree"]},"steps":{"type":"integer","minimum":1},"tokens":{"type":"integer","minimum":1},` +
			`"usd":{"type":"number","exclusiveMinimum":0},"seconds":{"type":"integer","minimum":1},"text":{"type":"string"}},"additionalProperties":false}`),
		Run: func(ctx context.Context, c command.Call) (any, error) {
			var r raise
			if len(c.Args) > 0 {
				if err := json.Unmarshal(c.Args, &r); err != nil {
					return nil, fault.Wrap(fault.Invalid, "turnguard.raise", err, "A budget names a scope and its limits. Nothing was changed.")
				}
			}
			a, err := b.host.Open(ctx, session.ID(c.Session))
			if err != nil {
				return nil, err
			}
			return b.raise(ctx, a, r)
		},
	})
}

func (b *keeper) raise(ctx context.Context, a *agent.Agent, r raise) (BudgetRaisedData, error) {
	s, err := session.StateOf(a.Log(), Spent)
	if err != nil {
		return BudgetRaisedData{}, err
	}
	d := BudgetRaisedData{Scope: r.Scope, Limits: Limits{Steps: r.Steps, Tokens: r.Tokens, USD: r.USD, Time: time.Duration(r.Seconds) * time.Second}}
	switch {
	case d.Limits != (Limits{}) && d.Scope == "" && s.Reached != nil:
		d.Scope = s.Reached.Scope
	case d.Limits != (Limits{}) && d.Scope == "":
		d.Scope = scopeTurn
	case d.Limits == (Limits{}):
		if s.Reached == nil || d.Scope != "" && d.Scope != s.Reached.Scope {
			return BudgetRaisedData{}, fault.New(fault.Invalid, "turnguard.raise", "No budget of this session was reached. Nothing was changed; name a limit, such as steps.")
		}
		d.Scope = s.Reached.Scope
		tally, err := b.used(ctx, a, s, d.Scope)
		if err != nil {
			return BudgetRaisedData{}, err
		}
		d.Limits = b.limits(d.Scope, s).larger(s.Reached.By, tally)
	}
	if (&Budgets{}).of(d.Scope) == nil {
		return BudgetRaisedData{}, fault.New(fault.Invalid, "turnguard.raise", "There is no budget for %q. Nothing was changed; choose turn, session, goal or tree.", d.Scope)
	}
	if _, err := a.Log().Append(ctx, BudgetRaised.New(0, 0, d)); err != nil {
		return BudgetRaisedData{}, err
	}
	if r.Text != "" {
		_, err = a.Send(ctx, agent.Input{Content: llm.Text(r.Text)})
		return d, err
	}
	return d, a.Log().Flush(ctx)
}

// used is what was used up in a scope.
func (b *keeper) used(ctx context.Context, a *agent.Agent, s Spending, scope string) (Tally, error) {
	switch scope {
	case scopeSession:
		return s.Session, nil
	case scopeGoal:
		return s.Goal, nil
	case scopeTree:
		return b.kin.tree(ctx, a.Log(), time.Now())
	}
	return s.Turn, nil
}
