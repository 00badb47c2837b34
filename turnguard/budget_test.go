package turnguard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/turnguard"
)

const endless = "reply\n  call echo {}\n  usage 70 5"

func TestABudgetEndsATurnWithItsFigure(t *testing.T) {
	dear := &llm.Price{Input: 1000, Output: 10000}
	for name, c := range map[string]struct {
		limits turnguard.Limits
		script string
		price  *llm.Price
		by     string
		said   string
	}{
		"steps":               {turnguard.Limits{Steps: 2}, endless, nil, "steps", "made 2 steps, and its budget is 2"},
		"tokens":              {turnguard.Limits{Tokens: 100}, endless, nil, "tokens", "used 150 tokens, and its budget is 100"},
		"money":               {turnguard.Limits{USD: 0.2}, endless, dear, "money", "cost $0.24, and its budget is $0.20"},
		"money nobody counts": {turnguard.Limits{USD: 0.2}, endless, nil, "money", "The price of test/scripted is not known"},
		"time":                {turnguard.Limits{Time: 20 * time.Millisecond}, "reply\n  say Hm\n  hang", nil, "time", "and its budget is"},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, blueprint{script: c.script, tools: []tool.Tool{echo("echo")}, price: c.price, budgets: turnguard.Budgets{Turn: c.limits}})
			end := h.say(h.create(agent.Spec{}), agent.Input{})
			if end.Reason != (session.EndReason{Kind: session.EndBudget, By: c.by}) || !strings.Contains(end.Text, c.said) || end.Values["scope"] != "turn" {
				t.Errorf("end = %+v", end)
			}
		})
	}
}

func TestABudgetHoldsForWhatItCovers(t *testing.T) {
	for name, c := range map[string]struct {
		budgets turnguard.Budgets
		origins []string // of the turns, each of which makes two steps
		ended   []string // scopes
	}{
		"a turn begins anew":         {turnguard.Budgets{Turn: turnguard.Limits{Steps: 2}}, []string{"", ""}, []string{"", ""}},
		"a session goes on":          {turnguard.Budgets{Session: turnguard.Limits{Steps: 3}}, []string{"", ""}, []string{"", "session"}},
		"a goal counts its rounds":   {turnguard.Budgets{Goal: turnguard.Limits{Steps: 3}}, []string{"goal", "", "goal"}, []string{"", "", "goal"}},
		"the narrowest is named":     {turnguard.Budgets{Turn: turnguard.Limits{Steps: 1}, Session: turnguard.Limits{Steps: 1}}, []string{""}, []string{"turn"}},
		"a session without a helper": {turnguard.Budgets{Tree: turnguard.Limits{Steps: 3}}, []string{"", ""}, []string{"", "tree"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, blueprint{script: strings.Repeat("reply\n  call echo {}\nreply\n  say Done.\n", 3), tools: []tool.Tool{echo("echo")}, budgets: c.budgets})
			a := h.create(agent.Spec{})
			var got []string
			for _, origin := range c.origins {
				scope, _ := h.say(a, agent.Input{Origin: origin}).Values["scope"].(string)
				got = append(got, scope)
			}
			if diff := cmp.Diff(c.ended, got); diff != "" {
				t.Errorf("turns ended by (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHelpersSpendFromTheBudgetOfTheirTree(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say Done.\n  usage 70 5", budgets: turnguard.Budgets{Tree: turnguard.Limits{Tokens: 150}}})
	root := h.create(agent.Spec{})
	helper := h.create(agent.Spec{Parent: root.ID()})
	other := h.create(agent.Spec{})
	h.say(helper, agent.Input{})
	h.say(other, agent.Input{})
	if end := h.say(root, agent.Input{}); end.Reason.Kind != session.EndCompleted {
		t.Errorf("the first turn of the root ended %+v", end)
	}
	for name, a := range map[string]*agent.Agent{"root": root, "helper": helper, "a late helper": h.create(agent.Spec{Parent: helper.ID()})} {
		if end := h.say(a, agent.Input{}); end.Reason.Kind != session.EndBudget || end.Values["scope"] != "tree" {
			t.Errorf("%s: end = %+v, want the tree's budget", name, end)
		}
	}
	if end := h.say(other, agent.Input{}); end.Reason.Kind != session.EndCompleted {
		t.Errorf("another session ended %+v", end)
	}
	raised := turnguard.BudgetRaised.New(0, 0, turnguard.BudgetRaisedData{Scope: "tree", Limits: turnguard.Limits{Tokens: 1000}})
	if _, err := root.Log().Append(t.Context(), raised); err != nil {
		t.Fatal(err)
	}
	if end := h.say(helper, agent.Input{}); end.Reason.Kind != session.EndCompleted {
		t.Errorf("what was given to the whole tree did not reach a helper: %+v", end)
	}
}

func TestAPersonRaisesABudgetAndTheAgentGoesOn(t *testing.T) {
	h := build(t, blueprint{script: endless, tools: []tool.Tool{echo("echo")}, budgets: turnguard.Budgets{Session: turnguard.Limits{Steps: 2}}})
	a := h.create(agent.Spec{})
	h.say(a, agent.Input{})
	raise, ok := command.Find(t.Context(), h.graph.Root().Realm(), "budget.raise")
	if !ok {
		t.Fatal("there is no command to raise a budget")
	}
	run := func(args string) (any, error) {
		return raise.Run(t.Context(), command.Call{Session: string(a.ID()), Args: json.RawMessage(args)})
	}
	got, err := run(`{"text":"Go on."}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(turnguard.BudgetRaisedData{Scope: "session", Limits: turnguard.Limits{Steps: 4}}), got); diff != "" {
		t.Errorf("raised (-want +got):\n%s", diff)
	}
	if end := h.last(a); end.Steps != 2 || end.Values["limit"] != "4" {
		t.Errorf("end = %+v, want two more steps", end)
	}
	if _, err := run(`{"scope":"turn"}`); err == nil {
		t.Error("a budget that was not reached was doubled")
	}
	if _, err := run(`{"scope":"session","steps":5}`); err != nil {
		t.Error(err)
	}
	if end := h.say(a, agent.Input{}); end.Steps != 1 || end.Values["limit"] != "5" {
		t.Errorf("end = %+v, want one more step", end)
	}
}
