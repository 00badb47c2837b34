package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
)

// A log in which a reply asks for a call that the recording gave no result for, and
// one whose first request is not what this build would send: both are named.
func TestReplayNamesTheFirstDivergence(t *testing.T) {
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: filepath.Join(t.TempDir(), "s")}), Version: "test"})
	log, err := lib.Create(t.Context(), session.CreatedData{})
	if err != nil {
		t.Fatal(err)
	}
	system, err := log.PutBlob(t.Context(), []byte("You work."))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := log.PutBlob(t.Context(), []byte("[]"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(),
		session.TurnStart.New(1, 0, session.TurnStartData{Mode: agent.Bypass}),
		session.StepStart.New(1, 1, struct{}{}),
		session.UserMessage.New(1, 1, session.UserMessageData{ID: "u", Content: llm.Text("hello")}),
		session.RequestHeader.New(1, 1, session.RequestHeaderData{Request: 1, Model: "m", Wire: "chat", Surface: 4, System: system.SHA256, Tools: tools.SHA256, Body: strings.Repeat("0", 64)}),
		session.AssistantMessage.New(1, 1, session.AssistantMessageData{ID: "a", Content: llm.Text("hi")}),
		session.StepEnd.New(1, 1, struct{}{}),
		session.TurnEnd.New(1, 0, session.TurnEndData{Reason: session.EndReason{Kind: session.EndCompleted}}),
	); err != nil {
		t.Fatal(err)
	}
	r, err := app.Replay(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Divergence; d == nil || d.Request != 1 || d.What != "the request differs" {
		t.Errorf("divergence %+v", r.Divergence)
	}
	empty, err := lib.Create(t.Context(), session.CreatedData{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Replay(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "no request") {
		t.Errorf("a session without a request: %v", err)
	}
}
