package subagent

import (
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// Role is what a helper's session is, and how far its work has come. The session of
// no helper has the zero Role.
type Role struct {
	BriefedData
	// Round is the piece of work, from 1 on; 0 before the task was sent.
	Round  int   `json:"round"`
	Began  int64 `json:"began,omitempty"` // of the round, Unix milliseconds
	Ended  int64 `json:"ended,omitempty"`
	Steps  int   `json:"steps"` // of the round
	Tokens int   `json:"tokens"`
	// AllSteps and AllTokens are those of all rounds.
	AllSteps  int `json:"allSteps"`
	AllTokens int `json:"allTokens"`
	// Text is the last reply of the round that had any; Said is true where the last
	// one had.
	Text string `json:"text,omitempty"`
	Said bool   `json:"said,omitempty"`
	// Asked counts how often an answer that did not fit was asked for again.
	Asked int `json:"asked,omitempty"`
	// End is how the last turn ended; nil while one runs or none began.
	End *End `json:"end,omitempty"`
}

// End is how a turn of a helper ended, with its sentence for a person.
type End struct {
	session.EndReason
	Text string `json:"text,omitempty"`
}

// mostText bounds, in bytes, what of a reply is kept and reported; the session has all of it.
const mostText = 24 << 10

// Roles folds the role of a session. A fork is no helper unless it is told so.
var Roles = session.Projection[Role]{
	Name: "helper", Version: 1, Fold: foldRole,
	View: func(r Role) any {
		if r.Parent == "" {
			return nil
		}
		return map[string]any{"parent": r.Parent, "name": r.Name, "task": r.Task, "depth": r.Depth, "fork": r.Fork, "round": r.Round}
	},
}

// Projections lists what this room folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{Helpers, Roles} }

func foldRole(r Role, e session.Event) Role {
	switch {
	case e.Type == session.Forked.Name:
		return Role{}
	case e.Type == Briefed.Name:
		if d, err := Briefed.Decode(e); err == nil {
			return Role{BriefedData: d}
		}
	case r.Parent == "":
		return r
	}
	switch e.Type {
	case session.InboxChanged.Name:
		if d, err := session.InboxChanged.Decode(e); err == nil && d.Op == "queued" && d.Message.Origin == above && strings.HasPrefix(d.Message.ID, taskID) {
			r = Role{BriefedData: r.BriefedData, Round: r.Round + 1, Began: e.At, AllSteps: r.AllSteps, AllTokens: r.AllTokens}
		}
	case session.TurnStart.Name:
		r.End, r.Ended = nil, 0
	case session.StepStart.Name:
		r.Steps++
		r.AllSteps++
	case session.AssistantMessage.Name:
		if d, err := session.AssistantMessage.Decode(e); err == nil {
			r = r.replied(d)
		}
	case session.Injected.Name:
		if d, err := session.Injected.Decode(e); err == nil && d.Source == complaint {
			r.Asked++
		}
	case session.TurnEnd.Name:
		if d, err := session.TurnEnd.Decode(e); err == nil {
			r.End, r.Ended = &End{EndReason: d.Reason, Text: d.Text}, e.At
			if d.Text == "" && d.Error != nil {
				r.End.Text = d.Error.Message
			}
		}
	}
	return r
}

func (r Role) replied(d session.AssistantMessageData) Role {
	if text := strings.TrimSpace(llm.Plain(d.Content)); text != "" {
		r.Text, r.Said = text, true
		if len(text) > mostText {
			r.Text = strings.ToValidUTF8(text[:mostText], "") + " … [cut; the helper's session has the rest]"
		}
	} else {
		r.Said = false
	}
	if u := d.Usage; u != nil {
		n := max(u.Input, 0) + max(u.Output, 0)
		r.Tokens, r.AllTokens = r.Tokens+n, r.AllTokens+n
	}
	return r
}

// verdict says what came of the round, which is over or will not go on.
func (r Role) verdict(id session.ID) EndedData {
	d := EndedData{Helper: id, Round: max(r.Round, 1), Text: r.Text, Tokens: r.AllTokens, Steps: r.AllSteps}
	if r.Ended > r.Began && r.Began > 0 {
		d.Millis = r.Ended - r.Began
	}
	if r.End == nil {
		d.Outcome, d.Why = Interrupted, "Fairlead ended while it was at work."
		if r.Round == 0 {
			d.Why = "Fairlead ended before it began."
		}
		return d
	}
	d.Why = r.End.Text
	switch r.End.Kind {
	case session.EndCompleted:
		d.Outcome = Done
	case session.EndAborted:
		d.Outcome = Stopped
		if r.End.By == "shutdown" {
			d.Outcome, d.Why = Interrupted, "Fairlead ended while it was at work."
		}
	case session.EndInterrupted:
		d.Outcome, d.Why = Interrupted, "Fairlead ended while it was at work."
	case session.EndBlocked:
		d.Outcome = Refused
	case session.EndBudget:
		d.Outcome = Spent
	case session.EndGuard:
		d.Outcome = Guarded
	case session.EndMaxTokens:
		d.Outcome = Cut
	default:
		d.Outcome = Failed
	}
	if d.Outcome == Done {
		r.judge(&d)
	}
	return d
}

// judge looks at the answer of a helper that says it is done.
func (r Role) judge(d *EndedData) {
	switch {
	case !r.Said:
		d.Outcome = Empty
		if d.Why == "" {
			d.Why = "It ended without an answer."
		}
	case r.Schema != nil:
		value, err := tool.Conform(json.RawMessage(r.Text), r.Schema)
		if err != nil {
			d.Outcome, d.Why = Unfit, fmt.Sprintf("Its answer does not fit the schema: %v.", err)
			return
		}
		d.Value = value
	}
}
