package session_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/session"
)

// metered counts the bytes of logs that are read.
type metered struct {
	session.Store
	bytes atomic.Int64
}

type meteredReader struct {
	session.Reader
	m *metered
}

func (m *metered) Read(ctx context.Context, id session.ID) (session.Reader, error) {
	r, err := m.Store.Read(ctx, id)
	return meteredReader{r, m}, err
}

func (r meteredReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	r.m.bytes.Add(int64(n))
	return n, err
}

// TestLookingBackCostsWhatStandsBetweenTwoCheckpoints forks, and asks for surfaces and
// states, in the middle of sessions of different lengths.
func TestLookingBackCostsWhatStandsBetweenTwoCheckpoints(t *testing.T) {
	ctx := t.Context()
	read := map[int64]int64{}
	for _, n := range []int64{20_000, 60_000} {
		dir := t.TempDir()
		id := recorded(t, dir, n, func(c *conversation) { c.big = 0 })
		size := must(os.Stat(logFile(dir, id)))(t).Size()
		kept := must(filepath.Glob(filepath.Join(dir, string(id), "checkpoint-*.json")))(t)
		beside := int64(0)
		for _, path := range kept {
			beside += must(os.Stat(path))(t).Size()
		}
		if int64(len(kept)) < size>>20/2 || beside > size/8 {
			t.Errorf("%d events: %d checkpoints of %d bytes are kept for %d bytes of log", n, len(kept), beside, size)
		}
		disk := &metered{}
		lib := library(t, dir, func(o *session.Options) {
			disk.Store = o.Store
			o.Store = disk
		})
		fork := must(lib.Fork(ctx, id, n/2))(t)
		read[n] = disk.bytes.Load()
		if read[n] > 3<<20 {
			t.Errorf("a fork in the middle of %d events read %d KB", n, read[n]>>10)
		}
		log := must(lib.Read(ctx, id))(t)
		disk.bytes.Store(0)
		surface, state := must(log.SurfaceAt(n/2))(t), must(session.StateAt(ctx, log, counts, n/2))(t)
		if got := disk.bytes.Load(); got > 6<<20 {
			t.Errorf("the surface and a state in the middle of %d events read %d KB", n, got>>10)
		}

		// Without what is kept it is the same, read from the first event on.
		for _, path := range kept {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(must(log.SurfaceAt(n/2))(t), surface); diff != "" {
			t.Errorf("surface (-from the start +from a checkpoint)\n%s", diff)
		}
		if diff := cmp.Diff(must(session.StateAt(ctx, log, counts, n/2))(t), state); diff != "" {
			t.Errorf("state (-from the start +from a checkpoint)\n%s", diff)
		}
		whole := must(lib.Fork(ctx, id, n/2))(t)
		same := func(l *session.Log) map[string]any {
			meta := must(session.StateOf(l, session.Meta))(t)
			meta.Created, meta.At = 0, 0 // when the fork was made
			return map[string]any{"meta": meta, "counts": must(session.StateOf(l, counts))(t), "surface": l.Surface(), "seq": l.Seq()}
		}
		if diff := cmp.Diff(same(whole), same(fork)); diff != "" {
			t.Errorf("fork (-from the start +from a checkpoint)\n%s", diff)
		}
	}
}

// TestAKeptCheckpointOfAnotherHistoryIsNotUsed has a checkpoint that the log does not
// bear out.
func TestAKeptCheckpointOfAnotherHistoryIsNotUsed(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	id := recorded(t, dir, 8_000, func(c *conversation) { c.big = 0 })
	other := recorded(t, dir, 8_000, func(c *conversation) { c.big, c.terse = 0, true })
	kept := must(filepath.Glob(filepath.Join(dir, string(id), "checkpoint-*.json")))(t)
	if len(kept) == 0 {
		t.Fatal("nothing is kept")
	}
	lib := library(t, dir)
	log := must(lib.Read(ctx, id))(t)
	want := must(log.SurfaceAt(6_000))(t)
	foreign := bytesOf(t, filepath.Join(dir, string(other), "checkpoint.json"))
	for _, content := range [][]byte{foreign, []byte("{}"), []byte("\x00\x00"), nil} {
		for _, path := range kept {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, must(log.SurfaceAt(6_000))(t)); diff != "" {
			t.Errorf("with %.20q (-want +got)\n%s", content, diff)
		}
	}
}
