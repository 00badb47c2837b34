package session_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

func TestAForkIsAPrefixThatGoesOn(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	id := recorded(t, dir, 200)
	lib := library(t, dir)
	parent := must(lib.Read(ctx, id))(t)
	events := all(t, parent, 1)
	for _, at := range []int64{1, 5, 17, 60, 100, 143, parent.Seq()} {
		fork := must(lib.Fork(ctx, id, at))(t)
		shared := all(t, fork, 1)[:at]
		if diff := cmp.Diff(events[:at], shared); diff != "" {
			t.Errorf("fork at %d: shared history (-parent +fork)\n%s", at, diff)
		}
		first := must(fork.Event(ctx, at+1))(t)
		if !session.Forked.Of(first) {
			t.Errorf("fork at %d: event %d is %s", at, at+1, first.Type)
		}
		then := must(parent.SurfaceAt(at))(t)
		if diff := cmp.Diff(then, fork.Surface()[:len(then)]); diff != "" {
			t.Errorf("fork at %d: surface (-parent then +fork)\n%s", at, diff)
		}
		if lineage := fork.Header().Lineage; len(lineage) != 1 || lineage[0].Parent != id || lineage[0].Seq != at || lineage[0].Hash != events[at-1].Hash {
			t.Errorf("lineage = %+v", lineage)
		}
		if h := fork.Header(); h.Folder != "/work/project" || h.ID != fork.ID() || fork.ID() == id {
			t.Errorf("header = %+v", h)
		}
		must(fork.Append(ctx, session.UserMessage.New(900, 0, said("x", "another way"))))(t)
		before := folded(t, fork)
		if err := fork.Close(ctx); err != nil {
			t.Fatal(err)
		}
		for _, without := range []string{"", "checkpoint.json"} {
			if without != "" {
				if err := os.Remove(filepath.Join(dir, string(fork.ID()), without)); err != nil {
					t.Fatal(err)
				}
			}
			again := must(lib.Open(ctx, fork.ID()))(t)
			if diff := cmp.Diff(before, folded(t, again)); diff != "" {
				t.Errorf("fork at %d reopened without %q (-before +after)\n%s", at, without, diff)
			}
			if err := again.Close(ctx); err != nil {
				t.Fatal(err)
			}
		}
		report := must(lib.Verify(ctx, fork.ID()))(t)
		if !report.Valid() {
			t.Errorf("fork at %d does not verify: %v", at, report.Problems)
		}
	}
	if _, err := lib.Fork(ctx, id, parent.Seq()+1); !fault.Is(err, fault.Invalid) {
		t.Errorf("a fork beyond the end: %v, want invalid", err)
	}
}

// folded is everything that is worked out of a log.
func folded(t testing.TB, l *session.Log) map[string]any {
	t.Helper()
	c := l.Cut()
	return map[string]any{"mark": c.Mark, "header": c.Header, "views": c.Views, "surface": l.Surface()}
}

func TestWhatWasOpenAtAForkIsSettledInTheForkAlone(t *testing.T) {
	ctx := t.Context()
	lib := library(t, t.TempDir())
	parent := must(lib.Create(ctx, session.CreatedData{}))(t)
	must(parent.Append(ctx,
		session.TurnStart.New(1, 0, session.TurnStartData{Mode: "manual"}), session.StepStart.New(1, 1, struct{}{}),
		session.AssistantMessage.New(1, 1, session.AssistantMessageData{ID: "r", Calls: []llm.Call{{ID: "k", Name: "shell"}}}),
		session.ToolCall.New(1, 1, session.ToolCallData{Call: "c1", ModelID: "k", Caller: "model", Tool: "shell"}),
		session.ToolStarted.New(1, 1, session.ToolStartedData{Call: "c1"})))(t)
	fork := must(lib.Fork(ctx, parent.ID(), 0))(t)
	var kinds []string
	for _, e := range all(t, fork, parent.Seq()+1) {
		kinds = append(kinds, e.Type)
	}
	if diff := cmp.Diff([]string{"session/forked", "tool/result", "step/end", "turn/end", "session/recovered"}, kinds); diff != "" {
		t.Errorf("the fork's own events (-want +got)\n%s", diff)
	}
	if got := parent.Seq(); got != 6 {
		t.Errorf("the parent has %d events, want its own 6", got)
	}
}

func TestDeletingAParentLeavesItsForksWhole(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	parent := must(lib.Create(ctx, session.CreatedData{Folder: "/w"}))(t)
	c := converse(t, parent)
	c.big = 300 // many payloads beside the log
	c.events(80)
	picture := must(parent.PutBlob(ctx, []byte("a picture")))(t)
	c.append(session.UserMessage.New(99, 0, session.UserMessageData{ID: "p", Content: []llm.Part{{MIME: "image/png", Blob: picture.SHA256}}}))
	fork := must(lib.Fork(ctx, parent.ID(), 0))(t)
	c.events(parent.Seq() + 20)
	secret := must(parent.PutBlob(ctx, []byte("only in the parent")))(t)
	grandchild := must(lib.Fork(ctx, fork.ID(), 0))(t)
	events, surface := all(t, fork, 1), fork.Surface()
	inherited := all(t, grandchild, 1)
	if err := grandchild.Close(ctx); err != nil {
		t.Fatal(err)
	}

	if err := lib.Delete(ctx, parent.ID()); !fault.Is(err, fault.Conflict) {
		t.Fatalf("deleting an open session: %v, want conflict", err)
	}
	if err := parent.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := lib.Delete(ctx, parent.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Read(ctx, parent.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("the parent: %v, want not found", err)
	}
	check := func(l *session.Log, events []session.Event, surface []session.Entry) {
		t.Helper()
		if diff := cmp.Diff(events, all(t, l, 1)[:len(events)]); diff != "" {
			t.Errorf("events (-before +after)\n%s", diff)
		}
		if diff := cmp.Diff(surface, l.Surface()); diff != "" {
			t.Errorf("surface (-before +after)\n%s", diff)
		}
		if b := must(l.Blob(picture.SHA256))(t); string(b) != "a picture" {
			t.Errorf("the picture is %q", b)
		}
		if _, err := l.Blob(secret.SHA256); !fault.Is(err, fault.NotFound) {
			t.Errorf("content that was never shared: %v, want not found", err)
		}
		if report := must(lib.Verify(ctx, l.ID()))(t); !report.Valid() {
			t.Errorf("does not verify: %v", report.Problems)
		}
	}
	// The fork that was open all the time, the same opened again, and its own fork.
	if diff := cmp.Diff(events, all(t, fork, 1)); diff != "" {
		t.Errorf("the open fork (-before +after)\n%s", diff)
	}
	if err := fork.Close(ctx); err != nil {
		t.Fatal(err)
	}
	check(must(lib.Open(ctx, fork.ID()))(t), events, surface)
	check(must(lib.Open(ctx, grandchild.ID()))(t), inherited, surface)
	if err := os.Remove(filepath.Join(dir, string(fork.ID()), "checkpoint.json")); err != nil {
		t.Fatal(err)
	}
	check(must(library(t, dir).Read(ctx, fork.ID()))(t), events, surface)
}

func TestAForkWhoseParentVanishedStillOpens(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	id := recorded(t, dir, 60)
	lib := library(t, dir)
	fork := must(lib.Fork(ctx, id, 0))(t)
	own := must(fork.Append(ctx, session.UserMessage.New(9, 0, said("x", "mine"))))(t)
	if err := fork.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, string(id))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, string(fork.ID()), "checkpoint.json")); err != nil {
		t.Fatal(err)
	}
	again := must(lib.Open(ctx, fork.ID()))(t)
	if got := must(again.Event(ctx, own[0].Seq))(t); !got.Equal(own[0]) {
		t.Errorf("the fork's own message = %+v", got)
	}
	found := incidents(t, all(t, again, 1))
	if len(found) != 1 || found[0].What != session.FoundHistory {
		t.Errorf("incidents = %+v, want that the shared history is gone", found)
	}
	next := must(again.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "goes on"})))(t)
	if next[0].Seq <= own[0].Seq {
		t.Errorf("numbers start again at %d", next[0].Seq)
	}
}

func TestVerifyNamesWhatWasDone(t *testing.T) {
	dir := t.TempDir()
	c := inMemory(t, dir, recorded(t, dir, 60))
	parts := c.checkpoint(t, len(c.log))
	line := func(seq int) []byte { return c.log[c.ends[seq-2]:c.ends[seq-1]] }
	from := func(seq int) []byte { return c.log[c.ends[seq-2]:] }
	upTo := func(seq int) []byte { return c.log[:c.ends[seq-1]] }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	type named struct {
		What string
		Seq  int64
	}
	last := int64(len(c.events))
	rewritten := rechain(t, c.id, bytes.Replace(c.log, []byte(`"manual"`), []byte(`"bypass"`), 1))
	cases := []struct {
		name string
		log  []byte
		want []named
	}{
		{"nothing", c.log, nil},
		{"a changed payload", join(upTo(29), bytes.Replace(line(30), []byte(`"data":{`), []byte(`"data":{"x":1,`), 1), from(31)), []named{{session.FoundChanged, 30}}},
		{"a changed hash", join(upTo(29), bytes.Replace(line(30), []byte(`"h":"`+c.events[29].Hash[:1]), []byte(`"h":"g`), 1), from(31)), []named{{session.FoundChanged, 30}}},
		{"a dropped event", join(upTo(29), from(31)), []named{{session.FoundGap, 30}}},
		{"several dropped events", join(upTo(29), from(41)), []named{{session.FoundGap, 30}}},
		{"two events exchanged", join(upTo(29), line(31), line(30), from(32)), []named{{session.FoundGap, 30}, {session.FoundOrder, 30}}},
		{"an event said twice", join(upTo(30), line(30), from(31)), []named{{session.FoundRepeated, 30}}},
		{"an event put in", join(upTo(30), bytes.Replace(line(30), []byte(`{"seq":30,`), []byte(`{"seq":31,`), 1), from(31)), []named{{session.FoundChanged, 31}, {session.FoundOrder, 31}}},
		{"a line that is no event", join(upTo(29), []byte("junk\n"), from(31)), []named{{session.FoundHole, 30}}},
		{"the last events cut off", upTo(len(c.events) - 4), []named{{session.FoundShorter, last - 3}}},
		{"the last newline cut off", c.log[:len(c.log)-1], []named{{session.FoundTail, last}}},
		{"everything written anew", rewritten, []named{{session.FoundChanged, last}}},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			c.Put(c.id, k.log, parts)
			report := must(c.lib.Verify(t.Context(), c.id))(t)
			var got []named
			for _, p := range report.Problems {
				got = append(got, named{p.What, p.Seq})
				if !strings.HasPrefix(p.Text, "seq ") {
					t.Errorf("text = %q", p.Text)
				}
			}
			if diff := cmp.Diff(k.want, got); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
		})
	}
	t.Run("a shorter tail is noticed by a copy of the mark alone", func(t *testing.T) {
		c.Put(c.id, upTo(40), nil)
		if report := must(c.lib.Verify(t.Context(), c.id))(t); !report.Valid() {
			t.Errorf("without a mark: %v", report.Problems)
		}
		report := must(c.lib.Verify(t.Context(), c.id, session.Mark{Seq: last, Hash: c.events[last-1].Hash}))(t)
		if len(report.Problems) != 1 || report.Problems[0].Seq != 41 {
			t.Errorf("problems = %v, want that 41 and more are gone", report.Problems)
		}
	})
}

func TestVerifyLooksAtWhatStandsBesideTheLog(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	e := must(log.Append(ctx, session.UserMessage.New(1, 0, said("m", strings.Repeat("long ", 10000)))))(t)[0]
	spill := must(log.PutBlob(ctx, []byte("all of a result")))(t)
	must(log.Append(ctx, session.ToolResult.New(1, 1, session.ToolResultData{Call: "c", Spill: &spill})))(t)
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if e.Blob == nil {
		t.Fatal("a payload of 50 KB stands in the line")
	}
	blob := func(sha string) string { return filepath.Join(dir, string(log.ID()), "blobs", sha) }
	if report := must(lib.Verify(ctx, log.ID()))(t); !report.Valid() {
		t.Errorf("untouched: %v", report.Problems)
	}
	if err := os.WriteFile(blob(spill.SHA256), []byte("something else!"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(blob(e.Blob.SHA256)); err != nil {
		t.Fatal(err)
	}
	report := must(lib.Verify(ctx, log.ID()))(t)
	var seqs []int64
	for _, p := range report.Problems {
		if p.What == session.FoundBlobMissing {
			seqs = append(seqs, p.Seq)
		}
	}
	if diff := cmp.Diff([]int64{2, 3}, seqs); diff != "" {
		t.Errorf("events whose content is not what it was (-want +got)\n%s: %v", diff, report.Problems)
	}
	// Opening is possible all the same.
	again := must(lib.Open(ctx, log.ID()))(t)
	if n := len(again.Surface()); n != 1 {
		t.Errorf("%d messages on the surface, want the result alone", n)
	}
}

func TestRepairMakesAValidLogOfEverythingThatCanBeRead(t *testing.T) {
	from := t.TempDir()
	id := recorded(t, from, 60)
	whole := bytesOf(t, logFile(from, id))
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	lines = lines[:len(lines)-1]
	cases := []struct {
		name string
		log  [][]byte
		lost []int64
	}{
		{"a hole", replaced(lines, 30, 31, "junk\n"), []int64{31}},
		{"NUL bytes over several events", replaced(lines, 30, 34, strings.Repeat("\x00", 900)+"\n"), []int64{31, 32, 33, 34}},
		{"a gap", replaced(lines, 30, 40), []int64{31, 32, 33, 34, 35, 36, 37, 38, 39, 40}},
		{"a changed event", replaced(lines, 30, 31, strings.Replace(string(lines[30]), `"data":{`, `"data":{"x":1,`, 1)), nil},
		{"an event that stands twice", replaced(lines, 30, 30, string(lines[29])), nil},
		{"junk between events", replaced(lines, 30, 30, "junk\n"), nil},
		{"a torn tail", replaced(lines, len(lines), len(lines), `{"seq":61,"at`), nil},
		{"the first event lost", replaced(lines, 0, 1, "{\"seq\":broken\n"), []int64{1}},
		{"a changed event of no known kind", replaced(lines, 30, 31, strings.Replace(string(lines[30]), `"type":"`, `"type":"x`, 1)), []int64{31}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			dir := copied(t, from, id, bytes.Join(c.log, nil), "checkpoint.json")
			lib := library(t, dir)
			report := must(lib.Repair(ctx, id))(t)
			if kept := bytesOf(t, filepath.Join(dir, string(id), report.Kept)); !bytes.Equal(kept, bytes.Join(c.log, nil)) {
				t.Error("the old log was not kept as it was")
			}
			if check := must(lib.Verify(ctx, id))(t); !check.Valid() {
				t.Errorf("the repaired log does not verify: %v", check.Problems)
			}
			l := must(lib.Open(ctx, id))(t)
			got := map[int64]session.Event{}
			for _, e := range all(t, l, 1) {
				got[e.Seq] = e
			}
			for _, e := range all(t, must(library(t, from).Read(ctx, id))(t), 1) {
				missing := false
				for _, n := range c.lost {
					missing = missing || n == e.Seq
				}
				if g := got[e.Seq]; !missing && g.Type != e.Type {
					t.Errorf("event %d is %s, want %s", e.Seq, g.Type, e.Type)
				}
			}
			if l.Header().Folder != "/work/project" && c.name != "the first event lost" {
				t.Errorf("header = %+v", l.Header())
			}
			if len(incidents(t, all(t, l, 1))) == 0 && c.name != "the first event lost" {
				t.Error("the repair is not told in the log")
			}
			survivesRestart(t, dir, l)
			if again := must(library(t, dir).Repair(ctx, id)); again(t).Kept != "" {
				t.Error("a repaired log is repaired again")
			}
		})
	}
}

// replaced exchanges lines from..to by others.
func replaced(lines [][]byte, from, to int, by ...string) [][]byte {
	out := append([][]byte(nil), lines[:from]...)
	for _, s := range by {
		out = append(out, []byte(s))
	}
	return append(out, lines[to:]...)
}

func TestARepairTellsWhatALogThatIsTooShortHasLost(t *testing.T) {
	ctx := t.Context()
	from := t.TempDir()
	id := recorded(t, from, 60)
	whole := bytesOf(t, logFile(from, id))
	short := bytes.Join(bytes.SplitAfter(whole, []byte{'\n'})[:50], nil)
	dir := copied(t, from, id, short) // its checkpoint knows better
	last := must(library(t, from).Read(ctx, id))(t).Seq()
	lib := library(t, dir)
	report := must(lib.Repair(ctx, id))(t)
	if report.Kept == "" {
		t.Fatal("nothing was repaired")
	}
	if check := must(lib.Verify(ctx, id))(t); !check.Valid() {
		t.Errorf("the repaired log does not verify: %v", check.Problems)
	}
	found := incidents(t, all(t, must(lib.Read(ctx, id))(t), 1))
	if len(found) != 1 || found[0].What != session.FoundShorter || found[0].Lost == nil || *found[0].Lost != (session.Span{From: 51, To: last}) {
		t.Errorf("incidents = %+v, want that the events 51 to %d are gone", found, last)
	}
}
