package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

func TestATurnWithoutAnAnswerSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		model  llm.Model
		key    string
	}{
		"thinking only":         {"reply\n  think Hm.", llm.Model{}, "end.no-answer"},
		"no room left":          {"reply\n  think Hm.\n  usage 900 10", llm.Model{Window: 1000}, "end.out-of-room"},
		"stopped by a filter":   {"reply\n  say I may not\n  finish filter", llm.Model{}, "end.filtered"},
		"an answer":             {"reply\n  say Yes.", llm.Model{}, ""},
		"a tool card was shown": {"reply\n  call echo {}\nreply\n  think Hm.", llm.Model{}, ""},
	} {
		h := build(t, blueprint{script: c.script, model: c.model, tools: []tool.Tool{echo()}})
		a := h.create()
		h.say(a, "well?")
		end := h.ends(a)[0]
		if end.Reason.Kind != session.EndCompleted || end.Key != c.key || (end.Text == "") != (c.key == "") {
			t.Errorf("%s: end = %+v, want key %q", name, end, c.key)
		}
	}
}

func TestWithoutAGateOnlyBypassRuns(t *testing.T) {
	for mode, want := range map[string]string{"": session.EndBlocked, agent.Manual: session.EndBlocked, agent.Plan: session.EndBlocked, agent.Bypass: session.EndCompleted} {
		h := build(t, blueprint{script: "reply\n  say hello", noGate: true})
		a := h.create()
		if _, err := a.Send(t.Context(), agent.Input{Content: llm.Text("go"), Mode: mode}); err != nil {
			t.Fatal(err)
		}
		h.idle(a)
		end := h.ends(a)[0]
		if end.Reason.Kind != want || want == session.EndBlocked && end.Error.Code != agent.CodeModeUnavailable {
			t.Errorf("mode %q: end = %+v", mode, end)
		}
		if len(decoded(h, a, session.UserMessage)) != 1 {
			t.Errorf("mode %q: the message is not in the log", mode)
		}
	}
}

func TestATurnWhoseCallNobodyCouldApproveIsBlocked(t *testing.T) {
	h := build(t, blueprint{tools: []tool.Tool{echo()}, script: `
reply
  call echo {"text":"forbidden"}
reply
  say I could not do it.
`})
	a := h.create()
	h.say(a, "do it")
	end := h.ends(a)[0]
	if end.Reason != (session.EndReason{Kind: session.EndBlocked, By: "nobody"}) || end.Text == "" || end.Steps != 2 {
		t.Errorf("end = %+v, want blocked by nobody after the model's answer", end)
	}
}

func TestAFailureOfTheModelEndsTheTurnWithOneSentence(t *testing.T) {
	for code, script := range map[llm.Code]string{
		llm.CodeAuth:    "reply\n  fail 401 bad key",
		llm.CodeModel:   "reply\n  fail 404 The model `x` does not exist",
		llm.CodeRefused: "reply\n  fail 400 no",
	} {
		h := build(t, blueprint{script: script})
		a := h.create()
		h.say(a, "go")
		end := h.ends(a)[0]
		if end.Reason.Kind != session.EndError || end.Error == nil || end.Error.Code != string(code) || end.Error.Details == "" {
			t.Errorf("%s: end = %+v (%+v)", code, end, end.Error)
			continue
		}
		if strings.Contains(end.Text, "\n") || end.Text != end.Error.Message {
			t.Errorf("%s: text %q", code, end.Text)
		}
		attempts := decoded(h, a, session.RequestAttempt)
		if len(attempts) != 1 || !attempts[0].Final {
			t.Errorf("%s: attempts = %+v, want one that is final", code, attempts)
		}
		h.say(a, "again")
		if len(h.ends(a)) != 2 {
			t.Errorf("%s: the session takes no further message", code)
		}
	}
}

func TestAModelThatIsGoneIsSaidNeverReplaced(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	if _, err := a.Send(t.Context(), agent.Input{Content: llm.Text("go"), Model: "gone/model"}); err != nil {
		t.Fatal(err)
	}
	h.idle(a)
	end := h.ends(a)[0]
	if end.Reason.Kind != session.EndError || end.Error.Code != llm.CodeModelUnavailable {
		t.Errorf("end = %+v", end)
	}
	if n := len(decoded(h, a, session.RequestHeader)); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestAFailingListenerEndsTheTurnNotTheAgent(t *testing.T) {
	first := true
	h := build(t, blueprint{script: "reply\n  say hello", plugins: plugin(func(f *fiber) {
		agent.TurnStopping.On(f, func(context.Context, *agent.Stop) error {
			if first {
				first = false
				return errors.New("the listener failed")
			}
			return nil
		})
	})})
	a := h.create()
	h.say(a, "one")
	h.say(a, "two")
	ends := h.ends(a)
	if ends[0].Reason.Kind != session.EndError || ends[1].Reason.Kind != session.EndCompleted {
		t.Errorf("ends = %+v", ends)
	}
}

func TestThinkingThatFillsTheWholeReplyIsNamed(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  think On and on\n  finish length"})
	a := h.create()
	h.say(a, "well?")
	if end := h.ends(a)[0]; end.Reason.Kind != session.EndMaxTokens || end.Key != "end.thought-out" || end.Text == "" {
		t.Errorf("end = %+v", end)
	}
}

func TestToolsThatAServerCannotTakeAreNamedOnceSimplerOnesWereTried(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  fail 400 Failed to initialize samplers: failed to parse grammar", tools: []tool.Tool{echo()}})
	a := h.create()
	h.say(a, "go")
	if end := h.ends(a)[0]; end.Key != "failed.tools" || len(decoded(h, a, session.RequestAttempt)) != 2 {
		t.Errorf("end = %+v after %d attempts", end, len(decoded(h, a, session.RequestAttempt)))
	}
}
