package tool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
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
