package turnguard

import (
	"encoding/json"
	"maps"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// Tally is what was used up.
type Tally struct {
	Steps  int `json:"steps"`
	Tokens int `json:"tokens"` // in and out
	// Cost is what is known of it; Unpriced requests have a cost that is not.
	Cost     llm.Money `json:"costUsd"`
	Unpriced int       `json:"unpriced,omitempty"`
	Millis   int64     `json:"ms"` // of work, waiting for the person included
}

func (t Tally) time() time.Duration { return time.Duration(t.Millis) * time.Millisecond }

// plus adds what another tally used up.
func (t Tally) plus(o Tally) Tally {
	return Tally{t.Steps + o.Steps, t.Tokens + o.Tokens, t.Cost + o.Cost, t.Unpriced + o.Unpriced, t.Millis + o.Millis}
}

// Spending is what a session has used up.
type Spending struct {
	Turn    Tally `json:"turn"` // the one that runs, or the last
	Session Tally `json:"session"`
	// Goal sums the rounds of the goal that is pursued, or was last.
	Goal   Tally  `json:"goal"`
	GoalID string `json:"goalId,omitempty"`
	Origin string `json:"origin,omitempty"` // of the turn
	// Began is when the turn began, in Unix milliseconds; 0 between turns.
	Began int64 `json:"began,omitempty"`
	// Raised are the limits a person gave this session, by scope.
	Raised map[string]Limits `json:"raised,omitempty"`
	// Reached is the budget that ended the last turn.
	Reached *Reached `json:"reached,omitempty"`
}

// Reached is a budget that ended a turn.
type Reached struct {
	Scope string `json:"scope"`
	By    string `json:"by"` // as in [session.EndReason]
}

// summarised is the event with which the slice that keeps the context tells of a
// summary that a model was asked for.
const summarised = "compaction/summary"

// goalChanged is the event with which the slice of goals tells of one: its payload
// has the goal's id.
const goalChanged = "goal/changed"

// Spent folds the spending.
var Spent = session.Projection[Spending]{Name: "spending", Version: 1, Fold: foldSpending, View: showSpending}

func foldSpending(s Spending, e session.Event) Spending {
	switch e.Type {
	case session.Forked.Name:
		if d, err := session.Forked.Decode(e); err == nil && d.For != "" {
			return Spending{} // what its history cost is counted where it was spent
		}
	case session.TurnStart.Name:
		s.Turn, s.Began, s.Origin, s.Reached = Tally{}, e.At, "", nil
		if d, err := session.TurnStart.Decode(e); err == nil {
			s.Origin = d.Origin
		}
	case session.StepStart.Name:
		s = s.add(Tally{Steps: 1})
	case session.AssistantMessage.Name:
		if d, err := session.AssistantMessage.Decode(e); err == nil && !d.Interrupted {
			s = s.add(tallyOf(d.Usage, d.Cost, true))
		}
	case session.RequestAttempt.Name:
		if d, err := session.RequestAttempt.Decode(e); err == nil {
			s = s.add(tallyOf(d.Usage, d.Cost, d.Usage != nil))
		}
	case summarised:
		var d struct {
			Usage *llm.Usage `json:"usage"`
			Cost  *llm.Money `json:"costUsd"`
		}
		if json.Unmarshal(e.Data, &d) == nil {
			s = s.beside(tallyOf(d.Usage, d.Cost, true))
		}
	case session.Titled.Name:
		if d, err := session.Titled.Decode(e); err == nil && d.Usage != nil {
			s.Session = s.Session.plus(tallyOf(d.Usage, d.Cost, true))
		}
	case session.TurnEnd.Name:
		s = s.end(e)
	case goalChanged:
		var d struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(e.Data, &d) == nil && d.ID != s.GoalID {
			s.Goal, s.GoalID = Tally{}, d.ID
		}
	case BudgetRaised.Name:
		if d, err := BudgetRaised.Decode(e); err == nil {
			raised := maps.Clone(s.Raised)
			if raised == nil {
				raised = map[string]Limits{}
			}
			raised[d.Scope] = raised[d.Scope].over(d.Limits)
			s.Raised = raised
		}
	}
	return s
}

// tallyOf is what one request used up.
func tallyOf(u *llm.Usage, cost *llm.Money, used bool) Tally {
	var t Tally
	if u != nil {
		t.Tokens = max(u.Input, 0) + max(u.Output, 0)
	}
	switch {
	case cost != nil:
		t.Cost = *cost
	case used:
		t.Unpriced = 1
	}
	return t
}

func (s Spending) add(t Tally) Spending {
	s.Turn, s.Session = s.Turn.plus(t), s.Session.plus(t)
	if s.Origin == "goal" {
		s.Goal = s.Goal.plus(t)
	}
	return s
}

// beside adds what was asked beside the conversation, in a turn or between two.
func (s Spending) beside(t Tally) Spending {
	if s.Began > 0 {
		return s.add(t)
	}
	s.Session = s.Session.plus(t)
	return s
}

func (s Spending) end(e session.Event) Spending {
	d, err := session.TurnEnd.Decode(e)
	if err != nil {
		return s
	}
	// What was asked beside the conversation and gave nothing is in the sum alone.
	beside := Tally{Millis: d.Millis, Tokens: max(0, max(d.Usage.Input, 0)+max(d.Usage.Output, 0)-s.Turn.Tokens)}
	if d.Cost != nil {
		beside.Cost = max(0, *d.Cost-s.Turn.Cost)
	}
	s = s.add(beside)
	s.Began = 0
	if scope, ok := d.Values["scope"].(string); ok && d.Reason.Kind == session.EndBudget {
		s.Reached = &Reached{Scope: scope, By: d.Reason.By}
	}
	return s
}

// shownTally is a tally for people: a cost of which nothing is known is left out.
type shownTally struct {
	Steps    int        `json:"steps"`
	Tokens   int        `json:"tokens"`
	Cost     *llm.Money `json:"costUsd,omitempty"`
	Unpriced int        `json:"unpriced,omitempty"`
	Millis   int64      `json:"ms"`
}

func (t Tally) shown() shownTally {
	v := shownTally{Steps: t.Steps, Tokens: t.Tokens, Unpriced: t.Unpriced, Millis: t.Millis}
	if t.Cost > 0 || t.Steps > 0 && t.Unpriced == 0 {
		v.Cost = &t.Cost
	}
	return v
}

func showSpending(s Spending) any {
	return struct {
		Turn    shownTally        `json:"turn"`
		Session shownTally        `json:"session"`
		Goal    shownTally        `json:"goal"`
		Raised  map[string]Limits `json:"raised,omitempty"`
		Reached *Reached          `json:"reached,omitempty"`
	}{s.Turn.shown(), s.Session.shown(), s.Goal.shown(), s.Raised, s.Reached}
}

// upTo gives a tally with the time of the turn that runs.
func (s Spending) upTo(t Tally, now time.Time) Tally {
	if s.Began > 0 {
		t.Millis += max(0, now.UnixMilli()-s.Began)
	}
	return t
}
