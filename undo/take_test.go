package undo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/undo"
)

func TestATurnIsTakenBackWholeAndBroughtBack(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\ntwo\nthree\n")
	h.put("old.sh", "#!/bin/sh\n")
	h.put("gone.txt", "was here\n")
	if err := os.Chmod(h.path("old.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.edit("a.txt", "two", "2")
	h.edit("a.txt", "three", "3")
	h.run("write", args{"path": "deep/new.txt", "content": "new\n"})
	for _, name := range []string{"old.sh", "gone.txt"} {
		h.run("read", args{"path": name})
	}
	h.run("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: old.sh\n*** Move to: moved.sh\n@@\n-#!/bin/sh\n+#!/bin/bash\n*** Delete File: gone.txt\n*** End Patch"})
	h.gone("old.sh")

	want := map[string]string{"a.txt": "restored", "deep/new.txt": "deleted", "old.sh": "made", "moved.sh": "deleted", "gone.txt": "made"}
	if diff := cmp.Diff(want, h.take(undo.Wish{})); diff != "" {
		t.Error(diff)
	}
	h.has("a.txt", "one\ntwo\nthree\n")
	h.has("old.sh", "#!/bin/sh\n")
	h.has("gone.txt", "was here\n")
	h.gone("deep/new.txt")
	h.gone("moved.sh")
	if about, err := os.Stat(h.path("old.sh")); err != nil || about.Mode().Perm() != 0o755 {
		t.Errorf("old.sh came back as %v, %v", about.Mode(), err)
	}
	h.refused(undo.Wish{}, fault.NotFound, "no changes of files that could be taken back")
	h.refused(undo.Wish{Turn: 1}, fault.Conflict, "taken back already")

	want = map[string]string{"a.txt": "restored", "deep/new.txt": "made", "old.sh": "deleted", "moved.sh": "made", "gone.txt": "deleted"}
	if diff := cmp.Diff(want, h.take(undo.Wish{Redo: true})); diff != "" {
		t.Error(diff)
	}
	h.has("a.txt", "one\n2\n3\n")
	h.has("moved.sh", "#!/bin/bash\n")
	h.has("deep/new.txt", "new\n")
	h.gone("gone.txt")
	if about, err := os.Stat(h.path("moved.sh")); err != nil || about.Mode().Perm() != 0o755 {
		t.Errorf("moved.sh came back as %v, %v", about.Mode(), err)
	}
	h.take(undo.Wish{Turn: 1}) // it stands again, so it can be taken back again
	h.has("a.txt", "one\ntwo\nthree\n")
}

func TestOneFileOfATurnIsTakenBackAlone(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "a\n")
	h.put("b.txt", "b\n")
	h.edit("a.txt", "a", "A")
	h.edit("b.txt", "b", "B")
	h.take(undo.Wish{Turn: 1, Files: []string{"a.txt"}})
	h.has("a.txt", "a\n")
	h.has("b.txt", "B\n")
	h.refused(undo.Wish{Turn: 1, Files: []string{"a.txt"}}, fault.Conflict, "taken back already")
	h.refused(undo.Wish{Turn: 1, Files: []string{"c.txt"}}, fault.NotFound, "c.txt is none of the files")
	h.take(undo.Wish{Turn: 1, Files: []string{h.path("b.txt")}})
	h.has("b.txt", "b\n")
}

func TestAnEarlierTurnIsTakenBackFromUnderALaterOne(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	h.edit("a.txt", "2\n", "two\n")
	h.turn = 2
	h.edit("a.txt", "8\n", "eight\nand a half\n")
	if got := h.take(undo.Wish{Turn: 1}); got["a.txt"] != "merged" {
		t.Error(got)
	}
	h.has("a.txt", "1\n2\n3\n4\n5\n6\n7\neight\nand a half\n9\n")
	h.refused(undo.Wish{Redo: true, Turn: 2}, fault.NotFound, "Nothing is taken back")
	h.take(undo.Wish{Redo: true, Turn: 1})
	h.has("a.txt", "1\ntwo\n3\n4\n5\n6\n7\neight\nand a half\n9\n")
	h.take(undo.Wish{}) // the last turn
	h.has("a.txt", "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n")
	h.take(undo.Wish{}) // the one before
	h.has("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
}

func TestWhatThePersonChangedMeanwhileIsKept(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	h.edit("a.txt", "2\n", "two\n")
	h.put("a.txt", "1\ntwo\n3\n4\n5\n6\n7\nmine\n9\n")
	h.edit("a.txt", "5\n", "five\n") // in the same turn, after the person
	h.put("a.txt", "0\n1\ntwo\n3\n4\nfive\n6\n7\nmine\n9\nmore\n")
	if got := h.take(undo.Wish{}); got["a.txt"] != "merged" {
		t.Error(got)
	}
	h.has("a.txt", "0\n1\n2\n3\n4\n5\n6\n7\nmine\n9\nmore\n")
}

func TestLinesInTheWayAreNamedAndNothingIsChanged(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	h.put("b.txt", "b\n")
	h.put("c.txt", "c\n")
	h.put("d.txt", "d\n")
	h.edit("a.txt", "3\n", "three\n")
	h.edit("a.txt", "7\n", "seven\n")
	h.edit("b.txt", "b", "B")
	h.edit("c.txt", "c", "C")
	h.run("write", args{"path": "new.txt", "content": "x\ny\n"})
	h.run("read", args{"path": "d.txt"})
	h.run("apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: d.txt\n*** End Patch"})

	mine := "0\n1\n2\nTHREE\nand more\n4\n5\n6\nseven\n8\n9\n"
	h.put("a.txt", mine)
	h.put("new.txt", "x\ny\nmy own line\n")
	h.put("d.txt", "another\n")
	if err := os.Remove(h.path("c.txt")); err != nil {
		t.Fatal(err)
	}
	got := h.refused(undo.Wish{}, fault.Conflict, "a.txt was changed since by somebody else: lines 4 to 5.", "c.txt was deleted since.", "There is a new d.txt", "new.txt was changed since by somebody else: line 3.", "Nothing was taken back. Take the other files back by name")
	want := []undo.Refusal{
		{Path: "d.txt", Why: undo.WhyBack, Text: "There is a new d.txt where the old one was deleted."},
		{Path: "new.txt", Why: undo.WhyChanged, Lines: []undo.Clash{{From: 3, To: 3}}, Text: "new.txt was changed since by somebody else: line 3."},
		{Path: "c.txt", Why: undo.WhyGone, Text: "c.txt was deleted since."},
		{Path: "a.txt", Why: undo.WhyChanged, Lines: []undo.Clash{{From: 4, To: 5}}, Text: "a.txt was changed since by somebody else: lines 4 to 5."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	h.has("a.txt", mine)
	h.has("b.txt", "B\n")
	h.has("new.txt", "x\ny\nmy own line\n")
	h.gone("c.txt")
	h.take(undo.Wish{Files: []string{"b.txt"}})
	h.has("b.txt", "b\n")
}

func TestWhatThePersonPutBackAlreadyIsFine(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "a\n")
	h.edit("a.txt", "a", "A")
	h.put("a.txt", "a\n")
	if got := h.take(undo.Wish{}); got["a.txt"] != "as-was" {
		t.Error(got)
	}
	h.refused(undo.Wish{Turn: 1}, fault.Conflict, "taken back already")
}

func TestEncodingsAndLineEndsComeBackByteForByte(t *testing.T) {
	for name, c := range map[string]struct{ before, mine, merged string }{
		"latin-1, crlf": {"caf\xe9\r\nword\r\n3\r\n4\r\nl\xe4st\r\n", "caf\xe9\r\nWORD\r\n3\r\n4\r\nl\xe4st\r\nm\xfcr\r\n", "caf\xe9\r\nword\r\n3\r\n4\r\nl\xe4st\r\nm\xfcr\r\n"},
		"utf-8 mark":    {"\xEF\xBB\xBFone\nword\n3\n4", "\xEF\xBB\xBFone\nWORD\n3\n4\n5", "\xEF\xBB\xBFone\nword\n3\n4\n5"},
		"utf-16":        {utf16("word\n3\n漢字\n"), utf16("WORD\n3\n漢字\n字\n"), utf16("word\n3\n漢字\n字\n")},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.put("f", c.before)
			h.edit("f", "word", "WORD")
			h.take(undo.Wish{})
			h.has("f", c.before)
			h.take(undo.Wish{Redo: true})
			h.put("f", c.mine)
			h.take(undo.Wish{})
			h.has("f", c.merged)
		})
	}
	h := newHouse(t)
	h.put("f", "caf\xe9 word\n")
	h.edit("f", "word", "WORD")
	h.put("f", "café WORD\n") // saved in another encoding
	h.refused(undo.Wish{}, fault.Conflict, "no text in which both changes could stand")
	h.has("f", "café WORD\n")
}

func utf16(s string) string {
	b := strings.Builder{}
	b.WriteString("\xFF\xFE")
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func TestALinkIsNotFollowedOutOfThePlaceThatWasChanged(t *testing.T) {
	h := newHouse(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.txt"), []byte("A\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.put("sub/a.txt", "a\n")
	h.put("b.txt", "b\n")
	h.edit("sub/a.txt", "a", "A")
	h.edit("b.txt", "b", "B")
	if err := os.Rename(h.path("sub"), h.path("kept")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, h.path("sub")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(h.path("b.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "a.txt"), h.path("b.txt")); err != nil {
		t.Fatal(err)
	}
	for _, r := range h.refused(undo.Wish{}, fault.Conflict, "Nothing was taken back") {
		if r.Why != undo.WhyClosed {
			t.Errorf("%+v", r)
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "a.txt")); err != nil || string(got) != "A\n" {
		t.Errorf("outside: %q, %v", got, err)
	}
}

func TestAFileThatMayNotBeWrittenStopsAllBeforeAnythingIsWritten(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "a\n")
	h.put("b.txt", "b\n")
	h.edit("a.txt", "a", "A")
	h.edit("b.txt", "b", "B")
	if err := os.Chmod(h.path("a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	h.refused(undo.Wish{}, fault.Conflict, "write-protected")
	h.has("b.txt", "B\n")
	if err := os.Link(h.path("b.txt"), h.path("hard")); err != nil {
		t.Fatal(err)
	}
	h.refused(undo.Wish{Files: []string{"b.txt"}}, fault.Conflict, "hard links")
}

func TestTheLedgerIsTheSameAfterARestartAndInAFork(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "a\n")
	h.edit("a.txt", "a", "A")
	h.take(undo.Wish{})
	h.take(undo.Wish{Redo: true})
	before, err := undo.List(h.log)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := h.lib.Fork(t.Context(), h.log.ID(), 0)
	if err != nil {
		t.Fatal(err)
	}
	id := h.log.ID()
	if err := h.log.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := undo.List(fork)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if _, err := undo.Take(t.Context(), fork, undo.Wish{}); err != nil {
		t.Error(err)
	}
	h.has("a.txt", "a\n")
	if err := fork.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if h.log, err = h.lib.Open(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if after, err = undo.List(h.log); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}

func TestAReviewShowsDifferencesAndWhatBecameOfThem(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "one\ntwo\n")
	h.edit("a.txt", "one", "1")
	h.edit("a.txt", "two", "2")
	h.run("write", args{"path": "new.txt", "content": "x\n"})
	h.put("new.txt", "y\n")
	d, err := undo.Review(h.log, "t1")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Path, Kind, Now, Unified string
		Added, Removed           int
	}
	var got []row
	for _, f := range d.Files {
		got = append(got, row{f.Path, f.Kind, f.Now, f.Unified, f.Added, f.Removed})
	}
	want := []row{
		{"a.txt", "changed", "as-left", "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n", 2, 2},
		{"new.txt", "new", "changed", "--- /dev/null\n+++ new.txt\n@@ -0,0 +1 @@\n+x\n", 1, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := undo.Review(h.log, "t9"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func TestTheModelMustReadAgainWhatWasTakenBack(t *testing.T) {
	h := newHouse(t)
	h.put("a.txt", "a\n")
	h.edit("a.txt", "a", "A")
	h.take(undo.Wish{})
	h.turn = 2
	h.edit("a.txt", "a", "again")
	h.has("a.txt", "again\n")
}
