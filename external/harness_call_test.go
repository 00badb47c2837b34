package external_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/command"
	"fairlead/external"
	"fairlead/tool"
)

func TestACallGivesReplyDigestAndRun(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.lines("codex", codexThread, `{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":2,"status":"failed"}}`, codexAnswer, codexDone)
	r := h.call(map[string]any{"agent": "codex", "prompt": "What is a fairlead?"})
	for _, part := range []string{"A ring for a rope.\n", "@codex · runId x", "session t-1", "4 events, nothing dropped", "tool shell ls → exit 2: a", "usage 3 tokens in, 4 out"} {
		if !strings.Contains(text(r), part) {
			t.Errorf("%q does not say %q", text(r), part)
		}
	}
	var kinds []string
	for ev, err := range h.log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(ev.Type, "run/") {
			kinds = append(kinds, ev.Type)
		}
	}
	if diff := cmp.Diff([]string{"run/started", "run/ended"}, kinds); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(h.log.Snapshot()["runs"])
	if err != nil || !strings.Contains(string(raw), `"state":"answered"`) {
		t.Errorf("%s, %v", raw, err)
	}
	out, err := os.ReadFile(filepath.Join(h.home, "external", string(h.log.ID()), h.agents.Table.List()[0].ID+".out"))
	if err != nil || !strings.Contains(string(out), codexDone) {
		t.Errorf("the stream beside the session: %s, %v", out, err)
	}
}

func TestADigestHasTheLastFortyEvents(t *testing.T) {
	h := newHouse(t, external.Config{})
	lines := []string{codexThread}
	for i := range 60 {
		lines = append(lines, fmt.Sprintf(`{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"thought %d."}}`, i))
	}
	h.lines("codex", append(lines, codexAnswer, codexDone)...)
	got := text(h.call(map[string]any{"agent": "codex", "prompt": "x"}))
	if strings.Contains(got, "thought 21.") || !strings.Contains(got, "thought 22.") || !strings.Contains(got, "(23 earlier events are not shown)") {
		t.Error(got)
	}
}

func TestAFailedRunIsAFailedCallWithItsReason(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", "exit 0")
	r := h.call(map[string]any{"agent": "claude", "prompt": "x"})
	if !r.Failed || r.Code != "AGENT_NO_ANSWER" || !strings.HasPrefix(text(r), "Claude Code ended as if all were well, but gave no answer.") {
		t.Errorf("%s: %s", r.Code, text(r))
	}
	for name, says := range map[string]string{"grok": "Grok is not installed", "nobody": "There is no agent"} {
		if r := h.call(map[string]any{"agent": name, "prompt": "x"}); !r.Failed || !strings.Contains(text(r), says) {
			t.Errorf("%s: %s", name, text(r))
		}
	}
}

func TestASwitchedOffAgentIsNotAsked(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.lines("claude", claudeAnswer)
	h.set(map[string]any{"external.agents": map[string]any{"claude": map[string]any{"disabled": true}}})
	if r := h.call(map[string]any{"agent": "claude", "prompt": "x"}); !r.Failed || !strings.Contains(text(r), "switched the agent claude off") {
		t.Error(text(r))
	}
	h.set(map[string]any{"external.agents": map[string]any{"claude": map[string]any{"access": "workspace-write", "effort": "low"}}})
	h.call(map[string]any{"agent": "claude", "prompt": "x", "access": "full"})
	if run := h.agents.Table.List()[0]; run.Access != external.WorkspaceWrite || run.Effort != external.Low {
		t.Errorf("%+v", run)
	}
}

func TestTheViewGivesWhatIsNewSinceANumber(t *testing.T) {
	h := newHouse(t, external.Config{Events: 3, Runs: 2, Preview: 10})
	h.lines("codex", codexThread, `{"type":"turn.started"}`, `{"type":"later"}`, codexAnswer, codexDone)
	id := h.ask(external.Question{Agent: "codex", Prompt: "a long question about ropes"}).Run.ID
	read := func(params map[string]string) (v external.Run) {
		t.Helper()
		view, ok := command.FindView(t.Context(), h.graph.Root().Realm(), "runs")
		if !ok {
			t.Fatal("there is no view of runs")
		}
		got, err := view.Read(t.Context(), command.Query{Params: params})
		if err != nil {
			t.Fatal(err)
		}
		return got.(external.Run)
	}
	whole := read(map[string]string{"run": id})
	if whole.Count != 5 || whole.Dropped != 2 || len(whole.Events) != 3 || whole.Events[0].Seq != 3 || whole.Prompt != "a long qu…" {
		t.Errorf("%+v", whole)
	}
	if rest := read(map[string]string{"run": id, "since": "4"}); len(rest.Events) != 1 || rest.Events[0].Seq != 5 {
		t.Errorf("%+v", rest.Events)
	}
	if none := read(map[string]string{"run": id, "since": "5"}); none.Events != nil {
		t.Errorf("%+v", none.Events)
	}
	h.ask(external.Question{Agent: "codex", Prompt: "b"})
	h.ask(external.Question{Agent: "codex", Prompt: "c"})
	if list := h.agents.Table.List(); len(list) != 2 || list[0].Prompt != "b" || list[0].Events != nil {
		t.Errorf("%+v", list)
	}
}

func TestAWatcherSeesEveryEventOnce(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("codex", `cat >/dev/null; echo '`+codexThread+`'; while [ ! -e go ]; do sleep 0.05; done; echo '`+codexAnswer+`'; echo '`+codexDone+`'`)
	began := make(chan string, 1)
	ended := make(chan external.Answer, 1)
	go func() {
		ended <- h.ask(external.Question{Agent: "codex", Started: func(r external.Run) error { began <- r.ID; return nil }})
	}()
	view, _ := command.FindView(t.Context(), h.graph.Root().Realm(), "runs")
	var seqs []int64
	for v, err := range view.Watch(t.Context(), command.Query{Params: map[string]string{"run": <-began}}) {
		if err != nil {
			t.Fatal(err)
		}
		run := v.(external.Run)
		for _, e := range run.Events {
			seqs = append(seqs, e.Seq)
		}
		if len(seqs) > 0 {
			if err := os.WriteFile(filepath.Join(h.folder, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if run.State != "running" {
			break
		}
	}
	if diff := cmp.Diff([]int64{1, 2, 3}, seqs); diff != "" {
		t.Error(diff)
	}
	<-ended
}

func TestACallSaysWhatItMayDoBeforeItIsAskedFor(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.lines("claude", claudeAnswer)
	var uses tool.Tool
	for _, one := range h.tools.View(h.graph.Root().Realm()) {
		if one.Schema().Name == "harness_call" {
			uses = one
		}
	}
	card := func(args string) (*tool.Card, bool) {
		call := &tool.Call{Tool: "harness_call", Args: json.RawMessage(args), Folder: h.folder}
		c, err := uses.(tool.Carder).Card(context.Background(), call)
		if err != nil {
			t.Fatal(err)
		}
		return c, uses.(tool.ReadOnly).ReadOnly(call)
	}
	got, looks := card(`{"agent":"claude","prompt":"Look around."}`)
	want := &tool.Card{Title: "ask-agent", Hero: "@claude", Parts: []tool.CardPart{{Name: "prompt", Kind: "text", Text: "Look around."}},
		Facts: []tool.Fact{{Key: "card.agent-read-only"}, {Key: "card.agent-sends", Values: map[string]any{"agent": "claude"}}}}
	if diff := cmp.Diff(want, got); diff != "" || !looks {
		t.Error(looks, diff)
	}
	if got, looks := card(`{"agent":"claude","prompt":"x","access":"full"}`); looks || !got.Facts[0].Warn || got.Facts[0].Key != "card.agent-full" {
		t.Errorf("%v %+v", looks, got)
	}
}

func TestARemovedRowLeavesNothing(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", "cat >/dev/null; echo '"+claudeInit+"'; sleep 1000")
	ended := make(chan external.Answer, 1)
	began := make(chan struct{}, 1)
	go func() {
		ended <- h.ask(external.Question{Agent: "claude", Heard: func(external.Event) { began <- struct{}{} }})
	}()
	<-began
	if err := h.fiber.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if answer := <-ended; answer.Verdict.Code != external.Stopped || len(children(t)) > 0 {
		t.Errorf("%+v", answer.Verdict)
	}
	if _, ok := command.FindView(t.Context(), h.graph.Root().Realm(), "runs"); ok {
		t.Error("the view is still there")
	}
	if r := h.call(map[string]any{"agent": "claude", "prompt": "x"}); r.Code != "UNKNOWN_TOOL" {
		t.Errorf("the tool is still there: %s", text(r))
	}
}

func TestFoundAgentsAreToldWithVersionAndSignIn(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", `[ "$1" = --version ] && echo '2.1.197 (Claude Code)'`)
	h.program("codex", `echo 'no such option' >&2; exit 1`)
	if err := os.MkdirAll(filepath.Join(h.personal, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.personal, ".claude", ".credentials.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := []external.Found{
		{Name: "claude", Label: "Claude Code", State: "ready", Version: "2.1.197", Path: filepath.Join(h.bin, "claude")},
		{Name: "codex", Label: "Codex", State: "broken", Reason: "It does not say its version. It said: no such option", Path: filepath.Join(h.bin, "codex")},
		{Name: "grok", Label: "Grok", State: "missing", Reason: "Grok is not installed, or not on the PATH."},
	}
	if diff := cmp.Diff(want, h.agents.Found(t.Context())); diff != "" {
		t.Error(diff)
	}
}
