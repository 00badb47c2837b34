package agent

import (
	"fmt"
	"math"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// full is the share of the window from which a turn without an answer is out of
// room rather than merely silent.
const full = 0.85

// explain makes sure that a turn which ends without an error or a stop does not
// end silently. used is the share of the window that the last request filled.
func (t *turn) explain(used float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reason.Kind == "" {
		t.reason.Kind = session.EndCompleted
		if t.unanswered {
			t.reason = session.EndReason{Kind: session.EndBlocked, By: "nobody"}
			t.said.Key, t.said.Text = "end.unanswered", "A step needed approval and nobody was there to give it, so it was not run. Send the message again where you can answer, or choose another mode."
		}
	}
	if t.said.Text != "" || t.reason.Kind != session.EndCompleted && t.reason.Kind != session.EndMaxTokens {
		return
	}
	switch {
	case t.reason.Kind == session.EndMaxTokens && !t.answered && !t.acted:
		t.said.Key, t.said.Text = "end.thought-out", "The model's thinking used up the whole length of its reply, again after it was asked to go on, so there is no answer. Nothing was changed; ask with a lower effort, or choose a model that may write longer."
	case t.reason.Kind == session.EndMaxTokens:
		t.said.Key, t.said.Text = "end.cut", "The reply was cut off at the length limit of the model, again after it was asked to go on in smaller pieces. What was done so far stands; ask for one smaller part."
	case t.last != nil && t.last.Finish == llm.FinishFilter:
		t.said.Key, t.said.Text = "end.filtered", "The provider's filter stopped the reply before its end. What had come is kept; put the message in other words, or choose another model."
	case t.steps == 0 || t.answered || t.acted:
	case used >= full:
		t.said.Key, t.said.Text = "end.out-of-room", fmt.Sprintf("The model had no room left for an answer: the last request filled %d %% of its context. Nothing was lost; start a new session, or choose a model with a larger context.", int(math.Round(used*100)))
	default:
		t.said.Key, t.said.Text = "end.no-answer", "The model stopped without an answer. Nothing was changed; ask again, or ask for something more definite."
	}
}

// sentence says what a failed model call means for the person, with one next step.
func sentence(e *llm.Error, route llm.Route, wait time.Duration) error {
	name := route.Name
	f := &fault.Error{Kind: e.FaultKind(), Op: "agent.ask", Code: string(e.Code), Err: e, Key: "failed." + string(e.Code), Values: map[string]any{"model": name}}
	switch e.Code {
	case llm.CodeRateLimit:
		f.Text = fmt.Sprintf("%s is refusing requests for now because too many came. Your message is kept; send it again %s.", name, later(wait))
	case llm.CodeServer:
		f.Text = fmt.Sprintf("The server of %s failed or is overloaded. Your message is kept; send it again %s, or choose another model.", name, later(wait))
	case llm.CodeTransport:
		f.Text = fmt.Sprintf("The server of %s cannot be reached. Nothing was sent; check that it runs and that its address is right, then send the message again.", name)
	case llm.CodeTimeout:
		f.Text = fmt.Sprintf("The server of %s sent nothing for too long, so the request was ended. What had arrived is kept; send the message again, or choose another model.", name)
	case llm.CodeStreamCut:
		f.Text = fmt.Sprintf("The reply of %s broke off in the middle. What had arrived is kept and marked as incomplete; send the message again.", name)
	case llm.CodeEmpty:
		f.Text = fmt.Sprintf("%s answered with nothing at all. Your message is kept; send it again, or choose another model.", name)
	case llm.CodeNotAPI:
		f.Text = fmt.Sprintf("The address of %s answers with something that is not a model's interface. Nothing was changed; check the base URL (it usually ends in /v1).", name)
	case llm.CodeAuth:
		f.Text = fmt.Sprintf("The server of %s refused the key, or none was given. Nothing was changed; check the key of this connection.", name)
	case llm.CodeModel:
		f.Text = fmt.Sprintf("The server knows no model %q. Nothing was changed; choose one that it offers.", route.Model.ID)
	case llm.CodeRefused:
		if e.Wants.PlainSchemas && route.Params.Quirks.PlainSchemas {
			f.Key = "failed.tools"
			f.Text = fmt.Sprintf("The server of %s cannot take this many tools at once. Nothing was sent on; use a preset with fewer tools, or choose another model.", name)
			break
		}
		f.Text = fmt.Sprintf("The server of %s refused the request. Nothing was changed; look at its own words under Details, or choose another model.", name)
	case llm.CodeOverflow:
		f.Code = "CONTEXT_WINDOW_EXCEEDED"
		f.Text = fmt.Sprintf("This session no longer fits into the context of %s. Nothing was lost; start a new session, or choose a model with a larger context.", name)
	case llm.CodeQuota:
		f.Text = fmt.Sprintf("The account of %s has no credit left. Nothing was changed; add credit there, or choose another model.", name)
	default:
		f.Text = fmt.Sprintf("The server of %s refused the request. Nothing was changed; look at its own words under Details, or choose another model.", name)
	}
	return f
}

func later(wait time.Duration) string {
	switch {
	case wait <= 0:
		return "in a moment"
	case wait < 2*time.Minute:
		return fmt.Sprintf("in %d seconds", int(math.Ceil(wait.Seconds())))
	}
	return fmt.Sprintf("in %d minutes", int(math.Ceil(wait.Minutes())))
}
