package toolbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"fairlead/llm"
	"fairlead/tool"
)

// TestASwappedLinkNeverLeadsOutside swaps a folder and a file for links to the
// outside while calls run that were judged as inside.
func TestASwappedLinkNeverLeadsOutside(t *testing.T) {
	h := newHouse(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "f.txt"), []byte("outside secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.put("dir/f.txt", "inside\n")
	h.put("spare/f.txt", "inside\n")
	link(t, outside, h.path("evil-dir"))
	link(t, filepath.Join(outside, "f.txt"), h.path("evil-file"))
	var stop atomic.Bool
	done := make(chan struct{})
	swap := func(a, b string) {
		if err := unix.Renameat2(unix.AT_FDCWD, h.path(a), unix.AT_FDCWD, h.path(b), unix.RENAME_EXCHANGE); err != nil {
			t.Error(err)
			stop.Store(true)
		}
	}
	go func() {
		defer close(done)
		for !stop.Load() {
			swap("dir", "evil-dir")
			swap("spare/f.txt", "evil-file")
		}
	}()
	worked := 0
	for range 2000 {
		for _, path := range []string{"dir/f.txt", "spare/f.txt"} {
			call := h.call("read", args{"path": path})
			resolved, err := call.Resolve(path) // what a gate would judge
			if err != nil || !tool.Within(h.dir, resolved) {
				continue
			}
			r := h.tools.Execute(t.Context(), h.graph.Root().Realm(), call)
			if strings.Contains(llm.Plain(r.Content), "secret") {
				t.Fatal("read outside")
			}
			if !r.Failed {
				worked++
			}
			call = h.call("write", args{"path": filepath.Dir(path) + "/new.txt", "content": "new\n"})
			if resolved, err := call.Resolve(filepath.Dir(path) + "/new.txt"); err != nil || !tool.Within(h.dir, resolved) {
				continue
			}
			h.tools.Execute(t.Context(), h.graph.Root().Realm(), call)
			call = h.call("grep", args{"pattern": "secret", "path": filepath.Dir(path)})
			if resolved, err := call.Resolve(filepath.Dir(path)); err != nil || !tool.Within(h.dir, resolved) {
				continue
			}
			if r := h.tools.Execute(t.Context(), h.graph.Root().Realm(), call); strings.Contains(llm.Plain(r.Content), "outside secret") {
				t.Fatal("searched outside")
			}
		}
	}
	stop.Store(true)
	<-done
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("written outside: %v %v", entries, err)
	}
	if worked == 0 {
		t.Error("no read worked; the test showed nothing")
	}
}

func TestOurOwnProcessIsNotLookedInto(t *testing.T) {
	h := newHouse(t)
	for _, path := range []string{"/proc/self/environ", "/proc/thread-self/environ", "/proc/self/task/../environ", "/proc/self/root/proc/self/environ"} {
		h.refused("OWN_PROCESS", "read", args{"path": path})
		h.refused("OWN_PROCESS", "grep", args{"path": path, "pattern": "PATH"})
	}
	text := h.ok("grep", args{"path": "/proc/1", "pattern": "zzzz", "glob": "environ"})
	says(t, text, "No match. [not searched: environ, task/1/environ", "may hold secrets")
}
