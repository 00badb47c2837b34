package toolbox

import (
	"cmp"
	"context"
	_ "embed" // the text is a file
	"slices"
	"strings"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed plan.md
var planText string

// The kinds of plans.
var (
	PlanProposed = session.Kind[PlanProposedData]{Name: "plan/proposed", Doc: "the model proposes a plan, which waits for the person", Ignorable: true}
	PlanDecided  = session.Kind[PlanDecidedData]{Name: "plan/decided", Doc: "what became of a proposed plan, and the mode it goes on in", Ignorable: true}
)

// PlanProposedData is a plan; Text is Markdown.
type PlanProposedData struct {
	Call string `json:"call"`
	Text string `json:"text"`
}

// What was decided on a plan.
const (
	planApproved = "approved"
	planDropped  = "dropped"
	planDiscuss  = "discuss" // the person wants it changed, and Note says how
)

// PlanDecidedData says what became of a plan. Mode is what an approved one goes on
// in, "manual" or "bypass"; By is "person", "nobody" or "stop", and only a person decides.
type PlanDecidedData struct {
	Call     string `json:"call"`
	Decision string `json:"decision,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Note     string `json:"note,omitempty"`
	By       string `json:"by"`
}

// planner is the tool "plan".
type planner struct{ desk *consults }

func (planner) Schema() llm.ToolSchema {
	return schema("plan", planText, `{"type":"object","properties":{"text":{"type":"string","minLength":1}},"required":["text"],"additionalProperties":false}`)
}

func (planner) args(call *tool.Call) PlanProposedData {
	d := PlanProposedData{Call: call.ID}
	_ = call.Decode(&d) // the arguments passed the schema
	return d
}

func (planner) ReadOnly(*tool.Call) bool { return true }

func (p planner) Present(call *tool.Call) session.Present {
	first, _, _ := strings.Cut(strings.TrimSpace(p.args(call).Text), "\n")
	return session.Present{Verb: "plan", What: strings.TrimSpace(strings.TrimLeft(first, "# "))}
}

func (p planner) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	return p.desk.consult(ctx, call, PlanProposed.New(call.Turn, call.Step, p.args(call)), func(by string) (session.Draft, *tool.Result) {
		return PlanDecided.New(call.Turn, call.Step, PlanDecidedData{Call: call.ID, By: by}),
			tool.Text("Nobody is here to decide on the plan. It is kept in the session and nothing of it was done. Give it as your answer.")
	})
}

// goOn is what an approved plan's turn begins with, where the person says
// nothing else.
const goOn = "Carry out the approved plan."

// deciding is the command with which a person decides on a plan.
func (d *consults) deciding() command.Command {
	const params = `{"type":"object","properties":{"call":{"type":"string"},"decision":{"enum":["approved","dropped","discuss"]},"mode":{"enum":["manual","bypass"]},"note":{"type":"string"},"text":{"type":"string"}},"required":["call","decision"],"additionalProperties":false}`
	type args struct {
		Call     string `json:"call"`
		Decision string `json:"decision"`
		Mode     string `json:"mode"`
		Note     string `json:"note"`
		// Text is what the turn that carries the plan out begins with.
		Text string `json:"text"`
	}
	return verb("plan.decide", "approves a plan in a mode, asks for another one, or drops it", params, func(ctx context.Context, id session.ID, a args) error {
		c, err := d.find(id, a.Call)
		if err != nil {
			return err
		}
		a.Note = strings.TrimSpace(a.Note)
		decided := PlanDecidedData{Call: a.Call, Decision: a.Decision, Note: a.Note, By: byPerson}
		result := &tool.Result{EndsTurn: true}
		switch a.Decision {
		case planApproved:
			if !slices.Contains([]string{"manual", "bypass"}, a.Mode) {
				return fault.New(fault.Invalid, "toolbox.plan", "An approved plan goes on in Manual or in Bypass, not in %q. Nothing was decided.", a.Mode)
			}
			decided.Mode = a.Mode
			result.Content = llm.Text("The person approved the plan. They start it with their next message.")
		case planDropped:
			result.Content = llm.Text("The person dropped the plan. Nothing of it is to be done." + inTheirWords(a.Note))
		case planDiscuss:
			if a.Note == "" {
				return fault.New(fault.Invalid, "toolbox.plan", "Say what should be changed in the plan. Nothing was decided.")
			}
			result.EndsTurn = false
			result.Content = llm.Text("The person wants the plan changed." + inTheirWords(a.Note) + "\nPropose it again, whole.")
		default:
			return fault.New(fault.Invalid, "toolbox.plan", "%q is no decision on a plan. Nothing was decided.", a.Decision)
		}
		// The message that carries the plan out is queued before this turn ends, so that
		// it is the next one.
		var then func() error
		if a.Decision == planApproved {
			then = func() error {
				return d.send(ctx, id, agent.Input{ID: "plan-" + a.Call, Content: llm.Text(cmp.Or(a.Text, goOn)), Mode: decided.Mode})
			}
		}
		return c.settle(ctx, PlanDecided.New(c.call.Turn, c.call.Step, decided), result, then)
	})
}

func inTheirWords(note string) string {
	if note == "" {
		return ""
	}
	return " In their words: " + note
}
