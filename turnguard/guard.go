package turnguard

import (
	"context"
	_ "embed" // the text is a file
	"fmt"
	"strings"
	"sync"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// GuardRow is the row of the guard.
const GuardRow = "turn-guard"

// What a turn may do, besides going in circles.
const (
	failedSearches = 3    // web searches in a row that fail
	searches       = 25   // web searches
	planSearches   = 10   // the same in Plan
	planRestarts   = 4    // plans begun again
	full           = 0.93 // the share of the window that a request may fill
)

// The other words of [session.EndReason].By.
const (
	byFailedSearches = "failed-searches"
	bySearches       = "searches"
	byPlan           = "plan"
	byContext        = "context"
)

// compact is the command that makes room in a session. It is asked for by its name:
// who offers it need not be there.
const compact = "compact"

// Guard ends turns that go nowhere, between two steps, or before a request that would
// fill the window, and has room made in the session after that, and after a request that did not fit. Turns of a goal are
// ended for circles only: they may search and plan as long as they need.
func Guard() graph.Plugin {
	return graph.Plugin{
		Name:   GuardRow,
		Doc:    "ends a turn that goes in circles, searches without end or has no room left",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			agent.PreStep.On(f, func(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
				entry, err := next(ctx, p)
				if err != nil || entry.Reject != nil || p.Step == 1 || hears(p.Messages) {
					return entry, err
				}
				c, err := session.StateOf(p.Agent.Log(), Path)
				if err != nil {
					return entry, err
				}
				why := c.nowhere()
				if why != nil && c.Mode == agent.Plan && c.Wrote && !c.Warned {
					entry.Messages = append(entry.Messages, caution(p, why))
					return entry, nil
				}
				if why != nil {
					if _, err := p.Agent.Log().Append(ctx, GuardStopped.New(p.Turn, p.Step-1, why.told)); err != nil {
						return entry, err
					}
					entry.Reject = &why.end
				}
				return entry, nil
			})
			agent.Request.On(f, func(ctx context.Context, q *agent.Asking, next func(context.Context, *agent.Asking) (agent.Choice, error)) (agent.Choice, error) {
				choice, err := next(ctx, q) // whoever makes room for a request has done so then
				if err != nil || q.Step == 1 {
					return choice, err
				}
				c, err := session.StateOf(q.Agent.Log(), Path)
				if err != nil {
					return choice, err
				}
				if why := c.crowded(routes); why != nil {
					if _, err := q.Agent.Log().Append(ctx, GuardStopped.New(q.Turn, q.Step, why.told)); err != nil {
						return choice, err
					}
					q.Agent.Halt(q.Turn, why.end)
					return choice, context.Canceled
				}
				return choice, nil
			})
			makeRoom(f)
			return nil
		},
	}
}

//go:embed prompts/caution.md
var cautionText string

// caution gives a model that plans one more step, in which it proposes what it has,
// with the reason why the turn is ended.
func caution(p *agent.Proposal, why *verdict) session.Draft {
	return session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", GuardRow, p.Turn, p.Step), Source: GuardRow,
		Text: strings.TrimSpace(strings.ReplaceAll(cautionText, "{{reason}}", why.end.Text))})
}

// verdict is why a turn is ended: as the log keeps it, and as the person reads it.
type verdict struct {
	told GuardStoppedData
	end  agent.Rejection
}

func verdictOf(by, call string, n int, key string, values map[string]any, text string) *verdict {
	return &verdict{GuardStoppedData{By: by, Call: call, Count: n}, agent.Rejection{Reason: session.EndReason{Kind: session.EndGuard, By: by}, Key: key, Values: values, Text: text}}
}

// nowhere says why a turn leads nowhere, nil where it may go on.
func (c Course) nowhere() *verdict {
	if by := c.circle(); by != "" {
		call, n := c.Calls[len(c.Calls)-1].Name, max(circlesEnd, c.Run)
		what := map[string]string{byRepeated: "made the same call", byAlternating: "alternated between the same few calls", byVaried: "made nearly the same call"}[by]
		return verdictOf(by, call, n, "end."+by, map[string]any{"call": call, "count": n},
			fmt.Sprintf("The agent %s %d times without getting anywhere, the last one %s, so the turn was stopped. What was done so far stands; say what to do differently.", what, n, call))
	}
	if c.Origin == "goal" {
		return nil
	}
	limit := searches
	if c.Mode == agent.Plan {
		limit = planSearches
	}
	switch {
	case c.Failed >= failedSearches:
		return verdictOf(byFailedSearches, "", c.Failed, "end.failed-searches", map[string]any{"count": c.Failed},
			fmt.Sprintf("%d web searches in a row failed, so the turn was stopped. What was done so far stands; look at the reason on their cards, then ask again.", c.Failed))
	case c.Searches >= limit:
		return verdictOf(bySearches, "", c.Searches, "end.searches", map[string]any{"count": c.Searches},
			fmt.Sprintf("The agent searched the web %d times in this turn, so it was stopped. What was found is above; ask for something more definite.", c.Searches))
	case c.Plans > planRestarts:
		return verdictOf(byPlan, "", c.Plans-1, "end.plan-restarted", map[string]any{"count": c.Plans - 1},
			fmt.Sprintf("The agent began its plan anew %d times, so the turn was stopped. The last plan is above; say what it should settle on.", c.Plans-1))
	}
	return nil
}

// crowded says that the window is as good as full, nil where there is room. The first
// request of a turn is left to whoever knows its true size.
func (c Course) crowded(routes *llm.Routes) *verdict {
	share := c.share(routes)
	if share < full || c.Origin == "goal" {
		return nil
	}
	percent := int(share * 100)
	return verdictOf(byContext, "", percent, "end.context-full", map[string]any{"percent": percent},
		fmt.Sprintf("The conversation fills %d %% of what the model can read, so the turn was stopped before it broke off. Nothing was lost; say \"go on\" once older parts are summarised, or start a new session.", percent))
}

// makeRoom asks for a compaction after a turn that the guard ended, and after one
// that did not fit.
func makeRoom(f *graph.Fiber) {
	var asking sync.WaitGroup
	agent.TurnEnded.On(f, func(_ context.Context, e *agent.Ended) {
		if e.End.Reason.Kind != session.EndGuard && !unfit(e.End.Error) {
			return
		}
		asking.Go(func() {
			ctx := f.Context()
			if e.Agent.Idle(ctx) != nil {
				return // stopped, or its log cannot be written
			}
			c, ok := command.Find(ctx, e.Agent.Realm(), compact)
			if !ok {
				return
			}
			if _, err := c.Run(ctx, command.Call{Session: string(e.Agent.ID())}); err != nil && ctx.Err() == nil {
				f.Log().Warn("no room could be made in a session", "session", e.Agent.ID(), "error", err)
			}
		})
	})
	f.Effect("asking for room", func(context.Context) error { asking.Wait(); return nil })
}

// unfit reports whether a turn failed since its request was too long.
func unfit(e *session.ErrorData) bool {
	return e != nil && (e.Code == "CONTEXT_WINDOW_EXCEEDED" || e.Code == "CONTEXT_MESSAGE_TOO_LARGE")
}
