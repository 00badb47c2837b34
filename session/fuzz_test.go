package session_test

import (
	"bytes"
	"testing"

	"fairlead/fault"
	"fairlead/session"
)

// FuzzLog feeds anything as a log. It is refused as not ours, or it opens, takes an
// event, and has it after a restart; a repair then makes it valid.
func FuzzLog(f *testing.F) {
	dir := f.TempDir()
	c := inMemory(f, dir, recorded(f, dir, 40, func(c *conversation) { c.terse = true }))
	f.Add(c.log)
	f.Add(c.log[:len(c.log)/2])
	f.Add(bytes.Replace(c.log, []byte(`"seq":9`), []byte(`"seq":7`), 1))
	f.Add(bytes.Replace(c.log, []byte("\n"), []byte("\x00\x00"), 3))
	f.Add(append(c.log[:c.ends[3]:c.ends[3]], c.log[c.ends[1]:c.ends[9]]...))
	f.Add([]byte(`{"seq":1,"at":1,"type":"session/created","data":{},"h":"00000000000000000000000000000000"}` + "\n"))
	f.Add([]byte(`{"seq":999999999999999999,"at":1,"type":"note","ignorable":true,"h":"x"}` + "\n"))
	f.Fuzz(func(t *testing.T, log []byte) { goesOn(t, c, log) })
}

func goesOn(t *testing.T, c *copyOf, log []byte) {
	ctx := t.Context()
	c.Put(c.id, log, nil)
	l, err := c.lib.Open(ctx, c.id)
	if err != nil {
		if code := fault.CodeOf(err); code != session.CodeForeign && code != session.CodeNewer {
			t.Fatalf("refused with %v", err)
		}
		return
	}
	next := must(l.Append(ctx, note(1)))(t)
	if err := l.Close(ctx); err != nil {
		t.Fatal(err)
	}
	l = must(c.lib.Open(ctx, c.id))(t)
	seen := 0
	for e, err := range l.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Equal(next[0]) {
			seen++
		}
	}
	if seen != 1 {
		t.Fatalf("the event appended to a damaged log is there %d times", seen)
	}
	if err := l.Close(ctx); err != nil {
		t.Fatal(err)
	}
	must(c.lib.Repair(ctx, c.id))(t)
	if report := must(c.lib.Verify(ctx, c.id))(t); !report.Valid() {
		t.Fatalf("after a repair: %v", report.Problems)
	}
}
