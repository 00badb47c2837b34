package tool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/tool"
)

// TestEveryCallerPassesEveryStage drives every kind of caller through every way a
// call can go, and compares what the log says of it.
func TestEveryCallerPassesEveryStage(t *testing.T) {
	allow := tool.Verdict{Decision: tool.Allow, By: "mode"}
	ask := tool.Verdict{Decision: tool.Ask}
	yes := &tool.Answer{Approved: true}
	for name, c := range map[string]struct {
		verdict *tool.Verdict
		gate    error
		answer  *tool.Answer
		unasked error
		guard   func(n int) error // the n-th time it is asked
		tool    string
		raw     string
		body    func(context.Context, *tool.Call) (*tool.Result, error)
		want    []string // after the call itself
		says    string
	}{
		"no gate": {want: []string{"approval/decided c2 denied nobody", "tool/result c2 DENIED nobody"}, says: "Nobody decides here"},
		"the gate fails": {gate: errors.New("rules are broken"),
			want: []string{"approval/decided c2 denied nobody", "tool/result c2 DENIED nobody"}, says: "rules are broken"},
		"allowed": {verdict: &allow, want: []string{"approval/decided c2 allowed mode", "tool/started c2", "tool/result c2"}, says: "ran probe"},
		"denied by the mode": {verdict: &tool.Verdict{Decision: tool.Deny, DeniedBy: "mode", Reason: "Plan changes nothing"},
			want: []string{"approval/decided c2 denied mode", "tool/result c2 DENIED mode"}, says: "not allowed: Plan changes nothing"},
		"an unknown verdict": {verdict: &tool.Verdict{Decision: "perhaps"}, want: []string{"approval/decided c2 denied nobody", "tool/result c2 DENIED nobody"}, says: "nobody was there"},
		"asked, approved": {verdict: &ask, answer: yes,
			want: []string{"approval/asked c2", "approval/decided c2 approved person", "tool/started c2", "tool/result c2"}, says: "ran probe"},
		"asked, a no with words": {verdict: &ask, answer: &tool.Answer{DeniedBy: "person", Note: "use the other file"},
			want: []string{"approval/asked c2", "approval/decided c2 denied person", "tool/result c2 DENIED person"}, says: "The person said no to this call: use the other file"},
		"asked, nobody there": {verdict: &ask, answer: &tool.Answer{DeniedBy: "nobody"},
			want: []string{"approval/asked c2", "approval/decided c2 denied nobody", "tool/result c2 DENIED nobody"}, says: "nobody was there to answer"},
		"asked, no asker": {verdict: &ask, want: []string{"approval/decided c2 denied nobody", "tool/result c2 DENIED nobody"}, says: "nobody was there to answer"},
		"asked, the asker fails": {verdict: &ask, answer: yes, unasked: errors.New("no page"),
			want: []string{"approval/decided c2 denied nobody", "tool/result c2 DENIED nobody"}, says: "nobody was there to answer"},
		"a guard says no to an allowed call": {verdict: &allow, guard: func(int) error { return errors.New("too many") },
			want: []string{"approval/decided c2 denied guard", "tool/result c2 DENIED guard"}, says: "too many"},
		"a guard says no before a person is asked": {verdict: &ask, answer: yes, guard: func(int) error { return errors.New("too many") },
			want: []string{"approval/decided c2 denied guard", "tool/result c2 DENIED guard"}, says: "too many"},
		"a guard says no after a yes": {verdict: &ask, answer: yes, guard: func(n int) error {
			if n > 1 {
				return errors.New("too late")
			}
			return nil
		}, want: []string{"approval/asked c2", "approval/decided c2 approved person", "approval/decided c2 denied guard", "tool/result c2 DENIED guard"}, says: "too late"},
		"a guard panics": {verdict: &allow, guard: func(int) error { panic("oh") },
			want: []string{"approval/decided c2 denied guard", "tool/result c2 DENIED guard"}, says: "not allowed"},
		"what was approved is something else now": {verdict: &ask, answer: &tool.Answer{Approved: true, Confirm: func(context.Context) error {
			return fault.New(fault.Conflict, "gate", "The file is another one now.").WithCode("payload-changed")
		}}, want: []string{"approval/asked c2", "approval/decided c2 approved person", "tool/result c2 payload-changed"}, says: "another one now"},
		"an unknown tool": {verdict: &allow, tool: "prob", want: []string{"approval/decided c2 denied tool", "tool/result c2 UNKNOWN_TOOL"}, says: `Did you mean "probe"?`},
		"wrong arguments": {verdict: &allow, raw: `{"n":"x"}`, want: []string{"approval/decided c2 denied tool", "tool/result c2 INVALID_ARGUMENTS"}, says: `"n" must be an integer`},
		"the body fails": {verdict: &allow, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			return nil, fault.New(fault.NotFound, "x", "There is no such thing.").WithCode("NO_THING")
		}, want: []string{"approval/decided c2 allowed mode", "tool/started c2", "tool/result c2 NO_THING"}, says: "There is no such thing."},
		"the body panics": {verdict: &allow, body: func(context.Context, *tool.Call) (*tool.Result, error) { panic("oh") },
			want: []string{"approval/decided c2 allowed mode", "tool/started c2", "tool/result c2 TOOL_PANIC"}, says: "failed unexpectedly (oh)"},
		"the body returns nothing": {verdict: &allow, body: func(context.Context, *tool.Call) (*tool.Result, error) { return nil, nil },
			want: []string{"approval/decided c2 allowed mode", "tool/started c2", "tool/result c2 TOOL_PANIC"}, says: "returned no result"},
	} {
		for _, caller := range []string{"model", "program", "package", "mcp", "helper", "person"} {
			t.Run(name+", by "+caller, func(t *testing.T) {
				h := newHouse(t)
				ran := false
				h.register(&probe{name: "probe", params: `{"type":"object","properties":{"n":{"type":"integer"}}}`, body: func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
					ran = true
					if c.body != nil {
						return c.body(ctx, call)
					}
					return tool.Text("ran probe"), nil
				}})
				if c.verdict != nil {
					h.decide(*c.verdict)
				}
				if c.gate != nil {
					h.apply("broken", func(f *graph.Fiber) error {
						tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
							return tool.Verdict{Decision: tool.Allow}, c.gate
						})
						return nil
					})
				}
				if c.answer != nil {
					h.answer(*c.answer, c.unasked)
				}
				if c.guard != nil {
					asked := 0
					h.apply("guard", func(f *graph.Fiber) error {
						h.tools.Guard(f, func(context.Context, *tool.Call) error { asked++; return c.guard(asked) })
						return nil
					})
				}
				call := h.call("probe", c.raw)
				call.Caller = caller
				opens := "tool/call c2"
				if c.tool != "" {
					call.Tool = c.tool
				}
				if caller == "program" {
					call.Parent, opens = "c0", "tool/subcall c2"
				}
				out := h.run(call)[0]
				if diff := cmp.Diff(append([]string{opens}, c.want...), h.story()); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
				if !strings.Contains(text(out), c.says) {
					t.Errorf("the model reads %q, want %q in it", text(out), c.says)
				}
				if started := slices.Contains(c.want, "tool/started c2"); ran != started {
					t.Errorf("body ran: %t, log says started: %t", ran, started)
				}
			})
		}
	}
}

func TestNoListenerUndoesAGuard(t *testing.T) {
	h := newHouse(t)
	h.register(&probe{name: "probe"})
	h.apply("guard", func(f *graph.Fiber) error {
		h.tools.Guard(f, func(context.Context, *tool.Call) error { return errors.New("no") })
		return nil
	})
	for i := range 3 {
		h.apply(fmt.Sprint("eager", i), func(f *graph.Fiber) error {
			tool.PreExecute.On(f, func(ctx context.Context, c *tool.Call, next func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
				next(ctx, c)
				return tool.Verdict{Decision: tool.Allow, By: "rule"}, nil
			})
			tool.PostExecute.On(f, func(ctx context.Context, p tool.Finished, next func(context.Context, tool.Finished) (*tool.Result, error)) (*tool.Result, error) {
				return tool.Text("it ran all the same"), nil
			})
			h.tools.Guard(f, func(context.Context, *tool.Call) error { return nil })
			return nil
		})
	}
	if out := h.run(h.call("probe", ""))[0]; out.Logged.DeniedBy != "guard" || !out.Logged.Failed {
		t.Errorf("result %+v", out.Logged)
	}
}

func TestAGuardThatPanicsGoesOnGuarding(t *testing.T) {
	h := newHouse(t)
	h.register(&probe{name: "probe"})
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	guard := h.apply("guard", func(f *graph.Fiber) error {
		h.tools.Guard(f, func(context.Context, *tool.Call) error { panic("oh") })
		return nil
	})
	for range 3 {
		if out := h.run(h.call("probe", ""))[0]; out.Logged.DeniedBy != "guard" {
			t.Fatalf("%+v", out.Logged)
		}
	}
	if err := guard.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := h.run(h.call("probe", ""))[0]; out.Logged.Failed {
		t.Errorf("after the guard left: %+v", out.Logged)
	}
}

func TestAnApprovedCallRunsUnderTheApprovedPolicy(t *testing.T) {
	h := newHouse(t)
	var got sandbox.Policy
	h.register(&probe{name: "probe", body: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		got = c.Policy
		return tool.Text(""), nil
	}})
	h.decide(tool.Verdict{Decision: tool.Ask, Policy: sandbox.Policy{Unconfined: true}})
	want := sandbox.Policy{Write: []string{"/w"}}
	h.answer(tool.Answer{Approved: true, Policy: want}, nil)
	h.run(h.call("probe", ""))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

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

func TestACutCallNeverRuns(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	h.register(&probe{name: "probe"})
	call := h.call("probe", `{}`)
	call.Cut = true
	h.run(call)
	if diff := cmp.Diff([]string{"tool/call c2", "approval/decided c2 denied tool", "tool/result c2 " + tool.CodeCut}, h.story()); diff != "" {
		t.Error(diff)
	}
}

// clumsy is a tool that panics wherever it is asked something.
type clumsy struct{ where string }

func (c clumsy) fails(where string) {
	if c.where == where {
		panic("oh")
	}
}

func (clumsy) Schema() llm.ToolSchema                    { return llm.ToolSchema{Name: "clumsy"} }
func (c clumsy) Present(*tool.Call) session.Present      { c.fails("present"); return session.Present{} }
func (c clumsy) ReadOnly(*tool.Call) bool                { c.fails("read only"); return true }
func (c clumsy) Parallel(*tool.Call) bool                { c.fails("parallel"); return true }
func (c clumsy) Limit(*tool.Call) time.Duration          { c.fails("limit"); return 0 }
func (c clumsy) Check(context.Context, *tool.Call) error { c.fails("check"); return nil }
func (c clumsy) Run(context.Context, *tool.Call) (*tool.Result, error) {
	c.fails("run")
	return tool.Text("ran"), nil
}

func TestAToolMayPanicAnywhere(t *testing.T) {
	for where, code := range map[string]string{"present": "", "read only": "", "parallel": "", "limit": "", "check": tool.CodePanic, "run": tool.CodePanic} {
		h := newHouse(t)
		h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
		h.register(clumsy{where})
		if out := h.run(h.call("clumsy", ""), h.call("clumsy", "")); out[0].Logged.Code != code || out[1].Logged.Code != code {
			t.Errorf("%s: %+v", where, out[0].Logged)
		}
	}
}

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

func TestALogThatCannotBeWrittenMeansNoEffect(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	ran := 0
	h.register(&probe{name: "probe", body: func(context.Context, *tool.Call) (*tool.Result, error) { ran++; return tool.Text(""), nil }})
	h.store.breaks(errors.New("no room"))
	if out := h.run(h.call("probe", ""))[0]; out.Logged.Code != tool.CodeNotLogged || ran != 0 {
		t.Errorf("code %q, ran %d times", out.Logged.Code, ran)
	}
	h.store.breaks(nil)
	if out := h.run(h.call("probe", ""))[0]; out.Logged.Failed || ran != 1 {
		t.Errorf("afterwards: %+v", out.Logged)
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

func TestABigResultIsKeptAndShortened(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	var big strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&big, "line %d of the output\n", i+1)
	}
	h.register(&probe{name: "probe", body: func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text(big.String()), nil }})
	out := h.run(h.call("probe", ""))[0]
	short := text(out)
	if len(short) > 30_000 || !strings.HasPrefix(short, "line 1 of") || !strings.HasSuffix(short, "line 20000 of the output\n") || out.Logged.Spill == nil {
		t.Fatalf("%d bytes, spill %v", len(short), out.Logged.Spill)
	}
	path := tool.Locator(*out.Logged.Spill)
	if !strings.Contains(short, path) {
		t.Errorf("the preview does not name %s", path)
	}
	whole, err := tool.Kept(h.log, path)
	if err != nil || string(whole) != big.String() {
		t.Errorf("kept %d bytes, %v", len(whole), err)
	}
	if _, err := tool.Kept(h.log, "spill:000000000000"); !fault.Is(err, fault.NotFound) {
		t.Errorf("err = %v", err)
	}

	inner := h.call("probe", "")
	inner.Parent, inner.Caller = "c0", "program"
	if got := h.tools.Execute(t.Context(), h.graph.Root().Realm(), inner); llm.Plain(got.Content) != big.String() || got.Spill != nil {
		t.Error("a program does not get the whole result of its call")
	}
}

func TestPreviewsSayExactlyWhatIsLeftOut(t *testing.T) {
	for name, s := range map[string]string{
		"lines":    strings.Repeat("0123456789\n", 100),
		"one line": strings.Repeat("é", 600),
		"no end":   strings.Repeat("0123456789\n", 100) + "last",
	} {
		got := tool.Preview(s, 200, 100, "spill:x")
		head, rest, ok := strings.Cut(got, "\n[")
		notice, tail, ok2 := strings.Cut(rest, "]\n")
		var left int
		if _, err := fmt.Sscanf(notice, "%d bytes left out", &left); err != nil || !ok || !ok2 {
			t.Fatalf("%s: %v in %q", name, err, got)
		}
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || len(s)-len(tail)-left-len(head) > 1 {
			t.Errorf("%s: %d + %d + %d bytes of %d", name, len(head), left, len(tail), len(s))
		}
	}
	if got := tool.Preview("short", 200, 100, "x"); got != "short" {
		t.Errorf("got %q", got)
	}
}

func TestOutputIsPackedAndEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
		var late func(string)
		h.register(&probe{name: "probe", body: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			late = c.Output
			for range 10 {
				c.Output("tick ")
				time.Sleep(100 * time.Millisecond)
			}
			c.Output(strings.Repeat("x", 5000))
			c.Output("never packed alone")
			return tool.Text("done"), nil
		}})
		h.run(h.call("probe", ""))
		late("too late")
		var packs []string
		var offset int64
		for e, err := range h.log.Events(2) {
			if err != nil {
				t.Fatal(err)
			}
			if !session.ToolProgress.Of(e) {
				continue
			}
			d, err := session.ToolProgress.Decode(e)
			if err != nil || d.Offset != offset {
				t.Fatalf("offset %d, want %d (%v)", d.Offset, offset, err)
			}
			offset += int64(len(d.Text))
			packs = append(packs, d.Text)
		}
		if len(packs) != 4 || packs[0] != "tick tick tick " || !strings.HasSuffix(packs[3], "xxx") {
			t.Errorf("packs %.40q", packs)
		}
	})
}

func TestPostExecuteMayReplaceAndFailButNotHide(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	h.register(&probe{name: "probe"})
	veto := false
	h.apply("post", func(f *graph.Fiber) error {
		tool.PostExecute.On(f, func(ctx context.Context, p tool.Finished, next func(context.Context, tool.Finished) (*tool.Result, error)) (*tool.Result, error) {
			if veto {
				return nil, errors.New("hook says no")
			}
			r, err := next(ctx, p)
			r.Content = llm.Text(llm.Plain(r.Content) + ", redacted")
			return r, err
		})
		return nil
	})
	if out := h.run(h.call("probe", ""))[0]; text(out) != "ran probe, redacted" {
		t.Errorf("%q", text(out))
	}
	veto = true
	if out := h.run(h.call("probe", ""))[0]; !out.Logged.Failed || !strings.Contains(text(out), "hook says no") || !strings.Contains(text(out), "ran probe") {
		t.Errorf("%+v", out.Logged)
	}
}

func TestSecretsReachNeitherModelNorLogNorPage(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	secrets := &settings.Redactor{}
	secrets.Know("TEST_KEY", "planted-value-1")
	h.plug("secrets", graph.Plugin{Name: "secrets", Provides: []graph.AnyKey{settings.RedactorKey}, Apply: func(f *graph.Fiber, _ any) error {
		return graph.Provide(f, settings.RedactorKey, secrets)
	}})
	kept := session.BlobRef{}
	h.register(&probe{name: "probe", body: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		c.Output("progress planted-value-1" + strings.Repeat(".", 5000))
		ref, err := c.Keep(ctx, "kept planted-value-1")
		kept = ref
		return &tool.Result{Content: llm.Text("text planted-value-1 " + strings.Repeat("planted-value-1\n", 5000)), View: map[string]any{"kind": "x", "deep": []string{"view planted-value-1"}}}, err
	}})
	out := h.run(h.call("probe", ""))[0]
	for e, err := range h.log.Events(1) {
		if err != nil || strings.Contains(string(e.Data), "planted-value-1") {
			t.Errorf("event %d (%s) holds the secret (%v)", e.Seq, e.Type, err)
		}
	}
	for _, ref := range []session.BlobRef{kept, *out.Logged.Spill} {
		if raw, err := h.log.Blob(ref.SHA256); err != nil || strings.Contains(string(raw), "planted-value-1") || !strings.Contains(string(raw), "[redacted TEST_KEY]") {
			t.Errorf("a blob holds the secret (%v)", err)
		}
	}
	if string(out.Logged.View) != `{"deep":["view [redacted TEST_KEY]"],"kind":"x"}` {
		t.Errorf("view %s", out.Logged.View)
	}
}

func TestEveryResultIsTold(t *testing.T) {
	h := newHouse(t)
	h.register(&probe{name: "probe"})
	var told []string
	h.apply("listener", func(f *graph.Fiber) error {
		tool.Executed.On(f, func(_ context.Context, o tool.Outcome) { told = append(told, o.Call.ID+" "+o.Logged.Code) })
		return nil
	})
	h.run(h.call("probe", ""), h.call("nope", ""))
	if diff := cmp.Diff([]string{"c2 DENIED", "c3 UNKNOWN_TOOL"}, told); diff != "" {
		t.Error(diff)
	}
}
