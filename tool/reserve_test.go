package tool_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/graph"
	"fairlead/tool"
)

func TestAReservationHoldsForTheModelAndGoesWithItsFiber(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	h.register(&probe{name: "free"}, &probe{name: "kept"})
	realm := h.graph.Root().Realm()
	f := h.apply("reserves", func(f *graph.Fiber) error {
		h.tools.Reserve(f, tool.Reservation{Except: []string{"free"}, Say: func(c *tool.Call) string { return c.Tool + " is kept" }})
		return nil
	})
	if got := text(h.run(h.call("kept", ""))[0]); got != "kept is kept" {
		t.Error(got)
	}
	inner := h.call("kept", "")
	inner.Parent, inner.Caller = "c1", tool.CallerProgram
	if got := text(h.run(inner)[0]); got != "ran kept" {
		t.Errorf("inside another call: %s", got)
	}
	if got := text(h.run(h.call("free", ""))[0]); got != "ran free" {
		t.Error(got)
	}
	if n, m := len(h.tools.Schemas(realm)), len(h.tools.Reserved(realm)); n != 1 || m != 1 {
		t.Errorf("%d tools are in requests and %d are reserved", n, m)
	}
	if err := f.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := text(h.run(h.call("kept", ""))[0]); got != "ran kept" || len(h.tools.Reserved(realm)) != 0 {
		t.Errorf("the reservation is still there: %s", got)
	}
}

// Calls of a series are there in the order in which they came, whatever becomes of them,
// and each is answered by itself: a slow one holds up no other that may run beside it.
func TestASeriesAnswersEachCallByItself(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	quick := make(chan struct{})
	h.register(
		&probe{name: "slow", parallel: true, looks: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			<-quick
			return tool.Text("slow"), nil
		}},
		&probe{name: "quick", parallel: true, looks: true}, &probe{name: "alone"})
	s := h.tools.Series(t.Context(), h.graph.Root().Realm())
	told := make(chan string, 3)
	for _, name := range []string{"slow", "quick", "alone"} {
		c := h.call(name, "")
		c.Parent = "c1"
		s.Add(c, func(o tool.Outcome) { told <- text(o) })
	}
	first := <-told
	close(quick)
	s.Wait()
	if diff := cmp.Diff([]string{"ran quick", "slow", "ran alone"}, []string{first, <-told, <-told}); diff != "" {
		t.Error(diff)
	}
	calls := slices.DeleteFunc(h.story(), func(line string) bool { return !strings.HasPrefix(line, "tool/subcall") })
	if len(calls) != 3 {
		t.Errorf("the log has %q", calls)
	}
}
