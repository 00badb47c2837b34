package goal

import (
	"fmt"
	"strings"

	"fairlead/session"
)

// after says what the end of a turn means for a goal that is active; false is nothing.
func (s State) after(end session.TurnEndData) (ChangedData, bool) {
	switch kind := end.Reason.Kind; {
	case s.Phase != Active, kind == session.EndAborted && end.Reason.By == "shutdown":
		return ChangedData{}, false
	case kind == session.EndAborted:
		return s.becomes(opPaused, Paused, WhyStopped, "person", "The turn was stopped, so the goal is paused. Nothing more is begun for it; resume it with /goal resume."), true
	case serverFailed(end.Error):
		return s.becomes(opPaused, Paused, WhyServer, "harness", "The model could not be asked, so the goal is paused and no round was used up. "+said(end)+" Resume it with /goal resume."), true
	case !s.Round:
		return ChangedData{}, false
	case kind == session.EndError:
		return s.blocked(WhyError, "A round failed, so the goal is not met and no further one is begun. "+said(end)+" Resume it with /goal resume."), true
	case kind == session.EndBudget:
		return s.blocked(WhyBudget, "The budget is used up and the goal is not met. "+said(end)+" Raise the budget, then resume the goal with /goal resume."), true
	case kind == session.EndBlocked && end.Reason.By == "nobody":
		return s.blocked(WhyUnanswered, "The goal is not met: a round needed approval and nobody was there to give it. Resume it with /goal resume where you can answer, or choose another mode."), true
	case kind == session.EndBlocked:
		return s.blocked(WhyError, "A round could not run, so the goal is not met. "+said(end)+" Resume it with /goal resume."), true
	case s.Idle >= idleRounds:
		return s.blocked(WhyIdle, fmt.Sprintf("The goal is not met: the last %d rounds did nothing towards it. Say with /goal edit more definitely what is to be reached, then resume it with /goal resume.", s.Idle)), true
	case s.Rounds >= s.Max:
		return s.blocked(WhyRounds, fmt.Sprintf("The goal is not met after %s, which is all it may take. What was done so far stands; look at it, clear the goal with /goal clear, and set one for what is left.", rounds(s.Max))), true
	}
	return ChangedData{}, false
}

func (s State) blocked(why, text string) ChangedData {
	return s.becomes(opBlocked, Blocked, why, "harness", text)
}

// said is what the person was told of the end of a turn: what happened, without what
// to do next, which is another thing for a goal.
func said(end session.TurnEndData) string {
	text := end.Text
	if end.Error != nil {
		text = end.Error.Message
	}
	first, _, more := strings.Cut(text, ". ")
	if more {
		first += "."
	}
	return first
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}
