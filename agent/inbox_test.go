package agent_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// said gives the texts that entered the surface from the user's side, by turn.
func said(h *house, a *agent.Agent) map[int][]string {
	out := map[int][]string{}
	for _, e := range h.events(a) {
		if !session.UserMessage.Of(e) {
			continue
		}
		d, err := session.UserMessage.Decode(e)
		if err != nil {
			h.t.Fatal(err)
		}
		out[e.Turn] = append(out[e.Turn], llm.Plain(d.Content))
	}
	return out
}

const blocking = `
reply
  call block {}
reply
  say done
`

func TestFollowUpsRunAsTheirOwnTurnsInOrder(t *testing.T) {
	g := newGate()
	h := build(t, blueprint{script: blocking, tools: []tool.Tool{g.tool()}})
	a := h.create()
	h.send(a, "one")
	<-g.entered
	h.send(a, "two")
	h.send(a, "three")
	close(g.open)
	h.idle(a)
	want := map[int][]string{1: {"one"}, 2: {"two"}, 3: {"three"}}
	if diff := cmp.Diff(want, said(h, a)); diff != "" {
		t.Error(diff)
	}
}

func TestASteerJoinsTheNextStep(t *testing.T) {
	g := newGate()
	h := build(t, blueprint{script: blocking, tools: []tool.Tool{g.tool()}})
	a := h.create()
	h.send(a, "one")
	<-g.entered
	if _, err := a.Steer(t.Context(), agent.Input{Content: llm.Text("hurry")}); err != nil {
		t.Fatal(err)
	}
	close(g.open)
	h.idle(a)
	if diff := cmp.Diff(map[int][]string{1: {"one", "hurry"}}, said(h, a)); diff != "" {
		t.Error(diff)
	}
	steps := 0
	for _, e := range h.events(a) {
		if session.UserMessage.Of(e) {
			steps = e.Step
		}
	}
	if steps != 2 {
		t.Errorf("the steer stands in step %d, want 2", steps)
	}
}

func TestASteerKeepsATurnGoingThatTheModelIsDoneWith(t *testing.T) {
	h := build(t, blueprint{script: `
reply
  wait 50ms
  say first
reply
  say second
`})
	a := h.create()
	h.send(a, "one")
	h.until(a, session.RequestHeader.Name)
	if _, err := a.Steer(t.Context(), agent.Input{Content: llm.Text("and more")}); err != nil {
		t.Fatal(err)
	}
	h.idle(a)
	if ends := h.ends(a); len(ends) != 1 || ends[0].Steps != 2 {
		t.Errorf("ends = %+v, want one turn of two steps", ends)
	}
}

func TestASteerWakesAnIdleAgent(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	if _, err := a.Steer(t.Context(), agent.Input{Content: llm.Text("wake up")}); err != nil {
		t.Fatal(err)
	}
	h.idle(a)
	if len(h.ends(a)) != 1 {
		t.Error("no turn ran")
	}
}

func TestInjectedContextWaitsForAnAdmittedStep(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	if err := a.Inject(t.Context(), "test", "the build is green"); err != nil {
		t.Fatal(err)
	}
	h.idle(a)
	if n := len(h.ends(a)); n != 0 {
		t.Fatalf("an injection began %d turns", n)
	}
	h.say(a, "well?")
	var texts []string
	for _, d := range decoded(h, a, session.Injected) {
		if d.Source == "test" {
			texts = append(texts, d.Text)
		}
	}
	if diff := cmp.Diff([]string{"the build is green"}, texts); diff != "" {
		t.Error(diff)
	}
	h.say(a, "again")
	if n := len(decoded(h, a, session.UserMessage)); n != 2 {
		t.Errorf("%d messages entered, want 2", n)
	}
}

func TestTheQueueCanBeEditedPromotedAndRemoved(t *testing.T) {
	g := newGate()
	h := build(t, blueprint{script: blocking, tools: []tool.Tool{g.tool()}})
	a, ctx := h.create(), t.Context()
	h.send(a, "one")
	<-g.entered
	edit, promote, remove := h.send(a, "draft"), h.send(a, "urgent"), h.send(a, "mistake")
	for _, err := range []error{a.Edit(ctx, edit, llm.Text("final")), a.Promote(ctx, promote), a.Remove(ctx, remove)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	close(g.open)
	h.idle(a)
	want := map[int][]string{1: {"one", "urgent"}, 2: {"final"}}
	if diff := cmp.Diff(want, said(h, a)); diff != "" {
		t.Error(diff)
	}
}

func TestALostRaceAnswersNotFoundAndChangesNothing(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a, ctx := h.create(), t.Context()
	id := h.send(a, "one")
	h.idle(a)
	seq := a.Log().Seq()
	for name, err := range map[string]error{"edit": a.Edit(ctx, id, llm.Text("x")), "remove": a.Remove(ctx, id), "promote": a.Promote(ctx, id)} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of a claimed message: %v, want not_found", name, err)
		}
	}
	if now := a.Log().Seq(); now != seq {
		t.Errorf("the log grew from %d to %d", seq, now)
	}
}

func TestAMessageSentTwiceIsOneMessage(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	for range 2 {
		if _, err := a.Send(t.Context(), agent.Input{ID: "mine", Content: llm.Text("once")}); err != nil {
			t.Fatal(err)
		}
		h.idle(a)
	}
	if got := decoded(h, a, session.UserMessage); len(got) != 1 {
		t.Errorf("%d messages, want 1", len(got))
	}
}

func TestEveryMessageIsClaimedExactlyOnce(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	const senders, each = 4, 5
	var all sync.WaitGroup
	var want []string
	for s := range senders {
		for i := range each {
			want = append(want, fmt.Sprintf("%d/%d", s, i))
		}
		all.Go(func() {
			for i := range each {
				in := agent.Input{Content: llm.Text(fmt.Sprintf("%d/%d", s, i))}
				send := a.Send
				if i%2 == 1 {
					send = a.Steer
				}
				if _, err := send(t.Context(), in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	h.idle(a)
	var got []string
	for _, d := range decoded(h, a, session.UserMessage) {
		got = append(got, llm.Plain(d.Content))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if q, err := a.Queue(); err != nil || len(q.Waiting) > 0 {
		t.Errorf("left in the queue: %v, %v", q.Waiting, err)
	}
}

func TestTheQueueIsThereAgainAfterARestart(t *testing.T) {
	g := newGate()
	h := build(t, blueprint{script: blocking, tools: []tool.Tool{g.tool()}})
	a := h.create()
	h.send(a, "one")
	<-g.entered
	h.send(a, "two")
	if err := h.host.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := build(t, blueprint{script: "reply\n  say hello", dir: h.dir})
	b, err := again.host.Open(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	q, err := b.Queue()
	if err != nil || len(q.Waiting) != 1 || llm.Plain(q.Waiting[0].Content) != "two" {
		t.Fatalf("queue = %+v, %v", q, err)
	}
	again.say(b, "three")
	if diff := cmp.Diff(map[int][]string{1: {"one"}, 2: {"two"}, 3: {"three"}}, said(again, b)); diff != "" {
		t.Error(diff)
	}
}
