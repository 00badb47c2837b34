package subagent_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/subagent"
)

func TestWhatEndsAHelperIsSaidToItsParentAndTheRunEnds(t *testing.T) {
	h := build(t, blueprint{config: subagent.Config{Steps: 2}, script: `counting off
on /^go/
reply
  call helper_start {"name":"silent","task":"say nothing"}
  call helper_start {"name":"crashing","task":"have the model crash"}
  call helper_start {"name":"spending","task":"list without end"}
  call helper_start {"name":"wrong","task":"answer in words","schema":{"type":"integer"}}
reply
  say All are told.
on /say nothing/
reply
  think Hm.
on /list without end/
reply
  call helper_list {}
reply
  call helper_list {}
reply
  call helper_list {}
on /answer in words|is not what was asked/
reply
  say Many.
otherwise
reply
  say Noted.
`})
	h.model.Adapter = crashing{h.model.Adapter}
	a := h.create()
	h.send(a, "go")
	h.quiet(a)
	got := map[string]string{}
	for _, m := range h.family(a.Log()) {
		got[m.Name] = m.Status
	}
	want := map[string]string{"silent": subagent.Empty, "crashing": subagent.Failed, "spending": subagent.Spent, "wrong": subagent.Spent}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if jobs := len(h.family(a.Log())); jobs != len(decoded(h, a.Log(), subagent.Ended)) {
		t.Errorf("%d helpers, %d ends", jobs, len(decoded(h, a.Log(), subagent.Ended)))
	}
}

// crashing is a model that panics where a message asks for it.
type crashing struct{ llm.Adapter }

func (c crashing) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	if strings.Contains(string(body), "You are a helper") && strings.Contains(string(body), "have the model crash") {
		panic("the model crashed")
	}
	return c.Adapter.Stream(ctx, body)
}

// family is a chat whose helper has a helper, whose request waits.
const familyScript = `counting off
on /^go/
reply
  call helper_start {"name":"child","task":"have it done by another"}
reply
  say It is at work.
on /have it done by another/
reply
  call helper_start {"name":"grandchild","task":"the work itself"}
reply
  say Another does it.
on /the work itself/
reply
  say It is done.
on /helper grandchild is done/
reply
  say The other one did it.
otherwise
reply
  say Noted.
`

func TestAHelperWaitsForItsOwnAndReportsThen(t *testing.T) {
	h := build(t, blueprint{slots: 8, script: familyScript})
	a := h.create()
	h.send(a, "go")
	h.quiet(a)
	ends := decoded(h, a.Log(), subagent.Ended)
	if len(ends) != 1 || ends[0].Outcome != subagent.Done || ends[0].Text != "The other one did it." {
		t.Errorf("the child's ends: %+v", ends)
	}
}

func TestAStopReachesTheHelpersOfHelpersAndWakesNobody(t *testing.T) {
	h := build(t, blueprint{slots: 8, gated: true, script: familyScript})
	a := h.create()
	h.send(a, "go")
	h.model.let <- struct{}{} // the child starts the grandchild,
	h.model.let <- struct{}{} // and one of the two goes on
	h.until(a, session.ActivityEnd.Name, 1)
	turns := a.Status().Turn
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	h.quiet(a)
	members := h.family(a.Log())
	if len(members) != 1 || members[0].Status != subagent.Stopped {
		t.Fatalf("the child: %+v", members)
	}
	child, err := h.library.Read(t.Context(), members[0].Session)
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close(t.Context())
	below := h.family(child)
	if len(below) != 1 || below[0].Status != subagent.Stopped && below[0].Status != subagent.Done {
		t.Errorf("the grandchild: %+v", below)
	}
	if now := a.Status(); now.Turn != turns || now.State != agent.Idle {
		t.Errorf("after the stop the chat went on: %+v", now)
	}
	for _, live := range h.host.All() {
		if live.Status().State != agent.Idle {
			t.Errorf("%s still runs", live.ID())
		}
	}
}

func TestAForkedHelperExtendsWhatItsParentSentLast(t *testing.T) {
	h := build(t, blueprint{script: `counting off
on /^go/
reply
  call helper_start {"name":"twin","task":"go on from here","fork":true,"wait":true}
reply
  say It did.
on /go on from here/
reply
  say I did.
`})
	record := &recording{Adapter: h.model.Adapter}
	h.model.Adapter = record
	a := h.create()
	h.send(a, "go")
	h.quiet(a)
	if len(record.bodies) != 3 {
		t.Fatalf("%d requests", len(record.bodies))
	}
	parent, twin := record.bodies[0], record.bodies[1]
	if head := strings.TrimRight(parent, "]}"); !strings.HasPrefix(twin, strings.TrimSuffix(head, "\"")) {
		t.Errorf("the fork begins anew:\n%s\n%s", parent, twin)
	}
	members := h.family(a.Log())
	log, err := h.library.Read(t.Context(), members[0].Session)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(t.Context())
	if got := log.Header(); got.Parent != a.ID() || len(got.Lineage) != 1 {
		t.Errorf("the fork works for %q and comes from %+v", got.Parent, got.Lineage)
	}
}

// recording keeps the bodies of requests.
type recording struct {
	llm.Adapter
	bodies []string
}

func (r *recording) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	r.bodies = append(r.bodies, string(body))
	return r.Adapter.Stream(ctx, body)
}

func TestWithoutItsRowNothingOfHelpersIsLeft(t *testing.T) {
	h := build(t, blueprint{script: familyScript})
	a := h.create()
	if n := len(h.tools.View(a.Realm())); n == 0 {
		t.Fatal("there are no tools of helpers")
	}
	if err := h.helpers.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := h.tools.View(a.Realm()); len(left) > 0 {
		t.Errorf("%d tools are left", len(left))
	}
	if _, pending, err := agent.Pending.Ask(t.Context(), a.Realm(), a); pending || err != nil {
		t.Errorf("something still works: %v", err)
	}
}
