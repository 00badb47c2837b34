package mcp_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestNothingIsLeftRunningOnceTheHouseIsClosed(t *testing.T) {
	r := newRemote(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("house", func(t *testing.T) { // its end closes the house
		h := newHouse(t, map[string]map[string]any{"good": server("good"), "far": {"url": r.URL}, "exit": server("exit")})
		h.approve("good")
		h.approve("far")
		_, _ = h.servers.Approve(t.Context(), "exit", h.state("exit").Digest) // fails, and must leave nothing either
		says(t, h.run("mcp__good__echo", map[string]any{"text": "a"}), "you said: a")
		says(t, h.run("mcp__far__slow", nil), "done")
		if s := h.run("mcp__good__die", nil); !s.Failed {
			t.Error("it lives")
		}
		says(t, h.run("mcp__good__echo", map[string]any{"text": "b"}), "you said: b")
	})
	r.CloseClientConnections()
}
