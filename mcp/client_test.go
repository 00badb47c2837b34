package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairlead/fault"
	"fairlead/mcp"
	"fairlead/tool"
)

func TestNothingIsStartedOrSeenBeforeItIsApproved(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	if s := h.state("good"); s.State != "unapproved" || s.Digest == "" || len(h.names()) > 0 {
		t.Fatalf("before: %+v, tools %v", s, h.names())
	}
	if _, err := h.servers.Approve(t.Context(), "good", "another digest"); !fault.Is(err, fault.Conflict) {
		t.Fatalf("approved what was not shown: %v", err)
	}
	s := h.approve("good")
	if s.State != "idle" || s.Digest != "" || len(s.Tools) != 13 {
		t.Errorf("after: %s, digest %q, %d tools", s.State, s.Digest, len(s.Tools))
	}
	if got := h.names(); len(got) != 13 || !slices.Contains(got, "mcp__good__echo") {
		t.Errorf("tools %v", got)
	}
	if schemas := h.tools.Schemas(h.graph.Root().Realm()); len(schemas) != 2 {
		t.Errorf("%d tools in requests, want tool_help and tool_use", len(schemas))
	}
	says(t, h.run("tool_help", map[string]any{}), "mcp__good__echo: Says it back.", "mcp_read: ")
	says(t, h.run("tool_use", map[string]any{"name": "mcp__good__echo", "arguments": map[string]any{"text": "hello"}}), "you said: hello")
	if s := h.state("good"); s.State != "ready" || s.Server != "good 1" || s.Said != "started" {
		t.Errorf("running: %+v", s)
	}
}

func TestApprovedServerIsThereAfterARestartWithoutBeingStarted(t *testing.T) {
	home := t.TempDir()
	first := open(t, home)
	first.set("good", server("good"))
	first.approve("good")
	again := open(t, home)
	if s := again.state("good"); s.State != "idle" || len(again.names()) != 13 {
		t.Errorf("state %s, tools %v", s.State, again.names())
	}
	// What another process approves counts, too.
	first.set("more", server("good"))
	again.wait("more", func(s mcp.State) bool { return s.State == "unapproved" })
	first.approve("more")
	again.wait("more", func(s mcp.State) bool { return s.State == "idle" })
}

func TestAnotherCommandIsNotRunUntilApproved(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	h.set("good", server("good", "--with-a-flag"))
	if s := h.wait("good", func(s mcp.State) bool { return s.State == "changed" }); s.Digest == "" || len(h.names()) > 0 {
		t.Errorf("a changed command: %+v, tools %v", s, h.names())
	}
	if _, err := h.servers.Test(t.Context(), "good"); !fault.Is(err, fault.Denied) {
		t.Errorf("it was started: %v", err)
	}
	if s := h.approve("good"); s.State != "idle" || len(h.names()) != 13 {
		t.Errorf("after approval: %s", s.State)
	}
}

func TestChangedToolIsNotCalledUntilApproved(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	says(t, h.run("mcp__good__echo", map[string]any{"text": "a"}), "you said: a")
	says(t, h.run("mcp__good__turn_bad", map[string]any{}), "changed")
	states := map[string]string{}
	s := h.wait("good", func(s mcp.State) bool { return s.Digest != "" })
	for _, one := range s.Tools {
		if one.State != "approved" {
			states[one.Name] = one.State
		}
		if one.State == "changed" && (one.Was.Description != "Says it back." || !strings.Contains(one.Now.Description, "id_rsa")) {
			t.Errorf("the change shows as %+v, then %+v", one.Was, one.Now)
		}
	}
	if want := map[string]string{"mcp__good__echo": "changed", "mcp__good__extra": "new", "mcp__good__fail": "gone"}; !mapsEqual(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	for name, c := range map[string]struct {
		args map[string]any
		code string
	}{"mcp__good__echo": {map[string]any{"text": "b"}, mcp.CodeQuarantined}, "mcp__good__fail": {nil, mcp.CodeQuarantined}, "mcp__good__extra": {nil, tool.CodeUnknownTool}} {
		if r := h.run(name, c.args); r.Code != c.code {
			t.Errorf("%s: code %q: %s", name, r.Code, plain(r))
		}
	}
	says(t, h.run("mcp__good__read_file", map[string]any{}), "a file") // its neighbours work
	if _, err := h.servers.Approve(t.Context(), "good", s.Digest); err != nil {
		t.Fatal(err)
	}
	if got := h.names(); !slices.Contains(got, "mcp__good__extra") || slices.Contains(got, "mcp__good__fail") {
		t.Errorf("after approval: %v", got)
	}
}

func mapsEqual(a, b map[string]string) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func TestNoiseOnStdoutIsSkippedAndCounted(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"noisy": server("noisy")})
	h.approve("noisy")
	for range 2 {
		says(t, h.run("mcp__noisy__echo", map[string]any{"text": "a"}), "you said: a")
	}
	if s := h.state("noisy"); s.Noise < 4 {
		t.Errorf("%d lines of noise were counted", s.Noise)
	}
}

func TestServerThatDiesInACallIsAToolErrorAndStartsAgain(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	if r := h.run("mcp__good__die", map[string]any{}); r.Code != mcp.CodeEnded {
		t.Errorf("code %q: %s", r.Code, plain(r))
	}
	says(t, h.run("mcp__good__echo", map[string]any{"text": "again"}), "you said: again")
}

func TestServerThatCannotStartSaysWhyAndHoldsNobodyUp(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"exit": server("exit"), "gone": {"command": []any{"no-such-program-here"}}, "mute": server("mute"), "good": server("good")})
	for _, name := range []string{"exit", "gone"} {
		_, err := h.servers.Approve(t.Context(), name, h.state(name).Digest)
		if fault.CodeOf(err) != mcp.CodeServer && !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "exit" && !strings.Contains(fault.Person(err), "no such module: left-pad") {
			t.Errorf("what it said last is not told: %s", fault.Person(err))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		_, err := h.servers.Approve(ctx, "mute", h.state("mute").Digest)
		waits <- err
	}()
	h.approve("good") // beside it
	says(t, h.run("mcp__good__echo", map[string]any{"text": "a"}), "you said: a")
	cancel()
	if err := <-waits; err == nil {
		t.Error("a server that never answers was approved")
	}
}

func TestSilentCallIsGivenUpAndCancelledAtTheServer(t *testing.T) {
	s := server("good")
	s["limit"] = "600ms"
	h := newHouse(t, map[string]map[string]any{"good": s})
	h.approve("good")
	if r := h.run("mcp__good__hang", map[string]any{}); r.Code != mcp.CodeSilent {
		t.Errorf("code %q: %s", r.Code, plain(r))
	}
	says(t, h.run("mcp__good__slow", map[string]any{}), "done") // its progress counts as being heard
	h.hears("good", "the call was cancelled")
}

// hears returns once a server has said something on stderr.
func (h *house) hears(name, text string) {
	h.t.Helper()
	for !strings.Contains(h.state(name).Said, text) {
		if _, err := h.servers.Test(h.t.Context(), name); err != nil {
			h.t.Fatal(err)
		}
	}
}

func TestProgressIsPassedOn(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	h.run("mcp__good__slow", map[string]any{})
	var got strings.Builder
	for e, err := range h.log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "tool/progress" {
			got.Write(e.Data)
		}
	}
	if !strings.Contains(got.String(), "part (1 of 4)") || !strings.Contains(got.String(), "part (3 of 4)") {
		t.Errorf("progress: %s", got.String())
	}
}

func TestStopReachesTheServer(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	says(t, h.run("mcp__good__echo", map[string]any{"text": "a"}), "you said: a")
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	if r := h.tools.Execute(ctx, h.graph.Root().Realm(), h.call("mcp__good__hang", map[string]any{})); r.Code != tool.CodeStopped {
		t.Errorf("code %q: %s", r.Code, plain(r))
	}
	says(t, h.run("mcp__good__echo", map[string]any{"text": "b"}), "you said: b")
	h.hears("good", "the call was cancelled")
}

func TestFloodEndsTheServerAlone(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"flood": server("raw", `[{"name":"go","inputSchema":{"type":"object"}}]`, "flood"), "good": server("good")})
	h.approve("flood")
	h.approve("good")
	if r := h.run("mcp__flood__go", map[string]any{}); r.Code != mcp.CodeEnded {
		t.Errorf("code %q: %s", r.Code, plain(r))
	}
	says(t, h.run("mcp__good__echo", map[string]any{"text": "a"}), "you said: a")
}

func TestResultsAreSafeToRead(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	r := h.run("mcp__good__contents", map[string]any{})
	says(t, r, "said once[2J", "[6 bytes that are no picture which can be shown]", "[sound of 2 bytes, which cannot be heard here]", "[resource file:///x: x]", "[resource note:1]\na note")
	if strings.Count(plain(r), "said once") != 1 || len(plain(r)) > 400 || strings.Contains(plain(r), "\x1b") {
		t.Errorf("the text is %d bytes: %.500q", len(plain(r)), plain(r))
	}
	if len(r.Content) != 2 || r.Content[1].MIME != "image/png" || r.Content[1].Blob == "" {
		t.Errorf("the picture is not there: %+v", r.Content[1:])
	}
	if r := h.run("mcp__good__twice", nil); plain(r) != `{"b": 1, "a": "x"}` {
		t.Errorf("the same value is read twice: %s", plain(r))
	}
	if r := h.run("mcp__good__big", map[string]any{}); r.Failed || r.Spill == nil || len(plain(r)) > 50_000 {
		t.Errorf("a result of 11 MB: failed %t, spilled %t, %d bytes read", r.Failed, r.Spill != nil, len(plain(r)))
	}
	if r := h.run("mcp__good__fail", map[string]any{}); !r.Failed || r.Code != "MCP_TOOL_FAILED" || !strings.Contains(plain(r), "it does not work") {
		t.Errorf("a failure: %q %s", r.Code, plain(r))
	}
}

func TestProgramIsConfinedToItsSettings(t *testing.T) {
	own, other := t.TempDir(), t.TempDir()
	s := server("good")
	s["write"], s["env"] = []any{own}, []any{"TOKEN_FOR_IT"}
	h := newHouse(t, map[string]map[string]any{"good": s})
	h.keys["TOKEN_FOR_IT"], h.keys["ANOTHER_KEY"] = "its-token", "another-key"
	h.approve("good")
	says(t, h.run("mcp__good__write", map[string]any{"text": filepath.Join(own, "a")}), "<nil>")
	if r := h.run("mcp__good__write", map[string]any{"text": filepath.Join(other, "a")}); strings.Contains(plain(r), "<nil>") {
		t.Error("writing elsewhere succeeded")
	}
	if _, err := os.Stat(filepath.Join(other, "a")); err == nil {
		t.Error("it wrote where it may not")
	}
	r := h.run("mcp__good__environment", map[string]any{})
	if says(t, r, "TOKEN_FOR_IT=its-token"); strings.Contains(plain(r), "another-key") {
		t.Error("it got a key that it was not given")
	}
}

func TestResourcesAndPromptsAreRead(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	says(t, h.run("mcp_read", map[string]any{"server": "good"}), "resource note:1: first note", "prompt greet(who): A greeting.")
	says(t, h.run("mcp_read", map[string]any{"server": "good", "resource": "note:1"}), "what the note says")
	says(t, h.run("mcp_read", map[string]any{"server": "good", "prompt": "greet", "arguments": map[string]any{"who": "Ann"}}), "Greet Ann")
	if r := h.run("mcp_read", map[string]any{"server": "good", "resource": "note:2"}); !r.Failed {
		t.Errorf("what is not there: %s", plain(r))
	}
}

func TestLeavingTakesToolsAndProgramsAway(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"good": server("good")})
	h.approve("good")
	says(t, h.run("mcp__good__echo", map[string]any{"text": "a"}), "you said: a")
	if _, err := h.doc.Patch(t.Context(), h.doc.Revision(), map[string]any{"mcp.servers.good.disabled": true}); err != nil {
		t.Fatal(err)
	}
	h.wait("good", func(s mcp.State) bool { return s.State == "disabled" })
	if got := h.tools.View(h.graph.Root().Realm()); len(got) != 2 {
		t.Errorf("left: %v", got)
	}
	if err := h.servers.Forget(t.Context(), "good"); err != nil {
		t.Fatal(err)
	}
}
