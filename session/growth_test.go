package session_test

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"testing"

	"fairlead/fault"
	"fairlead/session"
)

func TestALongSessionTakesNoMoreMemoryAndNoMoreBytesAStepThanAShortOne(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	c := converse(t, log)
	c.keep, c.big = 4, 0
	measure := func() (heap, bytes int64) {
		for i := range 2 { // the second barrier gives a burst's room back
			must(log.Append(ctx, note(i)))(t)
			if err := log.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc), must(os.Stat(logFile(dir, log.ID())))(t).Size()
	}
	turns := func(n int) (heap, bytes int64) {
		_, before := measure()
		for range n {
			c.run(4)
		}
		heap, after := measure()
		return heap, after - before
	}
	turns(40)
	early, earlyBytes := turns(100)
	turns(700)
	late, lateBytes := turns(100)
	if grown := late - early; grown > 2<<20 {
		t.Errorf("the heap grew by %d KB over 800 turns", grown>>10)
	}
	if lateBytes > earlyBytes*103/100 {
		t.Errorf("100 turns took %d bytes of log, 100 later ones %d", earlyBytes, lateBytes)
	}
}

// unreadable is a store whose logs cannot be read while broken.
type unreadable struct {
	session.Store
	broken bool
}

type unreadableWriter struct {
	session.Writer
	s *unreadable
}

func (s *unreadable) Acquire(ctx context.Context, id session.ID) (session.Writer, error) {
	w, err := s.Store.Acquire(ctx, id)
	return unreadableWriter{w, s}, err
}

func (w unreadableWriter) ReadAt(p []byte, off int64) (int, error) {
	if w.s.broken {
		return 0, syscall.EIO
	}
	return w.Writer.ReadAt(p, off)
}

func TestNothingIsSentOfASurfaceThatCouldNotBeRead(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	id := recorded(t, dir, 60)
	disk := &unreadable{}
	lib := library(t, dir, func(o *session.Options) {
		disk.Store = o.Store
		o.Store = disk
	})
	log := must(lib.Open(ctx, id))(t)
	disk.broken = true
	if got := log.Surface(); len(got) != 0 {
		t.Errorf("%d messages were read of a broken disk", len(got))
	}
	if err := log.Flush(ctx); !fault.Is(err, fault.Unavailable) || fault.CodeOf(err) != session.CodeDiskError {
		t.Errorf("the barrier before a request: %v, want code %s", err, session.CodeDiskError)
	}
	disk.broken = false
	if got := log.Surface(); len(got) == 0 {
		t.Error("nothing was read of a disk that works again")
	}
	if err := log.Flush(ctx); err != nil {
		t.Errorf("the barrier after that: %v", err)
	}
}
