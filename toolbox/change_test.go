package toolbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

func TestAFileMustBeReadBeforeItIsChanged(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\ntwo\n")
	says(t, h.refused("NOT_READ", "edit", args{"path": "a.txt", "old": "two", "new": "2"}), "was not read", "Read it first")
	says(t, h.refused("NOT_READ", "write", args{"path": "a.txt", "content": "x"}), "Read it first")
	h.has("a.txt", "one\ntwo\n")
	h.ok("read", args{"path": "a.txt"})
	says(t, h.ok("edit", args{"path": "a.txt", "old": "two", "new": "2"}), "Changed a.txt: +1 −1 lines")
	h.ok("edit", args{"path": "a.txt", "old": "2", "new": "3"}) // what a call changed counts as read
	h.has("a.txt", "one\n3\n")
}

func TestAFileThatChangedSinceItWasReadIsNotOverwritten(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	about, err := os.Stat(h.path("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	h.ok("read", args{"path": "a.txt"})
	h.put("a.txt", "uno\n") // same size
	if err := os.Chtimes(h.path("a.txt"), about.ModTime(), about.ModTime()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool string
		args args
	}{{"edit", args{"path": "a.txt", "old": "uno", "new": "x"}}, {"write", args{"path": "a.txt", "content": "x"}}} {
		says(t, h.refused("STALE_FILE", c.tool, c.args), "has changed since it was read", "Read it again")
	}
	h.has("a.txt", "uno\n")
	h.ok("read", args{"path": "a.txt"})
	h.ok("edit", args{"path": "a.txt", "old": "uno", "new": "due"})
	if err := os.Chtimes(h.path("a.txt"), time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	h.ok("edit", args{"path": "a.txt", "old": "due", "new": "tre"}) // touched only
	h.has("a.txt", "tre\n")
}

func TestWhatWasReadIsKnownAfterARestart(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.ok("read", args{"path": "a.txt"})
	id := h.log.ID()
	if err := h.log.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := h.lib.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	h.log = log
	h.ok("edit", args{"path": "a.txt", "old": "one", "new": "two"})
	h.has("a.txt", "two\n")
}

func TestWritesKeepWhatTheFileIs(t *testing.T) {
	h := newHouse(t)
	for name, c := range map[string]struct{ before, old, replacement, edited, content, written string }{
		"mark":    {"\xEF\xBB\xBFfirst\nsecond\n", "first", "1st", "\xEF\xBB\xBF1st\nsecond\n", "new\n", "\xEF\xBB\xBFnew\n"},
		"crlf":    {"a\r\nb\r\nc\r\n", "a\nb", "a\nX\nb", "a\r\nX\r\nb\r\nc\r\n", "x\ny\n", "x\r\ny\r\n"},
		"latin-1": {"const x = 1;\n// caf\xe9 note\n", "x = 1", "x = 2", "const x = 2;\n// caf\xe9 note\n", "// né\n", "// n\xe9\n"},
		"no end":  {"a\nb", "b", "c", "a\nc", "z", "z"},
	} {
		h.put(name, c.before)
		if err := os.Chmod(h.path(name), 0o751); err != nil {
			t.Fatal(err)
		}
		h.ok("read", args{"path": name})
		h.ok("edit", args{"path": name, "old": c.old, "new": c.replacement})
		h.has(name, c.edited)
		h.ok("write", args{"path": name, "content": c.content})
		h.has(name, c.written)
		about, err := os.Stat(h.path(name))
		if err != nil || about.Mode().Perm() != 0o751 {
			t.Errorf("%s: mode %v, %v", name, about.Mode(), err)
		}
	}
	h.ok("write", args{"path": "deep/er/new.txt", "content": "first\n"})
	h.has("deep/er/new.txt", "first\n")
	left, err := filepath.Glob(h.path("*.tmp"))
	if err != nil || left != nil {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestACharacterTheFileCannotHoldIsRefused(t *testing.T) {
	h := newHouse(t)
	h.put("f.js", "// caf\xe9 note\n")
	h.ok("read", args{"path": "f.js"})
	says(t, h.refused("NOT_ENCODABLE", "edit", args{"path": "f.js", "old": "note", "new": "a → b"}), "Windows-1252", "U+2192", "Nothing was changed")
	h.has("f.js", "// caf\xe9 note\n")
}

func TestAFullWriteWithoutContentIsRefused(t *testing.T) {
	h := newHouse(t)
	big := strings.Repeat("0123456789\n", 1000)
	h.put("a.txt", big)
	h.ok("read", args{"path": "a.txt"})
	says(t, h.refused(tool.CodeArguments, "write", args{"path": "a.txt"}), `"content" is missing`)
	says(t, h.refused(tool.CodeArguments, "write", args{"path": "a.txt", "content": nil}), `"content" must be a string, but is null`)
	says(t, h.refused("EMPTY_CONTENT", "write", args{"path": "a.txt", "content": ""}), "would empty a.txt, which has 11 KB")
	h.has("a.txt", big)
	h.ok("write", args{"path": "new-and-empty", "content": ""})
	h.has("new-and-empty", "")
}

func TestSeveralEditsAreAllMadeOrNone(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\ntwo\nthree\n")
	h.ok("read", args{"path": "a.txt"})
	says(t, h.refused("NO_MATCH", "multi_edit", args{"path": "a.txt", "edits": []args{{"old": "one", "new": "1"}, {"old": "four", "new": "4"}}}), "Edit 2 of 2")
	h.has("a.txt", "one\ntwo\nthree\n")
	h.ok("multi_edit", args{"path": "a.txt", "edits": []args{{"old": "one", "new": "1"}, {"old": "1\ntwo", "new": "2"}}})
	h.has("a.txt", "2\nthree\n")
}

func TestFilesOfSeveralNamesAndOtherKindsAreRefused(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.ok("read", args{"path": "a.txt"})
	if err := os.Link(h.path("a.txt"), h.path("b.txt")); err != nil {
		t.Fatal(err)
	}
	says(t, h.refused("HARD_LINKED", "edit", args{"path": "a.txt", "old": "one", "new": "1"}), "2 names")
	h.has("b.txt", "one\n")
	h.put("locked.txt", "one\n")
	h.ok("read", args{"path": "locked.txt"})
	if err := os.Chmod(h.path("locked.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	says(t, h.refused("READ_ONLY_FILE", "edit", args{"path": "locked.txt", "old": "one", "new": "1"}), "write-protected")
	h.refused("IS_FOLDER", "write", args{"path": ".", "content": "x"})
	h.refused("SPECIAL_FILE", "write", args{"path": "/dev/null", "content": "x"})
}

func TestAChangeIsLoggedWithWhatWasAndWhatIs(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.ok("read", args{"path": "a.txt"})
	out := h.tools.Batch(t.Context(), h.graph.Root().Realm(), []*tool.Call{h.call("edit", args{"path": "a.txt", "old": "one", "new": "1\n2"}), h.call("write", args{"path": "b.txt", "content": "new\n"})})
	if diff := cmp.Diff([][]string{{h.path("a.txt")}, {h.path("b.txt")}}, [][]string{out[0].Changed, out[1].Changed}); diff != "" {
		t.Error(diff)
	}
	var changes []tool.FileChangedData
	for e, err := range h.log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.FileChanged.Of(e) {
			d, err := tool.FileChanged.Decode(e)
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, d)
		}
	}
	if len(changes) != 2 || changes[0].Before == nil || changes[0].Added != 2 || changes[0].Removed != 1 || changes[1].Before != nil {
		t.Fatalf("%+v", changes)
	}
	for want, ref := range map[string]*session.BlobRef{"one\n": changes[0].Before, "1\n2\n": changes[0].After, "new\n": changes[1].After} {
		if got, err := h.log.Blob(ref.SHA256); err != nil || string(got) != want {
			t.Errorf("kept %q, %v; want %q", got, err, want)
		}
	}
	var view struct {
		Kind, Path, Unified string
		Added, Removed      int
		IsNew               bool
	}
	if err := json.Unmarshal(out[0].Logged.View, &view); err != nil || view.Kind != "diff" || view.Path != "a.txt" || !strings.Contains(view.Unified, "-one\n+1\n+2\n") {
		t.Errorf("%s %v", out[0].Logged.View, err)
	}
}

func TestACardShowsTheWholeChangeAndBindsIt(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.ok("read", args{"path": "a.txt"})
	for name, c := range map[string]struct {
		tool string
		args args
		want tool.Card
	}{
		"edit": {"edit", args{"path": "a.txt", "old": "one", "new": "1"}, tool.Card{Title: "change-file", Hero: "a.txt",
			Facts: []tool.Fact{{Key: "card.replaces-all", Values: map[string]any{"n": 1}}, {Key: "card.inside"}},
			Parts: []tool.CardPart{{Name: "change", Kind: "diff", Path: "a.txt", Text: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n"}},
			Binds: map[string]string{h.path("a.txt"): "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}}},
		"new file": {"write", args{"path": "new/b.txt", "content": "x\ny\n"}, tool.Card{Title: "new-file", Hero: "new/b.txt",
			Facts: []tool.Fact{{Key: "card.new-file", Values: map[string]any{"n": 2}}, {Key: "card.inside"}},
			Parts: []tool.CardPart{{Name: "new-file", Kind: "text", Path: "new/b.txt", Text: "x\ny\n"}},
			Binds: map[string]string{h.path("new/b.txt"): tool.Absent}}},
		"elsewhere": {"write", args{"path": "/nowhere/b.txt", "content": "x"}, tool.Card{Title: "new-file", Hero: "/nowhere/b.txt",
			Facts: []tool.Fact{{Key: "card.new-file", Values: map[string]any{"n": 1}}, {Key: "card.outside", Warn: true}},
			Parts: []tool.CardPart{{Name: "new-file", Kind: "text", Path: "/nowhere/b.txt", Text: "x"}},
			Binds: map[string]string{"/nowhere/b.txt": tool.Absent}}},
	} {
		call := h.call(c.tool, c.args)
		call.Args = json.RawMessage(call.Raw)
		got, err := h.tools.Find(h.graph.Root().Realm(), c.tool).(tool.Carder).Card(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := os.Stat(h.path("new")); err == nil {
		t.Error("drawing a card made a folder")
	}
}

func TestNobodyIsAskedForAnEditThatCannotBeMade(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.put("secret.txt", "password\n")
	h.ok("read", args{"path": "a.txt"})
	asked := false
	h.confirm = func(context.Context) error { asked = true; return nil }
	h.refused("NO_MATCH", "edit", args{"path": "a.txt", "old": "two", "new": "2"})
	text := h.refused("NOT_READ", "edit", args{"path": "secret.txt", "old": "x", "new": "y"})
	if asked || strings.Contains(text, "password") {
		t.Errorf("asked %t, answer %q", asked, text)
	}
}

func TestAChangeThatIsNoLongerApprovedIsNotMade(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.ok("read", args{"path": "a.txt"})
	times := 0
	h.confirm = func(context.Context) error {
		if times++; times < 2 { // before the body it still holds
			return nil
		}
		return fault.New(fault.Conflict, "gate", "It is something else now.").WithCode("payload-changed")
	}
	h.refused("payload-changed", "edit", args{"path": "a.txt", "old": "one", "new": "1"})
	h.has("a.txt", "one\n")
	if entries, err := os.ReadDir(h.dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestAPatchChangesAllItsFilesOrNone(t *testing.T) {
	h := newHouse(t)
	before := map[string]string{"a.txt": "one\r\ntwo\r\n", "b.txt": "gone\n", "c.txt": "moved\nhere\n"}
	for name, body := range before {
		h.put(name, body)
		h.ok("read", args{"path": name})
	}
	if err := os.Chmod(h.path("c.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Delete File: b.txt\n*** Update File: c.txt\n*** Move to: deep/d.txt\n@@\n-here\n+there\n*** Add File: new/e.txt\n+fresh\n"
	says(t, h.refused("NOT_FOUND", "apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** Delete File: unread.txt\n*** End Patch"}), "does not exist")
	says(t, h.refused("NOT_FOUND", "apply_patch", args{"patch": patch + "*** Update File: f.txt\n@@\n-x\n+y\n*** End Patch"}), "f.txt does not exist", "Nothing of the patch was applied")
	for name, body := range before {
		h.has(name, body)
	}
	r := h.run("apply_patch", args{"patch": patch + "*** End Patch"})
	says(t, llm.Plain(r.Content), "Changed a.txt: +1 −1 lines", "Deleted b.txt, which had 1 line", "Wrote deep/d.txt, a new file of 2 lines", "Deleted c.txt", "Wrote new/e.txt")
	h.has("a.txt", "one\r\n2\r\n")
	h.has("deep/d.txt", "moved\nthere\n")
	h.has("new/e.txt", "fresh\n")
	for _, gone := range []string{"b.txt", "c.txt"} {
		if _, err := os.Lstat(h.path(gone)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", gone, err)
		}
	}
	if about, err := os.Stat(h.path("deep/d.txt")); err != nil || about.Mode().Perm() != 0o755 {
		t.Errorf("the moved file has %v, %v", about.Mode(), err)
	}
	h.ok("edit", args{"path": "deep/d.txt", "old": "there", "new": "here"}) // it counts as read
}

func TestAPatchThatFailsHalfWayIsTakenBack(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\n")
	h.put("z.txt", "last\n")
	h.ok("read", args{"path": "a.txt"})
	h.ok("read", args{"path": "z.txt"})
	times := 0
	h.confirm = func(context.Context) error {
		if times++; times == 2 { // somebody writes when all is planned and nothing made
			h.put("z.txt", "tail\n")
		}
		return nil
	}
	r := h.run("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: new.txt\n+x\n*** Update File: z.txt\n@@\n-last\n+end\n*** End Patch"})
	if !r.Failed || r.Code != "CHANGED_MEANWHILE" {
		t.Fatalf("%+v", r)
	}
	h.has("a.txt", "one\n")
	h.has("z.txt", "tail\n")
	if _, err := os.Lstat(h.path("new.txt")); !os.IsNotExist(err) {
		t.Errorf("a new file stays: %v", err)
	}
	h.ok("edit", args{"path": "a.txt", "old": "one", "new": "two"}) // it is known as it was
}

func TestAMarkForASecretIsNotWrittenOverTheSecret(t *testing.T) {
	h := newHouse(t)
	h.put("config", "key=real\nport=1\n")
	h.ok("read", args{"path": "config"})
	says(t, h.refused("REDACTED", "write", args{"path": "config", "content": "key=[redacted KEY]\nport=2\n"}), "stands for a secret")
	h.has("config", "key=real\nport=1\n")
	h.ok("edit", args{"path": "config", "old": "port=1", "new": "port=2"})
	h.has("config", "key=real\nport=2\n")
}
