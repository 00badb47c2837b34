package app_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/testkit"
)

// Two sessions with different presets run side by side in one process: each sees its
// own tools and its own prompt, and neither changes with the other.
func TestSessionsWithDifferentPresetsRunSideBySide(t *testing.T) {
	script, err := scripted.Parse("counting off\nreply\n  call read {\"path\":\"a.txt\"}\nreply\n  call run_code {\"code\":\"return (await tools.read({path: 'a.txt'})).length\"}\nreply\n  say one\nreply\n  say two\n")
	if err != nil {
		t.Fatal(err)
	}
	judge := testkit.NewJudge(scripted.Handler(script))
	server := httptest.NewServer(judge)
	t.Cleanup(server.Close)
	rows, err := json.Marshal(map[string]any{"rows": []any{map[string]any{"id": "model", "plugin": "connection",
		"config": map[string]any{"name": "model", "baseUrl": server.URL + "/v1", "default": "scripted", "prefer": true}}}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Boot(t.Context(), app.Options{Home: t.TempDir(), Profile: "headless", Version: "test", Flags: string(rows)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	host, err := a.Host()
	if err != nil {
		t.Fatal(err)
	}
	open := func(preset string) *agent.Agent {
		one, err := host.Create(t.Context(), agent.Spec{Folder: t.TempDir(), Preset: preset})
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	standard, programs := open("standard"), open("ptc")
	for _, one := range []*agent.Agent{standard, programs} {
		if _, err := one.Send(t.Context(), agent.Input{Content: llm.Text("go"), Mode: agent.Manual}); err != nil {
			t.Fatal(err)
		}
		if err := one.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := toolNames(t, standard.Log()); !slices.Contains(got, "read") || slices.Contains(got, "run_code") {
		t.Errorf("the standard session is offered %q", got)
	}
	if got := toolNames(t, programs.Log()); !slices.Equal(got, []string{"run_code"}) {
		t.Errorf("the session for programs is offered %q", got)
	}
	if plain, prompt := systemPrompt(t, standard.Log()), systemPrompt(t, programs.Log()); !strings.HasPrefix(prompt, plain) || !strings.Contains(prompt, "read(args: { path: string;") || strings.Contains(plain, "run_code") {
		t.Errorf("the prompts are not as they should be:\n%s\n----\n%s", plain, prompt)
	}
	for _, f := range judge.Faults() {
		t.Error(f)
	}
}

// header is what the last request of a session was sent with.
func header(t *testing.T, log *session.Log) (h session.RequestHeaderData) {
	t.Helper()
	for e, err := range log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if session.RequestHeader.Of(e) {
			if h, err = session.RequestHeader.Decode(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

func toolNames(t *testing.T, log *session.Log) (names []string) {
	t.Helper()
	text, err := log.Blob(header(t, log).Tools)
	if err != nil {
		t.Fatal(err)
	}
	var tools []llm.ToolSchema
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	for _, one := range tools {
		names = append(names, one.Name)
	}
	return names
}

func systemPrompt(t *testing.T, log *session.Log) string {
	t.Helper()
	text, err := log.Blob(header(t, log).System)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
