package tool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/tool"
)

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
