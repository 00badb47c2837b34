package session_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"fairlead/fault"
	"fairlead/session"
)

// FuzzLog feeds anything as a log to a reader. It is refused as not ours, or every
// event that can be made out is read, and verify looks at all of it.
func FuzzLog(f *testing.F) {
	dir := f.TempDir()
	c := inMemory(f, dir, recorded(f, dir, 10, func(c *conversation) { c.terse = true }))
	// Every process of the fuzzer must know the same session.
	const id session.ID = "01890000-0000-7000-8000-000000000001"
	c.log = rechain(f, id, bytes.ReplaceAll(c.log[:c.ends[7]], []byte(c.id), []byte(id)))
	c.id = id
	f.Add(c.log)
	f.Add(c.log[:len(c.log)/2])
	f.Add(bytes.Replace(c.log, []byte(`"seq":4`), []byte(`"seq":3`), 1))
	f.Add(bytes.Replace(c.log, []byte("\n"), []byte("\x00\x00"), 3))
	f.Add(append(c.log[:c.ends[3]:c.ends[3]], c.log[c.ends[1]:c.ends[5]]...))
	f.Add([]byte(`{"seq":1,"at":1,"type":"session/created","data":{},"h":"00000000000000000000000000000000"}` + "\n"))
	f.Add([]byte(`{"seq":999999999999999999,"at":1,"type":"note","ignorable":true,"h":"x"}` + "\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		c.Put(c.id, log, nil)
		l, err := c.lib.Read(t.Context(), c.id)
		if err != nil {
			refusedRightly(t, err)
			return
		}
		n := int64(len(all(t, l, 1)))
		if n > 0 && l.Seq() == 0 {
			t.Errorf("%d events are read of a log that counts none", n)
		}
		l.Surface()
		must(c.lib.Verify(t.Context(), c.id))(t)
	})
}

func refusedRightly(t *testing.T, err error) {
	t.Helper()
	if code := fault.CodeOf(err); code != session.CodeForeign && code != session.CodeNewer {
		t.Fatalf("refused with %v", err)
	}
}

// goesOn opens a log that may be anything: it is refused as not ours, or it takes an
// event and has it after a restart, and a repair then makes it valid.
func goesOn(t *testing.T, c *copyOf, log []byte) {
	t.Helper()
	ctx := t.Context()
	c.Put(c.id, log, nil)
	l, err := c.lib.Open(ctx, c.id)
	if err != nil {
		refusedRightly(t, err)
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

func TestALogDamagedInAnyWayGoesOnAndCanBeRepaired(t *testing.T) {
	dir := t.TempDir()
	c := inMemory(t, dir, recorded(t, dir, 40, func(c *conversation) { c.terse = true }))
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		log := slices.Clone(c.log)
		for range 1 + r.IntN(8) {
			log = damaged(r, log)
		}
		goesOn(t, c, log)
		if t.Failed() {
			t.Logf("the log was\n%q", log)
			return
		}
	}
}

// damaged does one of the things that befall files.
func damaged(r *rand.Rand, log []byte) []byte {
	if len(log) == 0 {
		return []byte("x")
	}
	i := r.IntN(len(log))
	switch r.IntN(6) {
	case 0:
		log[i] ^= byte(1 << r.IntN(8))
	case 1:
		return slices.Delete(log, i, min(i+r.IntN(200), len(log)))
	case 2:
		j := r.IntN(len(log))
		return slices.Insert(log, i, slices.Clone(log[j:min(j+r.IntN(400), len(log))])...)
	case 3:
		log[i] = '\n'
	case 4:
		copy(log[i:], make([]byte, r.IntN(100)))
	case 5:
		for j := i; j < min(len(log), i+3); j++ {
			log[j] = '0' + byte(r.IntN(10))
		}
	}
	return log
}
