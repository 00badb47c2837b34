package goal

import (
	"slices"

	"fairlead/llm"
	"fairlead/session"
)

// Phases of a goal. One that is active or paused or blocked is unfinished.
const (
	Active   = "active"
	Paused   = "paused"   // until the person resumes it
	Blocked  = "blocked"  // it was not met, and does not go on by itself
	Complete = "complete" // it was met
	Cleared  = "cleared"  // the person gave it up
)

// Why a goal is in its phase.
const (
	WhyMet        = "met"        // complete: the model showed evidence
	WhyPerson     = "person"     // the person said so
	WhyStopped    = "stopped"    // paused: the person stopped a turn
	WhyServer     = "server"     // paused: the model's server failed
	WhyOff        = "off"        // paused: the person switched goals off
	WhyRounds     = "rounds"     // blocked: all rounds are used
	WhyIdle       = "idle"       // blocked: rounds in a row did nothing
	WhyBudget     = "budget"     // blocked: a budget is used up
	WhyStuck      = "stuck"      // blocked: the model gave up, after several rounds
	WhyUnanswered = "unanswered" // blocked: nobody was there to approve
	WhyError      = "error"      // blocked: a round failed
)

// The bounds of a goal.
const (
	// MaxRounds is how many rounds a goal takes at most.
	MaxRounds = 256
	// triedRounds is in how many rounds a goal must have been tried before the model
	// may give it up.
	triedRounds = 3
	// idleRounds is how many rounds in a row may do nothing.
	idleRounds = 3
	// longest is the length of an objective, and of evidence and reasons as they are
	// kept, in bytes.
	longest = 8000
)

// ChangedData is a goal as a change leaves it. The goal after a cleared or complete one
// has another ID.
type ChangedData struct {
	ID string `json:"id"`
	// Op is "set", "edited", "resumed", "paused", "blocked", "completed" or "cleared".
	Op        string `json:"op"`
	Phase     string `json:"phase"`
	Objective string `json:"objective"`
	Max       int    `json:"max"` // rounds
	// Why says what led to the phase, Text says it in plain words; both are empty while
	// the goal is active. Evidence is the model's, where the goal is met.
	Why      string `json:"why,omitempty"`
	Text     string `json:"text,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	// By is "person", "model" or "harness".
	By string `json:"by"`
	// Host is the process in which the goal may go on; see [Options].
	Host string `json:"host,omitempty"`
}

// Changed is the kind of a change of a goal.
var Changed = session.Kind[ChangedData]{Name: "goal/changed", Doc: "a goal was set, changed or ended, and why", Ignorable: true}

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{Changed} }

// unfinished reports whether a goal waits for its end.
func (d ChangedData) unfinished() bool {
	return slices.Contains([]string{Active, Paused, Blocked}, d.Phase)
}

// becomes gives the goal in another phase.
func (d ChangedData) becomes(op, phase, why, by, text string) ChangedData {
	d.Op, d.Phase, d.Why, d.By, d.Text, d.Evidence, d.Host = op, phase, why, by, text, "", ""
	return d
}

// serverFailed reports whether a turn ended because the model could not be reached or
// did not serve.
func serverFailed(e *session.ErrorData) bool {
	if e == nil {
		return false
	}
	code := llm.Code(e.Code)
	return (&llm.Error{Code: code}).Retryable() || slices.Contains([]llm.Code{llm.CodeNotAPI, llm.CodeAuth, llm.CodeQuota}, code)
}
