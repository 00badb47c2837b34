package toolbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/tool"
)

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Fatal(err)
	}
}

func TestPolicyIsToldWhereLinksLead(t *testing.T) {
	h := newHouse(t)
	outside := t.TempDir()
	h.put("a.txt", "x")
	h.put("sub/b.txt", "x")
	link(t, outside, h.path("out"))
	link(t, filepath.Join(outside, "gone"), h.path("dangling"))
	link(t, ".env", h.path("plain.txt"))
	link(t, "loop", h.path("loop"))
	for path, want := range map[string][]string{
		"a.txt":            {h.path("a.txt")},
		"./sub/../a.txt":   {h.path("a.txt")},
		"out/new.txt":      {h.path("out/new.txt"), filepath.Join(outside, "new.txt")},
		"dangling":         {h.path("dangling"), filepath.Join(outside, "gone")},
		"plain.txt":        {h.path("plain.txt"), h.path(".env")},
		"../elsewhere":     {filepath.Join(filepath.Dir(h.dir), "elsewhere")},
		h.dir + "-evil/x":  {h.dir + "-evil/x"},
		"/proc/self/root/": {"/proc/self/root", "/"},
		"loop":             {h.path("loop")},
		"sub/b.txt ":       {h.path("sub/b.txt ")},
	} {
		call := h.call("read", args{"path": path})
		call.Args = []byte(call.Raw)
		var got []string
		for _, touch := range h.tools.Find(h.graph.Root().Realm(), "read").(tool.Toucher).Touches(call) {
			got = append(got, touch.Path)
		}
		if path == "/proc/self/root/" {
			got = got[:min(len(got), 2)]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if r := h.run("read", args{"path": "loop"}); !r.Failed || !strings.Contains(llm.Plain(r.Content), "too many links") {
		t.Errorf("%+v", r)
	}
}

func TestWritingThroughALinkChangesWhatItLeadsTo(t *testing.T) {
	h := newHouse(t)
	h.put("real.txt", "one\n")
	link(t, "real.txt", h.path("name.txt"))
	h.ok("read", args{"path": "name.txt"})
	h.ok("edit", args{"path": "name.txt", "old": "one", "new": "two"})
	h.has("real.txt", "two\n")
	if about, err := os.Lstat(h.path("name.txt")); err != nil || about.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", about.Mode(), err)
	}
}
