package turnguard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/settings"
)

// BudgetRow is the row of the budgets; its configuration is laid over the settings.
const BudgetRow = "budget"

// Budget ends a turn that has used up what its row or the settings allow: between
// two steps, and for time in the middle of whatever it does. Nothing is killed
// silently: the end names the limit with its figure, and a person may raise it.
func Budget() graph.Plugin {
	return graph.Plugin{
		Name:   BudgetRow,
		Doc:    "ends a turn that has used up its steps, tokens, money or time",
		Inject: []graph.Dependency{graph.Needs(agent.HostKey), graph.Needs(session.LibraryKey), graph.Optional(settings.DocumentKey)},
		Config: func() any { return &Budgets{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			host, err1 := graph.Get(f, agent.HostKey)
			library, err2 := graph.Get(f, session.LibraryKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			b := &keeper{row: *cfg.(*Budgets), host: host, kin: &kin{host: host, library: library}, timers: map[session.ID]*time.Timer{}}
			if d, err := graph.Get(f, settings.DocumentKey); err == nil {
				d.Declare(f, Section)
				b.settings = d
			}
			session.Opened.On(f, func(_ context.Context, id session.ID) { b.kin.see(id) })
			agent.PreStep.On(f, b.preStep)
			agent.Request.On(f, b.request)
			agent.TurnEnded.On(f, func(_ context.Context, e *agent.Ended) { b.disarm(e.Agent.ID()) })
			f.Effect("timers", func(context.Context) error { b.stopTimers(); return nil })
			offerRaise(f, b)
			return nil
		},
	}
}

// keeper keeps the budgets.
type keeper struct {
	row      Budgets
	settings *settings.Document // nil where there is none
	host     *agent.Host
	kin      *kin

	mu     sync.Mutex
	timers map[session.ID]*time.Timer
}

// limits are those that hold for a session now: the settings, the row over them, and
// what a person raised over both.
func (b *keeper) limits(scope string, s Spending) Limits {
	var written Budgets
	if b.settings != nil {
		written = settings.Get(b.settings, Section)
	}
	return written.of(scope).over(*b.row.of(scope)).over(s.Raised[scope])
}

// account is a scope that a turn stands under, with what was used up in it.
type account struct {
	scope  string
	limits Limits
	tally  Tally
}

// accounts are the scopes that have a limit for a turn, the narrowest first.
func (b *keeper) accounts(ctx context.Context, a *agent.Agent, now time.Time) ([]account, error) {
	s, err := session.StateOf(a.Log(), Spent)
	if err != nil {
		return nil, err
	}
	all := []account{{scopeTurn, b.limits(scopeTurn, s), s.upTo(s.Turn, now)}, {scopeSession, b.limits(scopeSession, s), s.upTo(s.Session, now)}}
	if s.Origin == "goal" {
		all = append(all, account{scopeGoal, b.limits(scopeGoal, s), s.upTo(s.Goal, now)})
	}
	l := b.limits(scopeTree, s)
	if l != (Limits{}) {
		if l, err = b.raisedAbove(a, l); err != nil {
			return nil, err
		}
		t, err := b.kin.tree(ctx, a.Log(), now)
		if err != nil {
			return nil, err
		}
		all = append(all, account{scopeTree, l, t})
	}
	return all, nil
}

// raisedAbove lays what a person gave the sessions that one works for over the limits
// of their tree.
func (b *keeper) raisedAbove(a *agent.Agent, l Limits) (Limits, error) {
	for range deepest {
		up, live := b.host.Live(a.Log().Header().Parent)
		if !live {
			break
		}
		s, err := session.StateOf(up.Log(), Spent)
		if err != nil {
			return l, err
		}
		a, l = up, l.over(s.Raised[scopeTree])
	}
	return l, nil
}

// deepest bounds the helpers of helpers.
const deepest = 16

// preStep refuses the step of a turn that has nothing left, and watches the time of
// one that begins.
func (b *keeper) preStep(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	all, err := b.accounts(ctx, p.Agent, time.Now())
	if err != nil {
		return agent.Admission{}, err
	}
	for _, a := range all {
		if by, used, limit := a.limits.reached(a.tally); by != "" {
			r := spent(a.scope, by, used, limit)
			return agent.Admission{Messages: p.Messages, Reject: &r}, nil
		}
	}
	if p.Step == 1 {
		b.arm(p.Agent, p.Turn, all)
	}
	return next(ctx, p)
}

// request refuses to spend money that nobody can count.
func (b *keeper) request(ctx context.Context, q *agent.Asking, next func(context.Context, *agent.Asking) (agent.Choice, error)) (agent.Choice, error) {
	choice, err := next(ctx, q)
	if err != nil {
		return choice, err
	}
	if prices, ok := graph.Lookup(q.Agent.Realm(), llm.PricesKey); ok {
		if _, known := prices.Price(choice.Route); known {
			return choice, nil
		}
	}
	all, err := b.accounts(ctx, q.Agent, time.Now())
	if err != nil {
		return choice, err
	}
	for _, a := range all {
		if a.limits.USD > 0 {
			q.Agent.Halt(q.Turn, unpriced(a.scope, choice.Route.Name))
			return choice, context.Canceled
		}
	}
	return choice, nil
}

// arm ends the turn when the first of its scopes has no time left.
func (b *keeper) arm(a *agent.Agent, turn int, all []account) {
	var first *account
	for i := range all {
		if all[i].limits.Time > 0 && (first == nil || all[i].left() < first.left()) {
			first = &all[i]
		}
	}
	if first == nil {
		return
	}
	timer := time.AfterFunc(first.left(), func() {
		limit := span(first.limits.Time)
		a.Halt(turn, spent(first.scope, byTime, limit, limit))
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timers[a.ID()] = timer
}

func (a account) left() time.Duration { return max(0, a.limits.Time-a.tally.time()) }

func (b *keeper) disarm(id session.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.timers[id]; t != nil {
		t.Stop()
		delete(b.timers, id)
	}
}

func (b *keeper) stopTimers() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, t := range b.timers {
		t.Stop()
		delete(b.timers, id)
	}
}

// whose names a scope at the beginning of a sentence.
var whose = map[string]string{
	scopeTurn: "This turn", scopeSession: "This session", scopeGoal: "The goal of this session", scopeTree: "This session with its helpers",
}

// spent is the end of a turn that reached a budget.
func spent(scope, by, used, limit string) agent.Rejection {
	what := map[string]string{
		bySteps: "made %s steps, and its budget is %s", byTokens: "used %s tokens, and its budget is %s",
		byMoney: "cost %s, and its budget is %s", byTime: "took %s, and its budget is %s",
	}[by]
	if by == bySteps && used == "1" {
		what = "made %s step, and its budget is %s"
	}
	return agent.Rejection{Reason: session.EndReason{Kind: session.EndBudget, By: by}, Key: "end." + by, Values: map[string]any{"scope": scope, "used": used, "limit": limit},
		Text: fmt.Sprintf("%s "+what+", so it was stopped here. What was done so far stands; go on with a larger budget if need be.", whose[scope], used, limit)}
}

// unpriced is the end of a turn whose cost nobody could count.
func unpriced(scope, route string) agent.Rejection {
	return agent.Rejection{Reason: session.EndReason{Kind: session.EndBudget, By: byMoney}, Key: "end.unpriced", Values: map[string]any{"scope": scope, "model": route},
		Text: fmt.Sprintf("The price of %s is not known, so a budget in money cannot be kept. Nothing was sent to it; set its price in the settings, or set a budget in tokens instead.", route)}
}
