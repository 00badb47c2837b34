package agent_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/tool"
)

func TestAFailedRequestIsSentAgainAndEachAttemptIsARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, blueprint{script: `
reply
  fail 503 loading
reply
  fail 429 after 7s slow down
reply
  say hello
`})
		a := h.create()
		began := time.Now()
		h.say(a, "go")
		rows := decoded(h, a, session.RequestAttempt)
		if len(rows) != 2 || rows[0].Code != string(llm.CodeServer) || rows[1].Code != string(llm.CodeRateLimit) || rows[0].Final || rows[1].Final {
			t.Fatalf("rows = %+v", rows)
		}
		waited := time.Duration(rows[0].WaitMillis+rows[1].WaitMillis) * time.Millisecond
		if took := time.Since(began); took < waited || rows[1].WaitMillis < 7000 {
			t.Errorf("waited %s in all, the rows say %s", took, waited)
		}
		if n := len(decoded(h, a, session.RequestHeader)); n != 3 {
			t.Errorf("%d headers, want one for each attempt", n)
		}
		h.close()
	})
}

func TestStopEndsTheWaitForTheNextAttempt(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  fail 429 after 50s slow down"})
	a := h.create()
	h.send(a, "go")
	h.until(a, session.RequestAttempt.Name)
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	if end := h.ends(a)[0]; end.Reason.Kind != session.EndAborted {
		t.Errorf("end = %+v", end)
	}
}

func TestAWaitThatIsTooLongEndsTheTurnAndSaysWhen(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  fail 429 after 300s slow down"})
	a := h.create()
	h.say(a, "go")
	if end := h.ends(a)[0]; end.Reason.Kind != session.EndError || !strings.Contains(end.Text, "5 minutes") {
		t.Errorf("end = %+v", end)
	}
}

func TestACutStreamKeepsWhatCameAndIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, blueprint{script: "reply\n  say Half an ans\n  cut"})
		a := h.create()
		h.say(a, "go")
		end := h.ends(a)[0]
		if end.Reason.Kind != session.EndError || end.Error.Code != string(llm.CodeStreamCut) {
			t.Errorf("end = %+v", end)
		}
		replies := decoded(h, a, session.AssistantMessage)
		if len(replies) != 1 || !replies[0].Interrupted || llm.Plain(replies[0].Content) != "Half an ans" {
			t.Errorf("replies = %+v", replies)
		}
		h.close()
	})
}

func TestEachRequestExtendsTheLastOne(t *testing.T) {
	var script strings.Builder
	for i := range 20 {
		fmt.Fprintf(&script, "reply\n  think step %d\n  call echo {\"text\":\"%d\"}\n", i, i)
	}
	script.WriteString("reply\n  say done")
	h := build(t, blueprint{script: script.String(), tools: []tool.Tool{echo()}})
	a := h.create()
	h.say(a, "one")
	h.say(a, "two")
	reuse, err := session.StateOf(a.Log(), agent.Prefix)
	if err != nil || reuse.Requests != 22 || reuse.Ratio() != 1 || reuse.Breaks != 0 {
		t.Errorf("reuse = %+v (%v), %v", reuse, reuse.Ratio(), err)
	}
}

func TestEveryRequestComesOutOfTheLogAsItWasSent(t *testing.T) {
	sent := map[int]string{}
	script, err := scripted.Parse("reply\n  say ok")
	if err != nil {
		t.Fatal(err)
	}
	encoder := func(string) (llm.Adapter, error) { return scripted.New(script), nil }
	h := build(t, blueprint{tools: []tool.Tool{echo()}, script: `
reply
  think Look first.
  call echo {"text":"<seen> & heard"}
reply
  say done
`, plugins: plugin(func(f *fiber) {
		agent.Stream.On(f, func(ctx context.Context, s *agent.Sending, next func(context.Context, *agent.Sending) (iter.Seq2[llm.Chunk, error], error)) (iter.Seq2[llm.Chunk, error], error) {
			sent[len(sent)+1] = string(s.Body)
			return next(ctx, s)
		})
	})})
	a := h.create()
	h.say(a, "one")
	h.say(a, "two")
	if err := h.host.Release(t.Context(), a.ID()); err != nil {
		t.Fatal(err)
	}
	log, err := h.library.Read(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(t.Context())
	got := map[int]string{}
	for n := range len(sent) {
		body, _, err := agent.Rebuild(log, n+1, encoder)
		if err != nil {
			t.Fatal(err)
		}
		got[n+1] = string(body)
	}
	if diff := cmp.Diff(sent, got); diff != "" || len(sent) < 3 {
		t.Errorf("%d requests were sent; rebuilt: %s", len(sent), diff)
	}
}

func TestABreakOfThePrefixNamesItsCause(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello", plugins: plugin(func(f *fiber) {
		agent.PreStep.On(f, func(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
			ok, err := next(ctx, p)
			if p.Turn == 2 {
				ok.NewSeries = "compaction"
			}
			return ok, err
		})
	})})
	a := h.create()
	h.say(a, "one")
	h.say(a, "two")
	if got := decoded(h, a, session.PrefixBroken); len(got) != 1 || got[0].Cause != "compaction" {
		t.Errorf("breaks = %+v", got)
	}
}

func TestAPreStepListenerMayRejectAStep(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello", plugins: plugin(func(f *fiber) {
		agent.PreStep.On(f, func(context.Context, *agent.Proposal, func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
			return agent.Admission{Reject: &agent.Rejection{Reason: session.EndReason{Kind: session.EndBlocked}, Text: "Not today."}}, nil
		})
	})})
	a := h.create()
	h.say(a, "go")
	if end := h.ends(a)[0]; end.Reason.Kind != session.EndBlocked || end.Text != "Not today." {
		t.Errorf("end = %+v", end)
	}
	if q, err := a.Queue(); err != nil || len(q.Waiting) != 0 {
		t.Errorf("the message still waits: %+v, %v", q, err)
	}
}

func TestARequestListenerChoosesRouteAndOptions(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello", plugins: plugin(func(f *fiber) {
		agent.Request.On(f, func(ctx context.Context, p *agent.Asking, next func(context.Context, *agent.Asking) (agent.Choice, error)) (agent.Choice, error) {
			c, err := next(ctx, p)
			c.Params.MaxTokens = 77
			return c, err
		})
	})})
	a := h.create()
	h.say(a, "go")
	if got := decoded(h, a, session.RequestHeader); len(got) != 1 || got[0].Params.MaxTokens != 77 {
		t.Errorf("headers = %+v", got)
	}
}

func TestAModelThatCannotCallToolsTalksOnAndTheSessionSaysSoOnce(t *testing.T) {
	no := false
	for name, b := range map[string]blueprint{
		"the server says so when it is asked": {script: "reply\n  fail 400 m does not support tools\nreply\n  say hello"},
		"the server said so before":           {script: "reply\n  say hello", model: llm.Model{ID: "m", Tools: &no}},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, b)
			a := h.create()
			h.say(a, "go")
			h.say(a, "and again")
			notes := decoded(h, a, session.Note)
			if len(notes) != 1 || !strings.Contains(notes[0].Text, "cannot call tools") || notes[0].Level != "warn" {
				t.Errorf("notes = %+v", notes)
			}
			for _, end := range h.ends(a) {
				if end.Reason.Kind != session.EndCompleted {
					t.Errorf("end = %+v", end)
				}
			}
			h.close()
		})
	}
}

func TestAnEffortThatTheModelLacksIsDropped(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		thinks *bool
		want   string
	}{"it thinks": {&yes, "high"}, "it does not": {&no, ""}, "nobody knows": {nil, "high"}} {
		h := build(t, blueprint{script: "reply\n  say hello", model: llm.Model{Reasoning: c.thinks}})
		a := h.create()
		if _, err := a.Send(t.Context(), agent.Input{Content: llm.Text("go"), Effort: "high"}); err != nil {
			t.Fatal(err)
		}
		h.idle(a)
		headers := decoded(h, a, session.RequestHeader)
		if len(headers) != 1 || headers[0].Params.Effort != c.want || h.ends(a)[0].Reason.Kind != session.EndCompleted {
			t.Errorf("%s: headers = %+v, want effort %q", name, headers, c.want)
		}
	}
}
