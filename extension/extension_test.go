package extension_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/command"
	"fairlead/extension"
	"fairlead/tool"
)

func TestWhatAPackageRegistersIsThereAndGoesWithIt(t *testing.T) {
	h := newHouse(t)
	before := h.tools.RareNames(h.room.Realm())
	prompt := h.sections.Text(h.room.Realm())
	got := h.install("all", `
		let heard = 0
		fairlead.tool({name: "twice", description: "Says it twice."}, async (a) => (await tools.echo(a)) + (await tools.echo(a)))
		fairlead.section("Say everything twice.")
		fairlead.service("sums", {add: ([a, b]) => a + b})
		fairlead.on("tool/*", () => { heard++ })
		fairlead.guard(c => c.tool === "echo" && c.args.bad ? "no bad words" : undefined)
		fairlead.command({name: "heard", summary: "How much was heard."}, (text) => ({text, heard: heard > 0}))
		fairlead.panel({name: "board", title: "Board", html: "<p>hello</p>"})`)
	if want := "Version 1 of all runs. It offers: tool twice, prompt section, service sums (add), listener tool/*, 1 guard(s), command /heard, panel board. Its tools are called through tool_use."; got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if got := h.says("twice", args{"n": 1}); got != `{"n":1}{"n":1}` {
		t.Error(got)
	}
	if got := h.says("echo", args{"bad": true}); got != "DENIED: This call is not allowed: no bad words (the package all)\nNothing was changed." {
		t.Error(got)
	}
	if got := h.says("twice", args{"bad": true}); !strings.HasPrefix(got, "PROGRAM_ERROR: ") || !strings.Contains(got, "no bad words") {
		t.Error(got)
	}
	if got := h.sections.Text(h.room.Realm()); !strings.HasSuffix(got, "\n\nSay everything twice.") {
		t.Errorf("the prompt ends otherwise: %s", got[max(0, len(got)-80):])
	}
	c, ok := command.Find(t.Context(), h.room.Realm(), "heard")
	if !ok {
		t.Fatal("there is no command /heard")
	}
	for said := ""; said != `{"text":"x","heard":true}`; { // events are heard a moment after they were logged
		answer, err := c.Run(t.Context(), command.Call{Args: []byte(`{"text":"x"}`)})
		if said = fmt.Sprintf("%s", answer); err != nil || !strings.HasPrefix(said, `{"text":"x","heard":`) {
			t.Fatalf("/heard says %s, %v", said, err)
		}
	}
	if got := h.install("user", `fairlead.tool({name: "sum", description: "Adds."}, async ({a, b}) => await fairlead.use("sums").add([a, b]))`); !strings.Contains(got, "runs") {
		t.Fatal(got)
	}
	if got := h.says("sum", args{"a": 2, "b": 3}); got != "5" {
		t.Error(got)
	}
	for _, name := range []string{"all", "user"} {
		if got := h.says("package_undefine", args{"name": name}); got != name+" is gone with all its versions." {
			t.Error(got)
		}
	}
	if diff := cmp.Diff(before, h.tools.RareNames(h.room.Realm())); diff != "" {
		t.Error(diff)
	}
	if got := h.sections.Text(h.room.Realm()); got != prompt {
		t.Error("the prompt is not as it was")
	}
	if _, ok := command.Find(t.Context(), h.room.Realm(), "heard"); ok {
		t.Error("the command is still there")
	}
	if got := h.says("echo", args{"bad": true}); got != `{"bad":true}` {
		t.Errorf("the guard is still there: %s", got)
	}
}

func TestAnActivationThatFailsLeavesTheVersionThatRan(t *testing.T) {
	h := newHouse(t)
	h.install("p", `let n = 0; fairlead.tool({name: "count", description: "Counts."}, () => ++n)`)
	h.says("count", args{})
	for name, code := range map[string]string{
		"it throws":            `throw new Error("no")`,
		"it registers nothing": `1 + 1`,
		"it never ends":        `for (;;);`,
		"it needs too much":    `const a = []; for (;;) a.push(new Uint8Array(1e6))`,
		"a name is taken":      `fairlead.tool({name: "echo", description: "x"}, () => 1)`,
		"a name is none":       `fairlead.tool({name: "Echo!", description: "x"}, () => 1)`,
		"no description":       `fairlead.tool({name: "x"} as any, () => 1)`,
		"a kind is none":       `fairlead.on("[", () => 1)`,
		"a section is long":    `fairlead.section("x".repeat(1e5))`,
		"it calls a tool":      `await tools.echo({})`,
		"it uses nothing":      `fairlead.use("nothing")`,
	} {
		if got := h.install("p", code); !strings.HasPrefix(got, "ACTIVATION_FAILED: ") || !strings.HasSuffix(got, "The version that ran goes on.") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := h.says("count", args{}); got != "2" {
		t.Errorf("the version that ran says %s", got)
	}
	if got := h.install("p", `fairlead.tool({name: "count", description: "Counts."}, () => "new")`); !strings.HasPrefix(got, "Version 13 of p runs.") {
		t.Error(got)
	}
	if got := h.says("count", args{}); got != "new" {
		t.Errorf("the new version says %s", got)
	}
}

func TestRegisteringLaterIsRefused(t *testing.T) {
	h := newHouse(t)
	h.install("p", `fairlead.tool({name: "late", description: "x"}, () => fairlead.section("later"))`)
	if got := h.says("late", args{}); !strings.Contains(got, "registers only while it starts") {
		t.Error(got)
	}
}

func TestAPackageThatBreaksIsStartedOnceMoreAndThenFails(t *testing.T) {
	h := newHouse(t)
	h.install("p", `let n = 0; fairlead.tool({name: "count", description: "x"}, (a) => { n++; if (a.loop) for (;;); return n })`)
	h.says("count", args{})
	if got := h.says("count", args{"loop": true}); !strings.HasPrefix(got, "PROGRAM_BUSY: ") {
		t.Error(got)
	}
	if d := logged(h, extension.Failed); !d.Again || d.Package != "p" || d.Version != 1 {
		t.Errorf("the log says %+v", d)
	}
	h.settle()
	if got := h.says("count", args{}); got != "1" {
		t.Errorf("started once more, it says %s", got)
	}
	if got := h.says("count", args{"loop": true}); !strings.HasPrefix(got, "PROGRAM_BUSY: ") {
		t.Error(got)
	}
	for {
		h.settle()
		if got := h.says("package_inspect", args{}); strings.Contains(got, `"state":"failed"`) {
			if !strings.Contains(got, "The package p broke") {
				t.Errorf("it does not say why: %s", got)
			}
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("it never failed")
		}
	}
	if got := h.says("count", args{}); !strings.HasPrefix(got, tool.CodeUnknownTool) {
		t.Errorf("failed, it says %s", got)
	}
}

// settle waits until nothing of the graph is under way.
func (h *house) settle() {
	h.t.Helper()
	if err := h.graph.Settle(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func TestAnotherSessionSeesNothingOfAPackage(t *testing.T) {
	h := newHouse(t)
	h.install("p", `fairlead.tool({name: "mine", description: "x"}, () => 1)`)
	room, log := h.session()
	defer log.Close(context.Background())
	defer room.Dispose(context.Background())
	if h.tools.Find(room.Realm(), "mine") != nil {
		t.Error("the other session sees the tool")
	}
	other := &house{t: t, tools: h.tools, room: room, log: log}
	if got := other.says("package_stop", args{"name": "p"}); !strings.HasPrefix(got, "NOT_FOUND: ") {
		t.Errorf("the other session stops it: %s", got)
	}
	if got := h.says("package_stop", args{"name": "p"}); got != "Version 1 of p was stopped; its versions are kept." {
		t.Error(got)
	}
	if got := h.says("package_run", args{"name": "p", "version": 1}); !strings.HasPrefix(got, "Version 1 of p runs.") {
		t.Error(got)
	}
}
