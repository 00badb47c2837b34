package tool_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/session"
	"fairlead/tool"
)

func TestResultsAndLogKeepTheModelsOrder(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	second := make(chan struct{})
	h.register(
		&probe{name: "slow", parallel: true, looks: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			<-second // ends only because the other one runs beside it
			return tool.Text("slow"), nil
		}},
		&probe{name: "quick", parallel: true, looks: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			close(second)
			return tool.Text("quick"), nil
		}})
	outs := h.run(h.call("slow", ""), h.call("quick", ""))
	if text(outs[0]) != "slow" || text(outs[1]) != "quick" {
		t.Errorf("results %q, %q", text(outs[0]), text(outs[1]))
	}
	var results []string
	for _, line := range h.story() {
		if !strings.HasPrefix(line, "tool/started") {
			results = append(results, line)
		}
	}
	want := []string{"tool/call c2", "tool/call c3", "approval/decided c2 allowed mode", "approval/decided c3 allowed mode", "tool/result c2", "tool/result c3"}
	slices.SortStableFunc(results, func(a, b string) int { // decisions and results may interleave, each in order
		return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0])
	})
	slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0]) })
	if diff := cmp.Diff(want, results); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyParallelCallsRunBesideOthersAndTenAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
		running, most := make(chan int, 1), map[string]int{}
		running <- 0
		body := func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			n := <-running + 1
			most[c.Tool] = max(most[c.Tool], n)
			running <- n
			time.Sleep(time.Second)
			running <- <-running - 1
			return tool.Text(""), nil
		}
		h.register(&probe{name: "beside", parallel: true, looks: true, body: body}, &probe{name: "alone", body: body})
		var calls []*tool.Call
		for i := range 40 {
			name := "beside"
			if i == 5 || i == 6 || i == 39 {
				name = "alone"
			}
			calls = append(calls, h.call(name, ""))
		}
		began := time.Now()
		h.run(calls...)
		if most["beside"] != 10 || most["alone"] != 1 {
			t.Errorf("at once: %v", most)
		}
		// 5 beside, two alone, 32 in four rounds of ten at most, one alone.
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("took %s of fake time", took)
		}
	})
}

func TestCallsInsideACallShareALaneOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
		at, most := make(chan int, 1), 0
		at <- 0
		h.register(
			&probe{name: "inner", body: func(context.Context, *tool.Call) (*tool.Result, error) {
				n := <-at + 1
				most = max(most, n)
				at <- n
				time.Sleep(time.Second)
				at <- <-at - 1
				return tool.Text("x"), nil
			}},
			&probe{name: "outer", body: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				done := make(chan struct{})
				for range 3 {
					go func() {
						inner := h.call("inner", "")
						inner.Parent, inner.Caller = c.ID, "program"
						h.tools.Execute(ctx, h.graph.Root().Realm(), inner)
						done <- struct{}{}
					}()
				}
				for range 3 {
					<-done
				}
				return tool.Text("all"), nil
			}})
		if out := h.run(h.call("outer", ""))[0]; text(out) != "all" || most != 1 {
			t.Errorf("%q, %d at once", text(out), most)
		}
	})
}

func TestTimeLimitAndStopAreResults(t *testing.T) {
	obey := func(ctx context.Context, _ *tool.Call) (*tool.Result, error) { <-ctx.Done(); return nil, ctx.Err() }
	for name, c := range map[string]struct {
		body  func(context.Context, *tool.Call) (*tool.Result, error)
		stop  time.Duration
		limit time.Duration
		code  string
		says  string
		took  time.Duration
	}{
		"time limit": {obey, time.Hour, time.Minute, tool.CodeTimeout, "longer than 1m0s", time.Minute},
		"stop":       {obey, 12 * time.Second, time.Minute, tool.CodeStopped, "Stopped after 12s", 12 * time.Second},
		"stop, with a result of its own": {func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
			<-ctx.Done()
			return tool.Text("half"), nil
		},
			time.Second, time.Minute, "", "half", time.Second},
		"stop, not obeyed": {func(context.Context, *tool.Call) (*tool.Result, error) {
			time.Sleep(time.Hour)
			return tool.Text("late"), nil
		},
			time.Second, time.Minute, session.CodeOutcomeUnknown, "What it did is not known", 16 * time.Second},
		"it ends its goroutine": {func(context.Context, *tool.Call) (*tool.Result, error) { exit(); return nil, nil }, time.Hour, time.Minute, tool.CodePanic, "without a result", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
				h.register(limited{&probe{name: "probe", body: c.body}, c.limit})
				ctx, cancel := context.WithTimeout(t.Context(), c.stop)
				defer cancel()
				began := time.Now()
				out := h.tools.Batch(ctx, h.graph.Root().Realm(), []*tool.Call{h.call("probe", "")})[0]
				if out.Logged.Code != c.code || !strings.Contains(text(out), c.says) || time.Since(began) != c.took {
					t.Errorf("code %q, %q after %s", out.Logged.Code, text(out), time.Since(began))
				}
				time.Sleep(2 * time.Hour) // the body that was left behind ends
			})
		})
	}
}

type limited struct {
	*probe
	limit time.Duration
}

func (l limited) Limit(*tool.Call) time.Duration { return l.limit }

func TestAfterStopNothingBegins(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	ctx, cancel := context.WithCancel(t.Context())
	h.register(&probe{name: "probe", body: func(context.Context, *tool.Call) (*tool.Result, error) {
		cancel()
		return tool.Text("first"), nil
	}})
	outs := h.tools.Batch(ctx, h.graph.Root().Realm(), []*tool.Call{h.call("probe", ""), h.call("probe", "")})
	if text(outs[0]) != "first" || outs[1].Logged.Code != session.CodeNotStarted {
		t.Errorf("%q, %q", text(outs[0]), outs[1].Logged.Code)
	}
	want := []string{"tool/call c2", "tool/call c3", "approval/decided c2 allowed mode", "tool/started c2", "tool/result c2", "approval/decided c3 denied nobody", "tool/result c3 TOOL_NOT_STARTED"}
	if diff := cmp.Diff(want, h.story()); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyCallsThatMayChangeSomethingWaitForTheDisk(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	h.register(&probe{name: "look", looks: true, parallel: true}, &probe{name: "change"})
	before := h.store.count()
	h.run(h.call("look", ""), h.call("look", ""), h.call("look", ""))
	if n := h.store.count() - before; n != 0 {
		t.Errorf("looking waited for the disk %d times", n)
	}
	before = h.store.count()
	h.run(h.call("change", ""))
	if n := h.store.count() - before; n != 1 {
		t.Errorf("a change waited for the disk %d times, want once before its body", n)
	}
}
