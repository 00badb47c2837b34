package external

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed harness_call.md
var callText string

// digestEvents is how many of a run's last events its result tells of.
const digestEvents = 40

// harnessCall is the tool harness_call.
type harnessCall struct{ agents *Agents }

type callArgs struct {
	Agent   string `json:"agent"`
	Prompt  string `json:"prompt"`
	Access  Access `json:"access"`
	Effort  Effort `json:"effort"`
	New     bool   `json:"newSession"`
	Session string `json:"sessionId"`
	Seconds int    `json:"timeoutSeconds"`
}

func (harnessCall) args(call *tool.Call) (a callArgs) {
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (harnessCall) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "harness_call", Description: strings.TrimSpace(callText), Parameters: json.RawMessage(`{"type":"object","properties":{` +
		`"agent":{"type":"string"},"prompt":{"type":"string"},` +
		`"access":{"type":"string","enum":["read-only","workspace-write","full"]},"effort":{"type":"string","enum":["low","medium","high","xhigh"]},` +
		`"newSession":{"type":"boolean"},"sessionId":{"type":"string"},"timeoutSeconds":{"type":"integer","description":"60 to 3600, 900 by default"}},` +
		`"required":["agent","prompt"],"additionalProperties":false}`)}
}

func (harnessCall) Rare() string {
	return "Asks another agent on this machine (claude, codex, grok) and gives its reply."
}

// Parallel holds: runs do not share anything.
func (harnessCall) Parallel(*tool.Call) bool { return true }

// ReadOnly holds where the agent may do nothing but look, on a machine that keeps it to
// that.
func (t harnessCall) ReadOnly(call *tool.Call) bool {
	access, ok := t.access(call)
	return ok && access == ReadOnly && t.agents.box.Probe().Files != ""
}

// Delegates holds always: what is in the prompt goes to another company's model, and
// costs the person something.
func (harnessCall) Delegates(*tool.Call) bool { return true }

func (t harnessCall) access(call *tool.Call) (Access, bool) {
	a := t.args(call)
	_, choice, err := t.agents.adapter(a.Agent)
	if err != nil {
		return "", false
	}
	access, err := choice.access(a.Access)
	return access, err == nil
}

func (t harnessCall) Limit(call *tool.Call) time.Duration {
	return limitOf(time.Duration(t.args(call).Seconds)*time.Second) + 2*grace
}

func (t harnessCall) Present(call *tool.Call) session.Present {
	a := t.args(call)
	first, _, _ := strings.Cut(strings.TrimSpace(a.Prompt), "\n")
	return session.Present{Verb: "ask", What: "@" + tool.OutsideLine(a.Agent, 30) + " · " + tool.OutsideLine(first, 60), Full: "@" + a.Agent + " · " + tool.Outside(a.Prompt)}
}

// Card shows who is asked, what it may do, and every word of the prompt.
func (t harnessCall) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := t.args(call)
	card := &tool.Card{Title: "ask-agent", Hero: "@" + a.Agent, Parts: []tool.CardPart{{Name: "prompt", Kind: "text", Text: a.Prompt}}}
	if access, ok := t.access(call); ok {
		card.Facts = append(card.Facts, tool.Fact{Key: "card.agent-" + string(access), Warn: access == Full})
	}
	card.Facts = append(card.Facts, tool.Fact{Key: "card.agent-sends", Values: map[string]any{"agent": a.Agent}})
	if t.agents.box.Probe().Files == "" {
		card.Facts = append(card.Facts, tool.Fact{Key: "card.no-sandbox", Warn: true})
	}
	return card, nil
}

// Check says what is wrong before anybody is asked.
func (t harnessCall) Check(_ context.Context, call *tool.Call) error {
	a := t.args(call)
	ad, choice, err := t.agents.adapter(a.Agent)
	if err != nil {
		return err
	}
	if _, err := choice.access(a.Access); err != nil {
		return err
	}
	if t.agents.find(ad.Program) == "" {
		return fault.New(fault.NotFound, "external.check", "%s is not installed, or not on the PATH. Nothing was started.", ad.Label).WithCode("no-program")
	}
	return nil
}

func (t harnessCall) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := t.args(call)
	folder := call.Folder
	if folder == "" {
		return nil, fault.New(fault.Invalid, "external.call", "This session has no folder, and an agent needs one to work in. Nothing was started.")
	}
	answer, err := t.agents.Ask(ctx, Question{
		Agent: a.Agent, Prompt: a.Prompt, Access: a.Access, Effort: a.Effort, New: a.New, Session: a.Session, Limit: time.Duration(a.Seconds) * time.Second,
		Folder: folder, Owner: call.Log.ID(), Call: call.ID,
		Started: func(r Run) error {
			_, err := call.Log.Append(ctx, RunStarted.New(call.Turn, call.Step, RunStartedData{Run: r.ID, Call: call.ID, Agent: r.Agent, Prompt: r.Prompt,
				Access: r.Access, Effort: r.Effort, AgentSession: r.AgentSession}))
			return err
		},
	})
	r := answer.Run
	if r.ID != "" {
		_, logged := call.Log.Append(context.WithoutCancel(ctx), RunEnded.New(call.Turn, call.Step, RunEndedData{Run: r.ID, Call: call.ID, Agent: r.Agent, State: r.State, Code: r.Code,
			Reason: r.Reason, Millis: r.Millis, Count: r.Count, Dropped: r.Dropped, Turns: r.Turns, Usage: r.Usage, Cost: r.Cost, AgentSession: r.AgentSession}))
		if err == nil {
			err = logged
		}
	}
	if err != nil {
		return nil, err
	}
	result := tool.Text(tell(answer))
	result.View = map[string]any{"kind": "run", "run": r.ID, "agent": r.Agent, "state": r.State, "count": r.Count, "droppedEvents": r.Dropped, "ms": r.Millis}
	if !answer.Verdict.OK {
		result.Failed, result.Code = true, "AGENT_"+strings.ToUpper(strings.ReplaceAll(answer.Verdict.Code, "-", "_"))
	}
	return result, nil
}

// tell is what the model reads of a run.
func tell(a Answer) string {
	var b strings.Builder
	r, v := a.Run, a.Verdict
	switch {
	case v.OK:
		b.WriteString(tool.Outside(v.Answer))
	case v.Answer != "":
		fmt.Fprintf(&b, "%s Before that it said:\n\n%s", v.Reason, tool.Outside(v.Answer))
	default:
		b.WriteString(v.Reason)
	}
	fmt.Fprintf(&b, "\n\n[%s]\n", a.footer())
	events := r.Events[max(0, len(r.Events)-digestEvents):]
	if older := r.Count - int64(len(events)); older > 0 {
		fmt.Fprintf(&b, "(%d earlier events are not shown)\n", older)
	}
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s\n", clock(e.At), e.Line())
	}
	return strings.TrimRight(b.String(), "\n")
}

// footer says in one line what the run was and used up.
func (a Answer) footer() string {
	r := a.Run
	parts := []string{"@" + r.Agent, "runId " + r.ID, string(r.Access), clock(r.Millis)}
	if r.AgentSession != "" {
		parts = append(parts, "session "+tool.OutsideLine(r.AgentSession, 80))
	}
	dropped := "nothing dropped"
	if r.Dropped > 0 {
		dropped = fmt.Sprintf("%d older events dropped", r.Dropped)
	}
	parts = append(parts, fmt.Sprintf("%d events, %s", r.Count, dropped))
	if spent := (Event{Usage: r.Usage, Cost: r.Cost, Turns: r.Turns}).spent(); spent != "" {
		parts = append(parts, spent)
	}
	return strings.Join(parts, " · ")
}

// clock spells milliseconds as minutes and seconds.
func clock(ms int64) string { return fmt.Sprintf("%d:%02d", ms/60000, ms/1000%60) }

// spell spells a limit for a reader.
func spell(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}

func list(names []string) string { return strings.Join(names, ", ") }
