package agent_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

func TestASessionHasOneAgentHoweverOftenItIsOpened(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	id := h.create().ID()
	if err := h.host.Release(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.host.Live(id); ok {
		t.Fatal("the agent is live after its release")
	}
	got := make([]*agent.Agent, 8)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			var err error
			if got[i], err = h.host.Open(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, a := range got {
		if a != got[0] {
			t.Error("two agents drive one session")
		}
	}
	if n := len(h.host.All()); n != 1 {
		t.Errorf("%d agents are live", n)
	}
}

func TestTurnNumbersGoOnAfterARestart(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	h.say(a, "one")
	h.close()
	again := build(t, blueprint{script: "reply\n  say hello", dir: h.dir})
	b, err := again.host.Open(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	again.say(b, "two")
	var turns []int
	for _, e := range again.events(b) {
		if session.TurnStart.Of(e) {
			turns = append(turns, e.Turn)
		}
	}
	if len(turns) != 2 || turns[0] != 1 || turns[1] != 2 {
		t.Errorf("turns = %v", turns)
	}
	reuse, err := session.StateOf(b.Log(), agent.Prefix)
	if err != nil || reuse.Breaks != 0 {
		t.Errorf("reuse = %+v, %v", reuse, err)
	}
}

func TestASectionIsGoneWithItsFiber(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	realm := h.graph.Root().Realm()
	sections, _ := graph.Lookup(realm, agent.SectionsKey)
	before := sections.Text(realm)
	f, err := h.graph.Root().Plug("more", graph.Plugin{Name: "more", Apply: func(f *graph.Fiber, _ any) error {
		return sections.Add(f, agent.Section{Name: "more", Order: 5, Text: "More."})
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := sections.Text(realm); got != before+"\n\nMore." {
		t.Errorf("prompt = %q", got)
	}
	if err := f.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := sections.Text(realm); got != before {
		t.Error("the section outlived its fiber")
	}
}

func TestModelAndEffortHoldFromTheNextStepOn(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	if _, err := a.Send(t.Context(), agent.Input{Content: llm.Text("one"), Model: "test/scripted", Effort: "high"}); err != nil {
		t.Fatal(err)
	}
	h.idle(a)
	h.say(a, "two")
	for i, d := range decoded(h, a, session.RequestHeader) {
		if d.Route != "test/scripted" || d.Params.Effort != "high" {
			t.Errorf("request %d = %+v", i+1, d)
		}
	}
	if n := len(decoded(h, a, session.ModelSelected)); n != 1 {
		t.Errorf("%d selections are logged, want 1", n)
	}
}

func TestTheTitleComesFromThePromptAtOnce(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	h.say(a, "\n## Please fix the failing tests of the parser, then run everything once more and report\n\nDetails follow.")
	h.say(a, "thanks")
	got := decoded(h, a, session.Titled)
	want := session.TitledData{Title: "Please fix the failing tests of the parser, then run everything once more and…", By: session.ByPrompt}
	if len(got) != 1 || got[0] != want {
		t.Errorf("titles = %+v", got)
	}
}

func TestTwoSessionsWithDifferentPresetsRunSideBySide(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello", tools: []tool.Tool{echo(), newGate().tool()}, presets: map[string]string{
		"narrow.yaml": "name: Narrow\nprompt: narrow.md\ntools: {allow: [echo]}\n",
		"narrow.md":   "You only echo.",
	}})
	wide := h.create()
	narrow, err := h.host.Create(t.Context(), agent.Spec{Folder: t.TempDir(), Preset: "narrow"})
	if err != nil {
		t.Fatal(err)
	}
	registry, _ := graph.Lookup(h.graph.Root().Realm(), tool.RegistryKey)
	sections, _ := graph.Lookup(h.graph.Root().Realm(), agent.SectionsKey)
	names := func(a *agent.Agent) (out []string) {
		for _, s := range registry.Schemas(a.Realm()) {
			out = append(out, s.Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{"block", "echo"}, names(wide)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"echo"}, names(narrow)); diff != "" {
		t.Error(diff)
	}
	if got := sections.Text(narrow.Realm()); got != "You only echo." {
		t.Errorf("prompt = %q", got)
	}
	if got := sections.Text(wide.Realm()); got == "You only echo." {
		t.Error("one session's prompt reached the other")
	}
	if err := h.host.Release(t.Context(), narrow.ID()); err != nil {
		t.Fatal(err)
	}
	again, err := h.host.Open(t.Context(), narrow.ID())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"echo"}, names(again)); diff != "" {
		t.Error("after a restart:", diff)
	}
	if _, err := h.host.Create(t.Context(), agent.Spec{Preset: "gone"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown preset: %v", err)
	}
}
