package turnguard_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/turnguard"
)

// calls is a script of n replies, each with the call that write gives it.
func calls(n int, write func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "reply\n  call %s\n", write(i))
	}
	return b.String() + "reply\n  say Done.\n"
}

func always(call string) func(int) string { return func(int) string { return call } }

func TestATurnThatGoesInCirclesIsEndedWithTheCallNamed(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		by     string // "" where the turn may go on
		steps  int
		call   string
	}{
		"eleven same calls":         {calls(11, always(`echo {"text":"x"}`)), "", 12, ""},
		"twelve same calls":         {calls(12, always(`echo {"text":"x"}`)), "repeated", 12, `echo {"text":"x"}`},
		"the same in another order": {calls(12, func(i int) string { return []string{`echo {"text":"x","a":1}`, `echo { "a": 1, "text": "x" }`}[i%2] }), "repeated", 12, ""},
		"two in turn":               {calls(12, func(i int) string { return []string{`echo {"text":"x"}`, `echo {"text":"y"}`}[i%2] }), "alternating", 12, `echo {"text":"y"}`},
		"three in turn":             {calls(12, func(i int) string { return []string{`echo {"text":"x"}`, `echo {"text":"y"}`, `look {}`}[i%3] }), "alternating", 12, "look {}"},
		"the same but for marks":    {calls(12, func(i int) string { return fmt.Sprintf(`echo {"text":"X%sx"}`, strings.Repeat("-", i)) }), "varied", 12, ""},
		"the same but for numbers":  {calls(12, func(i int) string { return fmt.Sprintf(`echo {"text":"page %d"}`, i) }), "", 13, ""},
		"failing but for numbers":   {calls(12, func(i int) string { return fmt.Sprintf(`echo {"fail":"no file %d"}`, i) }), "varied", 12, ""},
		"many different calls":      {calls(30, func(i int) string { return fmt.Sprintf(`echo {"text":"%s"}`, strings.Repeat("ab", i)) }), "", 31, ""},
		"waiting for a job":         {calls(20, always(`job_output {"job":"j1"}`)), "", 21, ""},
		"the same, something between": {calls(24, func(i int) string {
			return fmt.Sprintf(`echo {"text":"%s"}`, map[bool]string{true: strings.Repeat("z", i), false: "x"}[i%5 == 4])
		}), "", 25, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, blueprint{script: c.script, tools: []tool.Tool{echo("echo"), echo("look"), echo("job_output")}})
			a := h.create(agent.Spec{})
			end := h.say(a, agent.Input{})
			want := session.EndReason{Kind: session.EndGuard, By: c.by}
			if c.by == "" {
				want = session.EndReason{Kind: session.EndCompleted}
			}
			if end.Reason != want || end.Steps != c.steps || !strings.Contains(end.Text, c.call) {
				t.Errorf("end = %+v, want %+v after %d steps, naming %s", end, want, c.steps, c.call)
			}
			if stopped := decoded(h, a, turnguard.GuardStopped); (len(stopped) == 1) != (c.by != "") {
				t.Errorf("stopped = %+v", stopped)
			}
		})
	}
}

func TestAModelIsRemindedAtThreeFiveAndEightSameCalls(t *testing.T) {
	h := build(t, blueprint{script: calls(10, always(`echo {"text":"x"}`)), tools: []tool.Tool{echo("echo")}})
	a := h.create(agent.Spec{})
	h.say(a, agent.Input{})
	var at []string
	for e, err := range a.Log().Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if d, err := session.Injected.Decode(e); session.Injected.Of(e) && err == nil && d.Source == turnguard.ReminderRow {
			at = append(at, fmt.Sprintf("step %d long %t", e.Step, strings.Contains(d.Text, `echo {"text":"x"}`)))
		}
	}
	if diff := cmp.Diff([]string{"step 4 long false", "step 6 long true", "step 9 long true"}, at); diff != "" {
		t.Errorf("reminders (-want +got):\n%s", diff)
	}
	if results := decoded(h, a, session.ToolResult); len(results) != 10 {
		t.Errorf("%d calls ran, want all 10", len(results))
	}
}

func TestWhatAPersonSaysBeginsTheCountAnew(t *testing.T) {
	h := build(t, blueprint{script: calls(20, always(`echo {"text":"x"}`)), tools: []tool.Tool{echo("echo")}, budgets: turnguard.Budgets{Turn: turnguard.Limits{Steps: 8}}})
	a := h.create(agent.Spec{})
	h.say(a, agent.Input{})
	if end := h.say(a, agent.Input{}); end.Reason.Kind != session.EndBudget {
		t.Errorf("end = %+v: the calls of two turns were counted together", end)
	}
}

func TestSearchesOfATurnAreLimited(t *testing.T) {
	search := func(i int) string { return fmt.Sprintf(`web_search {"text":"%s"}`, strings.Repeat("ab", i)) }
	failing := func(i int) string { return fmt.Sprintf(`web_search {"fail":"%s"}`, strings.Repeat("ab", i+1)) }
	for name, c := range map[string]struct {
		script, mode, origin, by string
		steps                    int
	}{
		"24 searches":            {calls(24, search), agent.Bypass, "", "", 25},
		"25 searches":            {calls(25, search), agent.Bypass, "", "searches", 25},
		"10 in plan":             {calls(10, search), agent.Plan, "", "searches", 10},
		"3 that fail":            {calls(3, failing), agent.Bypass, "", "failed-searches", 3},
		"2 that fail, one works": {calls(5, func(i int) string { return []string{failing(i), failing(i), search(i)}[i%3] }), agent.Bypass, "", "", 6},
		"3 that were refused":    {calls(3, func(i int) string { return fmt.Sprintf(`web_search {"text":"forbidden %s"}`, strings.Repeat("ab", i)) }), agent.Bypass, "", "", 4},
		"a goal may go on":       {calls(25, search), agent.Bypass, "goal", "", 26},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, blueprint{script: c.script, tools: []tool.Tool{echo("web_search")}})
			end := h.say(h.create(agent.Spec{}), agent.Input{Mode: c.mode, Origin: c.origin})
			if end.Reason.By != c.by || end.Steps != c.steps || c.by != "" && end.Reason.Kind != session.EndGuard {
				t.Errorf("end = %+v, want %q after %d steps", end, c.by, c.steps)
			}
		})
	}
}

func TestATurnEndsBeforeTheWindowIsFullAndRoomIsAskedFor(t *testing.T) {
	asked := make(chan string, 1)
	room := graph.Plugin{Name: "room", Apply: func(f *graph.Fiber, _ any) error {
		command.Register(f, command.Command{Name: "compact", Scope: command.Session, Summary: "stands for the slice that makes room", Run: func(_ context.Context, c command.Call) (any, error) {
			asked <- c.Session
			return nil, nil
		}})
		return nil
	}}
	for used, want := range map[int]string{920: session.EndCompleted, 930: session.EndGuard} {
		h := build(t, blueprint{model: llm.Model{Window: 1000}, tools: []tool.Tool{echo("echo")}, plugins: []graph.Plugin{room},
			script: fmt.Sprintf("reply\n  call echo {}\n  usage %d 0\nreply\n  say Done.\n", used)})
		a := h.create(agent.Spec{})
		end := h.say(a, agent.Input{})
		if end.Reason.Kind != want || want == session.EndGuard && (end.Reason.By != "context" || !strings.Contains(end.Text, "93 %")) {
			t.Errorf("%d of 1000: end = %+v", used, end)
		}
		if want == session.EndGuard {
			if id := <-asked; id != string(a.ID()) {
				t.Errorf("room was asked for in %q", id)
			}
		}
	}
	if len(asked) > 0 {
		t.Error("room was asked for after a turn that completed")
	}
}

func TestAReplyThatRepeatsItselfWithoutEndIsStopped(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say " + strings.Repeat("I am thinking about it. ", 600) + "\n  hang"})
	a := h.create(agent.Spec{})
	end := h.say(a, agent.Input{})
	if end.Reason != (session.EndReason{Kind: session.EndGuard, By: "babbling"}) || !strings.Contains(end.Text, "thinking about it.") {
		t.Errorf("end = %+v", end)
	}
	replies := decoded(h, a, session.AssistantMessage)
	if len(replies) != 1 || !replies[0].Interrupted {
		t.Errorf("replies = %+v, want what had come", replies)
	}
}

func TestALongReplyThatDoesNotRepeatItselfIsLeftAlone(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "line %d of it. ", i)
	}
	h := build(t, blueprint{script: "reply\n  say " + text.String()})
	if end := h.say(h.create(agent.Spec{}), agent.Input{}); end.Reason.Kind != session.EndCompleted {
		t.Errorf("end = %+v", end)
	}
}

func TestACallInACutReplyNeverRunsAndTheModelGoesOn(t *testing.T) {
	h := build(t, blueprint{tools: []tool.Tool{echo("write")}, script: `
reply
  say I will write it.
  call write {"path":"a.txt","text":"half of it"}
  finish length
reply
  say Done in pieces.
`})
	a := h.create(agent.Spec{})
	end := h.say(a, agent.Input{})
	if started := decoded(h, a, session.ToolStarted); len(started) != 0 {
		t.Error("a call of a cut reply ran")
	}
	results := decoded(h, a, session.ToolResult)
	if len(results) != 1 || !results[0].Failed {
		t.Errorf("results = %+v, want one that says the call was cut", results)
	}
	told := false
	for _, d := range decoded(h, a, session.Injected) {
		told = told || d.Source == "cut-reply"
	}
	if !told || end.Reason.Kind != session.EndCompleted || end.Steps != 2 {
		t.Errorf("told %v, end = %+v", told, end)
	}
}

func TestAReplyThatIsCutAgainAndAgainEndsTheTurn(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say On and on\n  finish length"})
	end := h.say(h.create(agent.Spec{}), agent.Input{})
	if end.Reason.Kind != session.EndMaxTokens || end.Steps != 3 || end.Text == "" {
		t.Errorf("end = %+v, want max-tokens after three replies", end)
	}
}
