package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

const hanging = `
reply
  think Let me think.
  say The answer
  hang
reply
  say done
`

// streaming waits until some of a reply has reached the viewers.
func (h *house) streaming(a *agent.Agent) {
	h.t.Helper()
	for f, err := range a.Log().Watch(h.t.Context(), a.Log().Seq()) {
		if err != nil {
			h.t.Fatal(err)
		}
		if f.Live != nil && f.Live.Type == "delta" && f.Live.Data.(session.DeltaData).Channel == "text" {
			return
		}
	}
}

func TestStopKeepsWhatHadStreamed(t *testing.T) {
	h := build(t, blueprint{script: hanging})
	a := h.create()
	h.send(a, "one")
	h.streaming(a)
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	end := h.ends(a)[0]
	if end.Reason != (session.EndReason{Kind: session.EndAborted, By: "user"}) {
		t.Errorf("reason = %+v", end.Reason)
	}
	reply := decoded(h, a, session.AssistantMessage)[0]
	if !reply.Interrupted || llm.Plain(reply.Content) == "" || len(reply.Calls) > 0 {
		t.Errorf("reply = %+v, want the streamed prefix, marked", reply)
	}
	h.idle(a)
	h.say(a, "two")
	if got := h.ends(a)[1].Reason.Kind; got != session.EndCompleted {
		t.Errorf("the next turn ended %s", got)
	}
}

func TestStopIsAnsweredOnceTheEndIsInTheLog(t *testing.T) {
	h := build(t, blueprint{script: hanging})
	a := h.create()
	h.send(a, "one")
	h.streaming(a)
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	if len(h.ends(a)) != 1 {
		t.Error("Cancel returned before turn/end")
	}
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Errorf("Cancel of an idle agent: %v", err)
	}
}

func TestStopInAToolEndsTheCallAndTheTurn(t *testing.T) {
	g := newGate()
	h := build(t, blueprint{script: blocking, tools: []tool.Tool{g.tool()}})
	a := h.create()
	h.send(a, "one")
	<-g.entered
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	results := decoded(h, a, session.ToolResult)
	if len(results) != 1 || !results[0].Failed {
		t.Errorf("results = %+v, want one failed", results)
	}
	if n := len(decoded(h, a, session.RequestHeader)); n != 1 {
		t.Errorf("%d requests, want no second one", n)
	}
}

func TestStopBeforeThePromptReachedTheModelCancelsTheStart(t *testing.T) {
	entered, open := make(chan struct{}), make(chan struct{})
	h := build(t, blueprint{script: "reply\n  say hello", plugins: plugin(func(f *fiber) {
		agent.PreStep.On(f, func(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
			close(entered)
			<-open
			return next(ctx, p)
		})
	})})
	a := h.create()
	h.send(a, "one")
	<-entered
	stopped := make(chan error)
	go func() { stopped <- a.Cancel(t.Context(), "user") }()
	h.stopping(a)
	close(open)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if n := len(decoded(h, a, session.RequestHeader)); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if diff := cmp.Diff(map[int][]string{1: {"one"}}, said(h, a)); diff != "" {
		t.Error("what was said is not in the log:", diff)
	}
	if got := h.ends(a)[0].Reason.Kind; got != session.EndAborted {
		t.Errorf("end = %s", got)
	}
}

// stopping waits until a stop is on its way.
func (h *house) stopping(a *agent.Agent) {
	h.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for a.Status().State != agent.Stopping {
		select {
		case <-tick.C:
		case <-h.t.Context().Done():
			h.t.Fatal("no stop came")
		}
	}
}

func TestTheFirstCauseOfAnEndWins(t *testing.T) {
	h := build(t, blueprint{script: hanging})
	a := h.create()
	h.send(a, "one")
	h.streaming(a)
	if err := a.Cancel(t.Context(), "parent"); err != nil {
		t.Fatal(err)
	}
	if err := h.host.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := build(t, blueprint{script: hanging, dir: h.dir})
	log, err := again.library.Read(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(t.Context())
	p, err := session.StateOf(log, agent.Loop)
	if err != nil || p.Last.Reason != (session.EndReason{Kind: session.EndAborted, By: "parent"}) {
		t.Errorf("last = %+v, %v", p.Last, err)
	}
}

func TestTheQueueGoesOnAfterAStopUnlessItIsHeld(t *testing.T) {
	for _, hold := range []bool{false, true} {
		h := build(t, blueprint{script: hanging, options: agent.Options{HoldQueue: hold}})
		a := h.create()
		h.send(a, "one")
		h.streaming(a)
		h.send(a, "two")
		if err := a.Cancel(t.Context(), "user"); err != nil {
			t.Fatal(err)
		}
		h.idle(a)
		want := map[int][]string{1: {"one"}}
		if !hold {
			want[2] = []string{"two"}
		}
		if diff := cmp.Diff(want, said(h, a)); diff != "" {
			t.Errorf("hold %v: %s", hold, diff)
		}
		if !hold {
			continue
		}
		if err := a.Hold(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		h.idle(a)
		want[2] = []string{"two"}
		if diff := cmp.Diff(want, said(h, a)); diff != "" {
			t.Errorf("after the hold was lifted: %s", diff)
		}
	}
}

func TestAHeldQueueGoesOnWithTheNextMessage(t *testing.T) {
	h := build(t, blueprint{script: hanging})
	a := h.create()
	h.send(a, "one")
	h.streaming(a)
	h.send(a, "two")
	if err := a.Hold(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	h.idle(a)
	h.say(a, "three")
	if diff := cmp.Diff(map[int][]string{1: {"one"}, 2: {"two"}, 3: {"three"}}, said(h, a)); diff != "" {
		t.Error(diff)
	}
}

func TestShutdownEndsTurnsDurablyAndAdmitsNothingMore(t *testing.T) {
	h := build(t, blueprint{script: hanging})
	a := h.create()
	h.send(a, "one")
	h.streaming(a)
	if err := h.host.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Send(t.Context(), agent.Input{Content: llm.Text("late")}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a message after the end: %v, want unavailable", err)
	}
	if _, err := h.host.Open(t.Context(), a.ID()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("opening after the end: %v, want unavailable", err)
	}
	again := build(t, blueprint{script: hanging, dir: h.dir})
	b, err := again.host.Open(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	if got := again.ends(b); len(got) != 1 || got[0].Reason != (session.EndReason{Kind: session.EndAborted, By: "shutdown"}) {
		t.Errorf("ends = %+v", got)
	}
}
