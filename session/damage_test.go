package session_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/session/storetest"
)

const sample = 300 // events in the log that is damaged

// incidents lists what events tell of damage.
func incidents(t testing.TB, events []session.Event) []session.IncidentData {
	t.Helper()
	var out []session.IncidentData
	for _, e := range events {
		if session.Incident.Of(e) {
			out = append(out, must(session.Incident.Decode(e))(t))
		}
	}
	return out
}

// survivesRestart appends a message, opens the session again and wants it there.
func survivesRestart(t testing.TB, dir string, l *session.Log) {
	t.Helper()
	ctx := context.Background()
	next := must(l.Append(ctx, session.UserMessage.New(999, 0, said("after", "goes on"))))(t)
	if err := l.Close(ctx); err != nil {
		t.Fatal(err)
	}
	again := session.NewLibrary(optionsFor(dir))
	l = must(again.Open(ctx, l.ID()))(t)
	got := must(l.Event(ctx, next[0].Seq))(t)
	if diff := cmp.Diff(next[0], got); diff != "" {
		t.Errorf("the message after the damage (-written +read)\n%s", diff)
	}
	if err := again.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

// copyOf is a session in memory whose log a test can exchange.
type copyOf struct {
	*storetest.Memory
	lib    *session.Library
	id     session.ID
	log    []byte
	events []session.Event
	// ends are the offsets behind each event.
	ends []int
}

func inMemory(t testing.TB, dir string, id session.ID) *copyOf {
	t.Helper()
	m := &storetest.Memory{}
	o := session.Options{Store: m, Version: "test"}
	withSummaries(&o)
	c := &copyOf{Memory: m, lib: session.NewLibrary(o), id: id, log: bytesOf(t, logFile(dir, id))}
	c.Put(id, c.log, nil)
	blobs := must(filepath.Glob(filepath.Join(dir, string(id), "blobs", "*")))(t)
	for _, path := range blobs {
		c.PutBlob(id, bytesOf(t, path))
	}
	c.events = all(t, must(c.lib.Read(context.Background(), id))(t), 1)
	for i, b := range c.log {
		if b == '\n' {
			c.ends = append(c.ends, i+1)
		}
	}
	return c
}

// checkpoint gives the checkpoint of a log cut at an offset where nothing is open.
func (c *copyOf) checkpoint(t testing.TB, end int) map[session.PartName][]byte {
	t.Helper()
	ctx := context.Background()
	c.Put(c.id, c.log[:end], nil)
	if err := must(c.lib.Open(ctx, c.id))(t).Close(ctx); err != nil {
		t.Fatal(err)
	}
	r := must(c.Read(ctx, c.id))(t)
	if size := must(r.Size())(t); size != int64(end) {
		t.Fatalf("opening the log cut at %d wrote %d bytes", end, size-int64(end))
	}
	p := must(r.Part(session.PartCheckpoint))(t)
	return map[session.PartName][]byte{session.PartCheckpoint: must(io.ReadAll(io.NewSectionReader(p, 0, p.Size())))(t)}
}

// reads looks at a log cut at an offset and wants every whole event before it, and
// damage seen where anything more is there.
func (c *copyOf) reads(t testing.TB, cut int, parts map[session.PartName][]byte) {
	t.Helper()
	c.Put(c.id, c.log[:cut], parts)
	l, err := c.lib.Read(t.Context(), c.id)
	if err != nil {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	_, torn := c.expect(t, l, cut)
	if seen := len(l.Damage()) > 0; seen != torn {
		t.Fatalf("cut at %d: damage seen %v, torn %v", cut, seen, torn)
	}
}

// expect compares the end of a log that was cut, and says whether the cut tore it.
func (c *copyOf) expect(t testing.TB, l *session.Log, cut int) (got []session.Event, torn bool) {
	t.Helper()
	whole := sort.SearchInts(c.ends, cut+1)
	torn = whole == 0 || c.ends[whole-1] != cut
	if whole < len(c.ends) && c.ends[whole] == cut+1 {
		whole, torn = whole+1, false // only the newline is missing: the record is whole
	}
	from := int64(max(whole-3, 1))
	got = all(t, l, from)
	want := c.events[from-1 : max(whole, int(from)-1)]
	if len(got) < len(want) {
		t.Fatalf("cut at %d: %d events from %d on, want %d", cut, len(got), from, len(want))
	}
	for i := range want {
		if !want[i].Equal(got[i]) {
			t.Fatalf("cut at %d: event %d is %+v, want %+v", cut, want[i].Seq, got[i], want[i])
		}
	}
	return got, torn
}

// opens opens a log cut at an offset and wants every whole event before it, an
// incident where anything was set aside, and a next event that is there after a
// restart.
func (c *copyOf) opens(t testing.TB, cut int, parts map[session.PartName][]byte) {
	t.Helper()
	ctx := t.Context()
	c.Put(c.id, c.log[:cut], parts)
	l, err := c.lib.Open(ctx, c.id)
	if err != nil {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	got, torn := c.expect(t, l, cut)
	if told := len(incidents(t, got)) > 0; told != torn {
		t.Fatalf("cut at %d: incident told %v, torn %v", cut, told, torn)
	}
	next := must(l.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "goes on"})))(t)
	if err := l.Close(ctx); err != nil {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	l = must(c.lib.Open(ctx, c.id))(t)
	if e, err := l.Event(ctx, next[0].Seq); err != nil || !e.Equal(next[0]) {
		t.Fatalf("cut at %d: after a restart the next event is %+v, %v", cut, e, err)
	}
	if err := l.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestALogCutAtAnyByteOpensWithEverythingBeforeTheCut(t *testing.T) {
	dir := t.TempDir()
	c := inMemory(t, dir, recorded(t, dir, sample, func(c *conversation) { c.terse = true }))
	parts := map[int]map[session.PartName][]byte{}
	for i, e := range c.events {
		if session.ActivityEnd.Of(e) {
			parts[c.ends[i]] = c.checkpoint(t, c.ends[i])
		}
	}
	var near map[session.PartName][]byte
	for cut := range c.log {
		if p := parts[cut]; p != nil {
			near = p
		}
		c.reads(t, cut, near)
		if cut < 2*c.ends[1] || cut%23 == 0 {
			c.opens(t, cut, near)
		}
		if cut < 2*c.ends[1] || cut%251 == 0 {
			c.opens(t, cut, nil)
		}
	}
}

func TestAFlippedByteIsNamedAndLosesAtMostItsOwnEvent(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	c := inMemory(t, dir, recorded(t, dir, sample))
	parts := c.checkpoint(t, len(c.log))
	for at := 0; at < len(c.log); at += 97 {
		damaged := slices.Clone(c.log)
		damaged[at] ^= 1
		hit := int64(sort.SearchInts(c.ends, at+1)) + 1

		c.Put(c.id, damaged, parts)
		report := must(c.lib.Verify(ctx, c.id))(t)
		if !slices.ContainsFunc(report.Problems, func(p session.Problem) bool { return p.Seq == hit }) {
			t.Errorf("byte %d is in event %d; verify names %v", at, hit, report.Problems)
		}
		if len(report.Problems) > 2 {
			t.Errorf("byte %d: one flip gives %d problems: %v", at, len(report.Problems), report.Problems)
		}

		c.Put(c.id, damaged, nil)
		l, err := c.lib.Open(ctx, c.id)
		if err != nil {
			t.Fatalf("byte %d (event %d): %v", at, hit, err)
		}
		got := all(t, l, 1)
		read := map[string]session.Event{}
		for _, e := range got {
			read[e.Hash] = e
		}
		newline := c.log[at] == '\n' // joins two lines
		for _, e := range c.events {
			if !read[e.Hash].Equal(e) && e.Seq != hit && !(newline && e.Seq == hit+1) {
				t.Errorf("byte %d is in event %d, but event %d (%s) is lost", at, hit, e.Seq, e.Type)
			}
		}
		if len(incidents(t, got)) == 0 {
			t.Errorf("byte %d (event %d): no incident", at, hit)
		}
		if err := l.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamageInTheMiddle(t *testing.T) {
	from := t.TempDir()
	id := recorded(t, from, 60)
	whole := bytesOf(t, logFile(from, id))
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	lines = lines[:len(lines)-1]
	join := func(parts ...[][]byte) []byte { return bytes.Join(slices.Concat(parts...), nil) }
	one := func(s string) [][]byte { return [][]byte{[]byte(s)} }
	cases := []struct {
		name string
		log  []byte
		// lost are the numbers of events that may be missing, what the incidents say.
		lost []int64
		what []string
	}{
		{"a torn last line", join(lines, one(`{"seq":61,"type":"mess`)), nil, []string{session.FoundTail}},
		{"a run of NUL bytes on a line of its own", join(lines[:20], one(strings.Repeat("\x00", 500)+"\n"), lines[20:]), nil, []string{session.FoundHole}},
		{"a run of NUL bytes before an event", join(lines[:20], one(strings.Repeat("\x00", 500)), lines[20:]), nil, []string{session.FoundHole}},
		{"NUL bytes in place of an event", join(lines[:20], one(strings.Repeat("\x00", len(lines[20]))), lines[21:]), []int64{21}, []string{session.FoundHole}},
		{"NUL bytes at the end", join(lines, one(strings.Repeat("\x00", 4096))), nil, []string{session.FoundTail}},
		{"a broken line", join(lines[:30], one(`{"type":"assistant","mes`+"\n"), lines[31:]), []int64{31}, []string{session.FoundHole}},
		{"a partial record followed by the full one", join(lines[:30], one(string(lines[30][:25])), lines[30:]), nil, []string{session.FoundHole}},
		{"a record that stands twice", join(lines[:30], lines[29:]), nil, []string{session.FoundRepeated}},
		{"a gap", join(lines[:30], lines[33:]), []int64{31, 32, 33}, []string{session.FoundGap}},
		{"a record written by another hand", join(lines[:30], one(strings.Replace(string(lines[30]), `,"at":1`, `, "at":1`, 1)), lines[31:]), nil, []string{session.FoundChanged}},
		{"a line of a megabyte", join(lines[:30], one(strings.Repeat("x", 3<<20)+"\n"), lines[31:]), []int64{31}, []string{session.FoundHole}},
		{"the first record damaged", join(one(strings.Replace(string(lines[0]), `"seq"`, `"sxq"`, 1)), lines[1:]), []int64{1}, []string{session.FoundHole}},
		{"two holes", join(lines[:10], one("junk\n"), lines[10:30], one("more junk\n"), lines[31:]), []int64{31}, []string{session.FoundHole, session.FoundHole}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			dir := copied(t, from, id, c.log, "checkpoint.json")
			want := all(t, must(library(t, from).Read(ctx, id))(t), 1)
			want = slices.DeleteFunc(want, func(e session.Event) bool { return slices.Contains(c.lost, e.Seq) })

			lib := library(t, dir)
			looked := must(lib.Read(ctx, id))(t)
			var found []string
			for _, d := range looked.Damage() {
				found = append(found, d.What)
			}
			if diff := cmp.Diff(c.what, found); diff != "" {
				t.Errorf("damage seen by a reader (-want +got)\n%s", diff)
			}
			if got := bytesOf(t, logFile(dir, id)); !bytes.Equal(got, c.log) {
				t.Error("reading changed the log")
			}
			if err := looked.Close(ctx); err != nil {
				t.Fatal(err)
			}

			l := must(lib.Open(ctx, id))(t)
			got := all(t, l, 1)
			if len(got) < len(want) {
				t.Fatalf("%d events, want %d", len(got), len(want))
			}
			for i, w := range want {
				if g := got[i]; g.Seq != w.Seq || g.Type != w.Type || !bytes.Equal(g.Data, w.Data) {
					t.Fatalf("event %d: got %d %s, want %d %s", i, g.Seq, g.Type, w.Seq, w.Type)
				}
			}
			var told []string
			for _, d := range incidents(t, all(t, l, 1)) {
				told = append(told, d.What)
				if d.Text == "" || d.What != session.FoundTail && d.Line == 0 {
					t.Errorf("an incident does not say where it is: %+v", d)
				}
			}
			if diff := cmp.Diff(c.what, told); diff != "" {
				t.Errorf("incidents (-want +got)\n%s", diff)
			}
			survivesRestart(t, dir, l)
			// Damage that was told is not told again.
			if err := os.Remove(filepath.Join(dir, string(id), "checkpoint.json")); err != nil {
				t.Fatal(err)
			}
			l = must(library(t, dir).Open(ctx, id))(t)
			if again := incidents(t, all(t, l, 1)); len(again) != len(c.what) {
				t.Errorf("after opening again there are %d incidents, want %d", len(again), len(c.what))
			}
		})
	}
}

func TestNumbersThatRunBackAreReadInTheOrderOfTheFile(t *testing.T) {
	ctx := t.Context()
	from := t.TempDir()
	id := recorded(t, from, 60)
	lines := bytes.SplitAfter(bytesOf(t, logFile(from, id)), []byte{'\n'})
	// Numbers go …40, 41, then 38, 39 with other content, then the rest.
	back := [][]byte{
		bytes.Replace(lines[44], []byte(`{"seq":45,`), []byte(`{"seq":38,`), 1),
		bytes.Replace(lines[45], []byte(`{"seq":46,`), []byte(`{"seq":39,`), 1),
	}
	damaged := bytes.Join(slices.Concat(lines[:41], back, lines[41:]), nil)
	dir := copied(t, from, id, damaged, "checkpoint.json")
	l := must(library(t, dir).Open(ctx, id))(t)
	var seqs []int64
	for _, e := range all(t, l, 36) {
		seqs = append(seqs, e.Seq)
	}
	if diff := cmp.Diff([]int64{36, 37, 38, 39, 40, 41, 38, 39, 42, 43}, seqs[:10]); diff != "" {
		t.Errorf("order (-want +got)\n%s", diff)
	}
	high := l.Seq()
	next := must(l.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "next"})))(t)
	if next[0].Seq != high+1 {
		t.Errorf("the next number is %d, want %d", next[0].Seq, high+1)
	}
	found := incidents(t, all(t, l, 1))
	if len(found) == 0 || found[0].What != session.FoundOrder || found[0].AfterSeq != 41 {
		t.Errorf("incidents = %+v, want the break after event 41", found)
	}
	survivesRestart(t, dir, l)
}

func TestWhatIsNoLogOfOursIsRefusedAndNotTouched(t *testing.T) {
	from := t.TempDir()
	id := recorded(t, from, 40)
	other := recorded(t, from, 40)
	theirs := bytesOf(t, logFile(from, other))
	newer := strings.Replace(string(theirs), `"format":1`, `"format":99`, 1)
	plant := func(content []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, string(id)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(logFile(dir, id), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := []struct {
		name  string
		plant func(t *testing.T, dir string)
		code  string
	}{
		{"a foreign text named log.jsonl", plant([]byte("hello\nworld\n")), session.CodeForeign},
		{"foreign lines of JSON", plant([]byte(`{"role":"user","content":"hi"}` + "\n")), session.CodeForeign},
		{"another session's log", plant(theirs), session.CodeForeign},
		{"a log of a newer format", plant(rechain(t, id, []byte(strings.ReplaceAll(newer, string(other), string(id))))), session.CodeNewer},
		{"a log that says it is of a newer format, whatever its hashes", plant([]byte(strings.ReplaceAll(newer, string(other), string(id)))), session.CodeNewer},
		{"nothing but the first line of one", plant([]byte(strings.SplitAfter(strings.ReplaceAll(newer, string(other), string(id)), "\n")[0])), session.CodeNewer},
		{"an unknown required event", plant(rechain(t, id, bytes.ReplaceAll(bytes.ReplaceAll(theirs, []byte(other), []byte(id)), []byte(`"turn/end"`), []byte(`"turn/fin"`)))), session.CodeNewer},
		{"a folder that is a link", func(t *testing.T, dir string) {
			if err := os.Symlink(filepath.Join(from, string(id)), filepath.Join(dir, string(id))); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"a log that is a link", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, string(id)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(logFile(from, id), logFile(dir, id)); err != nil {
				t.Fatal(err)
			}
		}, session.CodeForeign},
		{"a layout of another version", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, string(id)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, string(id), "log.v3.zst"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, session.CodeForeign},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			dir := t.TempDir()
			c.plant(t, dir)
			before := listing(t, dir)
			lib := library(t, dir)
			for verb, open := range map[string]func() error{
				"open":   func() error { _, err := lib.Open(ctx, id); return err },
				"read":   func() error { _, err := lib.Read(ctx, id); return err },
				"repair": func() error { _, err := lib.Repair(ctx, id); return err },
			} {
				err := open()
				if err == nil || fault.CodeOf(err) != c.code {
					t.Errorf("%s: %v, want code %q", verb, err, c.code)
				}
			}
			if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
				t.Errorf("something was touched (-before +after)\n%s", diff)
			}
		})
	}
	for _, id := range []session.ID{"../" + id, "..", "", id + "/..", session.ID(strings.ToUpper(string(id)))} {
		lib := library(t, from)
		if _, err := lib.Open(t.Context(), id); !fault.Is(err, fault.Invalid) {
			t.Errorf("open %q: %v, want invalid", id, err)
		}
		if err := lib.Delete(t.Context(), id); !fault.Is(err, fault.Invalid) {
			t.Errorf("delete %q: %v, want invalid", id, err)
		}
	}
}

// listing gives every file below a folder with its content.
func listing(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info := must(d.Info())(t)
		out[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			out[path] += string(bytesOf(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
