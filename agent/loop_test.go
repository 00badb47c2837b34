package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/session"
	"fairlead/tool"
)

func TestAMessageBecomesATurn(t *testing.T) {
	h := build(t, blueprint{tools: []tool.Tool{echo()}, script: `
reply
  say Let me see.
  call echo {"text":"seen"}
reply
  say It is so.
`})
	a := h.create()
	h.say(a, "Is it so?")
	want := []string{
		"session/created",
		"inbox/changed queued",
		"activity/start",
		"turn/start",
		"session/titled",
		"inbox/changed claimed",
		"step/start",
		"context/injected",
		"user/message Is it so?",
		"request/header",
		"assistant/message",
		"tool/call",
		"approval/decided",
		"tool/started",
		"tool/result",
		"step/end",
		"step/start",
		"request/header",
		"assistant/message",
		"step/end",
		"turn/end",
		"activity/end",
	}
	if diff := cmp.Diff(want, h.outline(a)); diff != "" {
		t.Error(diff)
	}
	end := h.ends(a)[0]
	if end.Reason != (session.EndReason{Kind: session.EndCompleted}) || end.Steps != 2 || end.Text != "" {
		t.Errorf("end = %+v", end)
	}
}
