package goal

import (
	"slices"

	"fairlead/agent"
	"fairlead/session"
)

// origin is who gives the input of a round, and the source of what the model is told.
const origin = "goal"

// State is a session's goal, as the log tells it. Without one, ID is empty.
type State struct {
	ChangedData
	// Rounds counts those that did not fail and were not stopped; Tried those since the
	// person set or resumed the goal, Idle those in a row that did nothing.
	Rounds int `json:"rounds"`
	Tried  int `json:"tried"`
	Idle   int `json:"idle"`
	// Sent counts the messages that were to begin rounds.
	Sent int `json:"sent"`
	// Number counts the goals of the session.
	Number int `json:"number"`
	// Round is true where the turn that runs, or ran last, is a round; Open while it
	// runs, and Worked once a call of it came to something.
	Round  bool `json:"round"`
	Open   bool `json:"open"`
	Worked bool `json:"worked"`
	// Told is what the model was told of the goal last.
	Told string `json:"told,omitempty"`
}

// armed reports whether the goal goes on by itself in the process of a mark.
func (s State) armed(mark string) bool { return s.Phase == Active && s.Host == mark }

// View is a goal as viewers see it.
type View struct {
	ID        string `json:"id"`
	Phase     string `json:"phase"`
	Objective string `json:"objective"`
	// Rounds of Max have counted; Running is true in one.
	Rounds  int  `json:"rounds"`
	Max     int  `json:"max"`
	Running bool `json:"running,omitempty"`
	// Armed is false for an active goal that waits to be resumed after a restart.
	Armed bool `json:"armed"`
	// Why, Text and Evidence are as in [ChangedData].
	Why      string `json:"why,omitempty"`
	Text     string `json:"text,omitempty"`
	Evidence string `json:"evidence,omitempty"`
}

// view is nil where there is no goal to be shown.
func (s State) view(mark string) *View {
	if s.ID == "" || s.Phase == Cleared {
		return nil
	}
	return &View{ID: s.ID, Phase: s.Phase, Objective: s.Objective, Rounds: s.Rounds, Max: s.Max, Running: s.Open,
		Armed: s.armed(mark), Why: s.Why, Text: s.Text, Evidence: s.Evidence}
}

// Of folds the goal of a session, as a process with this mark shows it.
func Of(mark string) session.Projection[State] {
	return session.Projection[State]{Name: "goal", Version: 1, Fold: fold, View: func(s State) any { return s.view(mark) }}
}

// Projections lists what this room folds.
func Projections(mark string) []session.AnyProjection { return []session.AnyProjection{Of(mark)} }

func fold(s State, e session.Event) State {
	switch e.Type {
	case Changed.Name:
		if d, err := Changed.Decode(e); err == nil {
			return s.changed(d)
		}
	case session.Forked.Name:
		s.Host = "" // the person set it for the other session
	case session.InboxChanged.Name:
		if d, err := session.InboxChanged.Decode(e); err == nil && d.Op == "queued" && d.Message.Origin == origin {
			s.Sent++
		}
	case session.TurnStart.Name:
		d, err := session.TurnStart.Decode(e)
		s.Round = err == nil && d.Origin == origin
		s.Open, s.Worked = s.Round, false
	case session.ToolResult.Name:
		if d, err := session.ToolResult.Decode(e); err == nil && s.Open && !d.Failed {
			s.Worked = true
		}
	case session.TurnEnd.Name:
		if d, err := session.TurnEnd.Decode(e); err == nil && s.Open {
			s.Open = false
			if counts(d) {
				s = s.counted()
			}
		}
	case session.Injected.Name:
		if d, err := session.Injected.Decode(e); err == nil && d.Source == origin {
			s.Told = d.Text
		}
	}
	return s
}

func (s State) changed(d ChangedData) State {
	if d.ID != s.ID {
		s = State{Number: s.Number + 1, Told: s.Told, Round: s.Round}
	}
	if d.Op == opResumed {
		s.Tried, s.Idle = 0, 0
	}
	s.ChangedData = d
	return s
}

func (s State) counted() State {
	s.Rounds++
	s.Tried++
	s.Idle++
	if s.Worked {
		s.Idle = 0
	}
	return s
}

// counts reports whether a round that ended so counts: one that asked the model and was
// neither stopped nor failed.
func counts(end session.TurnEndData) bool {
	return end.Steps > 0 && slices.Contains([]string{session.EndCompleted, session.EndMaxTokens, session.EndGuard, session.EndBudget, session.EndBlocked}, end.Reason.Kind)
}

// waiting are the messages of a queue that would begin rounds.
func waiting(q agent.Queue) []string {
	var ids []string
	for _, m := range q.Waiting {
		if m.Origin == origin {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
