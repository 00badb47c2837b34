package tool

import (
	"context"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// The extension points of the pipeline, in the order in which a call meets them.
var (
	// PreExecute decides whether a call may run. The innermost opinion is the zero
	// Verdict: where nobody has another, no call may run. A listener that wants the
	// others heard calls next and gives the stricter of both.
	PreExecute = graph.NewWaterfall[*Call, Verdict]("tool.pre-execute", "decides whether a call may run, must be asked for or is refused; without a listener every call is refused")
	// PostExecute sees a result before it is logged and may replace what the model
	// reads. An error makes the result a failed one; what the call did stays done.
	PostExecute = graph.NewWaterfall[Finished, *Result]("tool.post-execute", "may replace the result of a call that ran, before it is logged")
	// Executed tells of every logged result, of refused calls too.
	Executed = graph.NewNotify[Outcome]("tool.executed", "a call has its result in the log")

	// AskKey names who asks a person.
	AskKey = graph.NewKey[Asker]("tool.ask", "puts a question about a call to a person and keeps the decisions")
)

// Finished is a call whose body returned.
type Finished struct {
	Call   *Call
	Result *Result
}

// Outcome is what came of a call.
type Outcome struct {
	Call *Call
	// Logged is the payload of the tool/result event. For a call inside another one
	// its Content is whole where the log keeps a preview.
	Logged *session.ToolResultData
	// Changed names files the call changed, absolute.
	Changed []string
	// EndsTurn is true where the tool wants the turn to be over after this step.
	EndsTurn bool
}

// Plain is what a program gets of the result: its text, without what dresses it for a
// reader where the tool can take that off.
func (o Outcome) Plain() string {
	text := llm.Plain(o.Logged.Content)
	if p, ok := o.Call.Uses.(Plainer); ok && !o.Logged.Failed {
		text = p.Plain(text)
	}
	return text
}

// unjudged is where the waterfall ends: no opinion. Where nobody has one, see [run.admitted].
func unjudged(context.Context, *Call) (Verdict, error) { return Verdict{}, nil }
