package turnguard

import "fairlead/session"

var (
	// GuardStopped is told before the turn that it ends.
	GuardStopped = session.Kind[GuardStoppedData]{Name: "guard/stopped", Doc: "a turn that went nowhere is ended, and why", Ignorable: true}
	// BudgetRaised lets a session go on past a budget.
	BudgetRaised = session.Kind[BudgetRaisedData]{Name: "budget/raised", Doc: "a person gave this session a larger budget", Ignorable: true}
)

// GuardStoppedData says what went on without end: By is as in [session.EndReason],
// Call names the call in a person's words, Count is how often.
type GuardStoppedData struct {
	By    string `json:"by"`
	Call  string `json:"call,omitempty"`
	Count int    `json:"count,omitempty"`
}

// BudgetRaisedData are the limits that a scope ("turn", "session", "goal", "tree")
// has in this session from here on; what is 0 stays as it was.
type BudgetRaisedData struct {
	Scope  string `json:"scope"`
	Limits Limits `json:"limits"`
}

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{GuardStopped, BudgetRaised} }

// Projections lists what this room folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{Path, Spent} }
