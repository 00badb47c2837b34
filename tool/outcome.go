package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Codes of results that the pipeline makes itself. Others are the tools' own.
const (
	CodeUnknownTool = "UNKNOWN_TOOL"
	CodeArguments   = "INVALID_ARGUMENTS"
	CodeCut         = "CALL_CUT"
	CodeDenied      = "DENIED"
	CodeTimeout     = "TOOL_TIMEOUT"
	CodeStopped     = "TOOL_STOPPED"
	CodePanic       = "TOOL_PANIC"
	CodeNotLogged   = "NOT_LOGGED"
)

func failed(code, text string) *Result {
	return &Result{Content: llm.Text(text), Failed: true, Code: code}
}

func notStarted() *Result {
	return failed(session.CodeNotStarted, "Stopped before it started. Nothing was changed.")
}

func unlogged(err error) *Result {
	return failed(CodeNotLogged, "The session's log cannot be written, so the call was not run. Nothing was changed. "+fault.ForModel(err))
}

// refuse makes a denial the result, in words that tell the model what to do.
func (x *run) refuse(by, reason, text string) {
	if by == "" {
		by = "nobody"
	}
	x.deniedBy = by
	switch {
	case text != "":
	case by == "person" && reason != "":
		text = "The person said no to this call: " + reason + "\nNothing was changed. Follow what they say; do not try the same in another way."
	case by == "person":
		text = "The person said no to this call. Nothing was changed. Do not try the same in another way; go on without it or ask what they want."
	case by == "nobody":
		text = "This call needs a person's yes and nobody was there to answer. Nothing was changed. Go on without it and say what was left undone."
	default:
		text = "This call is not allowed: " + reason + ". Nothing was changed."
	}
	x.result = failed(CodeDenied, text)
}

// failure is the result of an error.
func failure(err error) *Result {
	code := fault.CodeOf(err)
	if code == "" {
		code = strings.ToUpper(fault.KindOf(err).String())
	}
	r := failed(code, fault.ForModel(err))
	r.err = err
	return r
}

// ended is the result of a call that was cut short and gave no result of its own.
func ended(stopped bool, limit, took time.Duration) *Result {
	if stopped {
		return failed(CodeStopped, fmt.Sprintf("Stopped after %s. What it had done until then stays.", took.Round(100*time.Millisecond)))
	}
	return failed(CodeTimeout, fmt.Sprintf("The call took longer than %s and was ended. What it had done until then stays.", limit))
}

// finish runs post-execute, keeps what is too big, logs the result and tells of it.
func (x *run) finish(ctx context.Context) {
	c, log := x.call, x.batch.registry.log
	if x.ran {
		r, err := PostExecute.Run(ctx, x.batch.realm, Finished{c, x.result}, func(_ context.Context, f Finished) (*Result, error) { return f.Result, nil })
		switch {
		case err != nil:
			checked := *x.result
			checked.Failed, checked.Code = true, failure(err).Code
			checked.Content = append(llm.Text("The call ran, but the check of its result failed: "+fault.ForModel(err)+"\n"), x.result.Content...)
			x.result = &checked
		case r != nil:
			x.result = r
		}
	}
	r, secrets := x.result, redactor(x.batch.realm)
	data := session.ToolResultData{Call: c.ID, ModelID: c.ModelID, Parent: c.Parent, Content: redactParts(secrets, clean(r.Content)), Failed: r.Failed, Code: r.Code,
		DeniedBy: x.deniedBy, Spill: r.Spill, Millis: x.took.Milliseconds()}
	if r.View != nil {
		view, err := json.Marshal(r.View)
		if err != nil {
			log.Error("a result's view cannot be encoded; the result is shown as text", "tool", c.Tool, "error", err)
		}
		data.View = redactView(secrets, view)
	}
	logged := data
	short, ref, err := spill(ctx, c.Log, data.Content)
	if err != nil {
		log.Error("a big result could not be kept beside the log; it is logged whole", "call", c.ID, "error", err)
	}
	if ref != nil {
		logged.Content, logged.Spill = short, ref
	}
	if c.Parent == "" {
		data = logged
	}
	if _, err := c.Log.Append(ctx, session.ToolResult.New(c.Turn, c.Step, logged)); err != nil {
		log.Error("a result could not be logged", "call", c.ID, "error", err)
	}
	x.outcome = Outcome{Call: c, Logged: &data, Changed: r.Changed, EndsTurn: r.EndsTurn}
	Executed.Emit(ctx, x.batch.realm, x.outcome)
}

// clean keeps what a log and a request can hold.
func clean(content []llm.Part) []llm.Part {
	parts := make([]llm.Part, len(content))
	for i, p := range content {
		p.Text = strings.ToValidUTF8(p.Text, "\uFFFD")
		parts[i] = p
	}
	return parts
}
