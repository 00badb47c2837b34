package permission

import (
	"fairlead/session"
	"fairlead/tool"
)

// Kinds lists what this room declares; the kinds of questions and decisions are
// [tool.Asked] and [tool.Decided].
func Kinds() []session.AnyKind { return []session.AnyKind{ModeSelected, RuleChanged} }

// What was decided on a call.
const (
	Approved = "approved" // a person said yes
	Denied   = "denied"   // somebody or something said no
	Allowed  = "allowed"  // nobody needed to be asked
)

// Who decided, where it was not a person, a mode, a rule, the proof or the tool.
const (
	byNobody = "nobody" // there was nobody to be asked
	byStop   = "stop"   // the question was withdrawn with its turn
)

// Approvals folds the questions that wait, in the order asked. Asked again
// for the same call, a question replaces the earlier one: the target changed while
// it waited. A decision, a result and the end of the turn close one.
var Approvals = session.Projection[[]tool.AskedData]{
	Name: "approvals", Version: 1,
	Fold: foldWaiting,
	View: func(waiting []tool.AskedData) any {
		if waiting == nil {
			return []tool.AskedData{}
		}
		return waiting
	},
}

func foldWaiting(waiting []tool.AskedData, e session.Event) []tool.AskedData {
	switch {
	case tool.Asked.Of(e):
		d, err := tool.Asked.Decode(e)
		if err != nil {
			return waiting // a question nobody can read cannot be answered; its call stays closed
		}
		return append(without(waiting, d.Call), d)
	case tool.Decided.Of(e):
		if d, err := tool.Decided.Decode(e); err == nil {
			return without(waiting, d.Call)
		}
	case session.ToolResult.Of(e):
		if d, err := session.ToolResult.Decode(e); err == nil {
			return without(waiting, d.Call)
		}
	case session.TurnEnd.Of(e), session.Forked.Of(e):
		return nil
	}
	return waiting
}

// without leaves out a call's question. It copies: a fold never changes an earlier state.
func without(waiting []tool.AskedData, call string) []tool.AskedData {
	var kept []tool.AskedData
	for _, w := range waiting {
		if w.Call != call {
			kept = append(kept, w)
		}
	}
	return kept
}
