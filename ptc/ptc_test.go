package ptc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/ptc"
	"fairlead/script"
	"fairlead/tool"
)

func TestEachCallOfAProgramPassesThePipelineUnderTheRun(t *testing.T) {
	h := newHouse(t, &probe{name: "echo"})
	r := h.program(t.Context(), `const a = await tools.echo({n: 1}); console.log(a); return {a}`)
	if got, want := llm.Plain(r.Content), "echo {\"n\":1}\n{\"a\":\"echo {\\\"n\\\":1}\"}"; got != want {
		t.Errorf("the model reads %q, want %q", got, want)
	}
	want := []string{"tool/call c2 run_code", "approval/decided c2", "tool/started c2", "tool/subcall c2.1 c2 echo", "approval/decided c2.1", "tool/started c2.1", "tool/result c2.1 c2", "tool/progress c2", "tool/result c2"}
	if diff := cmp.Diff(want, withoutProgress(want, h.story())); diff != "" {
		t.Error(diff)
	}
}

// withoutProgress leaves it to the clock whether output reached the log in a pack.
func withoutProgress(want, got []string) []string {
	var out []string
	for _, line := range got {
		if !strings.HasPrefix(line, "tool/progress") {
			out = append(out, line)
		}
	}
	for i, line := range want {
		if strings.HasPrefix(line, "tool/progress") {
			out = append(out[:i:i], append([]string{line}, out[i:]...)...)
		}
	}
	return out
}

func TestCallsThatAllowItRunBesideEachOther(t *testing.T) {
	second := make(chan struct{})
	h := newHouse(t,
		&probe{name: "slow", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			<-second // ends only because the other one runs beside it
			return tool.Text("slow"), nil
		}},
		&probe{name: "quick", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			close(second)
			return tool.Text("quick"), nil
		}})
	r := h.program(t.Context(), `return await Promise.all([tools.slow({}), tools.quick({})])`)
	if got := llm.Plain(r.Content); got != `["slow","quick"]` {
		t.Error(got)
	}
}

func TestAQuestionOfACallIsPutAndItsAnswerReachesTheProgram(t *testing.T) {
	h := newHouse(t, &probe{name: "ask"})
	h.answer <- true
	h.answer <- false
	r := h.program(t.Context(), `const yes = await tools.ask({}); const no = await tools.ask({}).catch(e => e.name + " " + e.code + ": " + e.message); return [yes, no]`)
	want := `["ask {}","ToolError DENIED: The person said no to this call. Nothing was changed. Do not try the same in another way; go on without it or ask what they want."]`
	if got := llm.Plain(r.Content); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("the model reads %s", got)
	}
	if a, b := <-h.asked, <-h.asked; a != "c2.1" || b != "c2.2" {
		t.Errorf("asked for %s and %s", a, b)
	}
}

func TestAStopEndsTheProgramAndTheCallsItWaitsFor(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	h := newHouse(t, &probe{name: "wait", parallel: true, body: func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
		stop()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	r := h.program(ctx, `await tools.wait({}); for (;;);`)
	if !r.Failed || r.Code != script.CodeStopped && r.Code != tool.CodeStopped {
		t.Errorf("the run ended as %+v", r)
	}
	if story := h.story(); story[len(story)-1] != "tool/result c2 "+r.Code || !strings.HasPrefix(story[len(story)-2], "tool/result c2.1 c2") {
		t.Errorf("the log ends otherwise: %q", story)
	}
}

func TestWhatAProgramDoesNotWaitForIsStillAnsweredBeforeTheRun(t *testing.T) {
	release := make(chan struct{})
	h := newHouse(t, &probe{name: "late", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
		<-release
		return tool.Text("done"), nil
	}}, &probe{name: "go", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
		close(release)
		return tool.Text(""), nil
	}})
	r := h.program(t.Context(), `tools.late({}); tools.go({}); return "over"`)
	if got := llm.Plain(r.Content); got != "over" {
		t.Error(got)
	}
	story := h.story()
	for n, line := range story {
		if line == "tool/result c2" && n != len(story)-1 {
			t.Errorf("the run ended before its calls: %q", story)
		}
	}
}

func TestOnlyProgramsCallToolsWhereTheyAreReserved(t *testing.T) {
	h := newHouse(t, &probe{name: "echo"})
	realm := h.graph.Root().Realm()
	var seen []string
	for _, s := range h.tools.Schemas(realm) {
		seen = append(seen, s.Name)
	}
	if diff := cmp.Diff([]string{ptc.Name}, seen); diff != "" {
		t.Error(diff)
	}
	r := h.tools.Execute(t.Context(), realm, h.call("echo", "{}"))
	if r.Code != tool.CodeUnknownTool || !strings.Contains(llm.Plain(r.Content), "await tools.echo({…})") {
		t.Errorf("a call by itself: %+v", r)
	}
	if r := h.program(t.Context(), `await tools.run_code({code: "return 1"})`); r.Code != script.CodeThrew || !strings.Contains(llm.Plain(r.Content), "cannot run another program") {
		t.Errorf("a program in a program: %+v", r)
	}
	if r := h.program(t.Context(), `const a = ;`); r.Code != script.CodeSyntax || len(h.story()) == 0 {
		t.Errorf("a program that cannot be read: %+v", r)
	}
	if r := h.program(t.Context(), `for (let i = 0; i < 300; i++) await tools.echo({})`); r.Code != script.CodeThrew || !strings.Contains(llm.Plain(r.Content), "too many calls") {
		t.Errorf("a program of too many calls: %+v", r)
	}
}

// A run that is made again from the log says the same: its calls are answered in the
// order in which they were, whatever order that was.
func TestARunIsMadeAgainFromTheLog(t *testing.T) {
	turn := make(chan struct{})
	h := newHouse(t,
		&probe{name: "first", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			<-turn
			return tool.Text("first"), nil
		}},
		&probe{name: "second", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
			defer close(turn)
			return tool.Text(strings.Repeat("second ", 10_000)), nil
		}},
		&probe{name: "bad", body: func(context.Context, *tool.Call) (*tool.Result, error) { return nil, fmt.Errorf("no luck") }})
	r := h.program(t.Context(), `
		const winner = await Promise.race([tools.first({}), tools.second({})])
		console.log(winner.length, Math.random(), new Date(), Object.keys(tools))
		await tools.bad({}).catch(e => console.log(e.message, Math.random()))
		throw new Error("the end of " + winner.slice(0, 6))`)
	if r.Code != script.CodeThrew {
		t.Fatalf("the run ended as %+v", r)
	}
	uses := func(name string) tool.Tool { return h.tools.Find(h.graph.Root().Realm(), name) }
	for range 3 {
		again, err := ptc.Replay(t.Context(), h.engine, h.log, "c2", uses)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(again.Logged, again.Text); diff != "" {
			t.Errorf("the run comes out otherwise (-logged +now):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"first {}", "second {}", "bad {}"}, again.Calls); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTheModelIsToldTheTypesOfItsTools(t *testing.T) {
	for _, c := range []struct{ name, params, want string }{
		{"nothing", ``, `object`},
		{"an object", `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","description":"at most\n so many"}},"required":["path"]}`, `{ path: string; limit?: number /* at most so many */ }`},
		{"a list", `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"state":{"enum":["open","done"]}},"required":["state"]}}}}`, `{ items?: { state: "open" | "done" }[] }`},
		{"alternatives", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":["number","integer","boolean"]},"c":{"type":"array","items":{"type":["string","null"]}}}}`, `{ a?: string | null; b?: number | boolean; c?: (string | null)[] }`},
		{"strange names", `{"type":"object","properties":{"a-b":{"const":3},"c":true}}`, `{ "a-b"?: 3; c?: unknown }`},
		{"no schema", `[]`, `unknown`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ptc.Arguments(c.params); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
