package agent_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
)

func TestAnAgentIsQuietOnceNothingWorksForItAnyMore(t *testing.T) {
	over := make(chan struct{})
	asked := 0
	h := build(t, blueprint{script: "reply\n  say Yes.\n", plugins: plugin(func(f *fiber) {
		agent.Pending.On(f, func(context.Context, *agent.Agent) (<-chan struct{}, bool, error) {
			asked++
			return over, asked == 1, nil
		})
	})})
	a := h.create()
	h.say(a, "one")
	quiet := make(chan error, 1)
	go func() { quiet <- a.Quiet(t.Context()) }()
	select {
	case err := <-quiet:
		t.Fatalf("it was quiet although something works for it: %v", err)
	default:
	}
	h.send(a, "two")
	close(over)
	if err := <-quiet; err != nil {
		t.Fatal(err)
	}
	if ends := len(h.ends(a)); ends != 2 {
		t.Errorf("it was quiet after %d turns, before the one that woke it ended", ends)
	}
}

func TestAStopIsHeardForAnIdleAgentAndWaitsForWhatWorksForIt(t *testing.T) {
	var order []string
	h := build(t, blueprint{script: "reply\n  say Yes.\n", plugins: plugin(func(f *fiber) {
		agent.Cancelling.On(f, func(_ context.Context, c *agent.Cancellation) {
			order = append(order, "told by "+c.By)
			c.After(func(context.Context) { order = append(order, "waited") })
		})
	})})
	if err := h.create().Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"told by user", "waited"}, order[:2]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEventsEnterTheLogWithTheirMessageAndOnceOnly(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say Yes.\n"})
	a := h.create()
	note := session.Note.New(0, 0, session.NoteData{Level: "info", Text: "beside it"})
	for range 2 {
		if _, err := a.Send(t.Context(), agent.Input{ID: "same", Content: llm.Text("hello"), Events: []session.Draft{note}}); err != nil {
			t.Fatal(err)
		}
	}
	h.idle(a)
	if notes := decoded(h, a, session.Note); len(notes) != 1 {
		t.Errorf("%d notes", len(notes))
	}
}

func TestAnAgentThatRestsIsWokenAnew(t *testing.T) {
	woken := 0
	h := build(t, blueprint{script: "reply\n  say Yes.\n", plugins: plugin(func(f *fiber) {
		agent.Woken.On(f, func(context.Context, *agent.Agent) { woken++ })
	})})
	a := h.create()
	h.say(a, "one")
	if rested, err := h.host.Rest(t.Context(), a.ID()); !rested || err != nil {
		t.Fatalf("rested = %v, %v", rested, err)
	}
	if rested, err := h.host.Rest(t.Context(), a.ID()); rested || err != nil {
		t.Errorf("it rests twice: %v", err)
	}
	again, err := h.host.Open(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	h.say(again, "two")
	if turns := again.Status().Turn; turns != 2 || woken != 1 {
		t.Errorf("turn %d after it was woken %d times", turns, woken)
	}
}
