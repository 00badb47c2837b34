package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"fairlead/fault"
	"fairlead/session"
)

// disk is a file layer that can fail: room is how many more bytes it takes, and
// syncs fail while broken.
type disk struct {
	mu sync.Mutex
	// slow is held while syncs are to wait.
	slow   sync.RWMutex
	room   int
	broken error
	// lost are bytes that a failed sync drops, as Linux may.
	lose bool
}

type diskFile struct {
	file
	d *disk
	// synced is what is on the platter; the rest may be dropped.
	synced int64
}

func (d *disk) wrap(f file) file { return &diskFile{file: f, d: d} }

func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if len(p) <= f.d.room {
		f.d.room -= len(p)
		return f.file.WriteAt(p, off)
	}
	n, err := f.file.WriteAt(p[:f.d.room], off)
	f.d.room = 0
	return n, errors.Join(err, &os.PathError{Op: "write", Path: "log.jsonl", Err: syscall.ENOSPC})
}

func (f *diskFile) Datasync() error {
	f.d.slow.RLock()
	defer f.d.slow.RUnlock()
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.broken == nil {
		return f.file.Datasync()
	}
	if f.d.lose {
		// What was not synced is gone from the cache: the file holds zeros there.
		if of, ok := f.file.(osFile); ok {
			info, err := of.Stat()
			if err != nil {
				return err
			}
			if _, err := of.WriteAt(make([]byte, info.Size()-f.synced), f.synced); err != nil {
				return err
			}
		}
	}
	return f.d.broken
}

func (d *disk) set(room int, broken error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room, d.broken = room, broken
}

func failingStore(t *testing.T) (*Files, *disk) {
	d := &disk{room: 1 << 30}
	s := New(Options{Dir: t.TempDir()})
	s.wrap = d.wrap
	return s, d
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func onDisk(t *testing.T, s *Files, id session.ID) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, string(id), logName))
	ok(t, err)
	return string(b)
}

func TestAFullDiskRefusesNewWorkAndLosesNothing(t *testing.T) {
	ctx := t.Context()
	s, d := failingStore(t)
	id := session.NewID()
	w, err := s.Create(ctx, id)
	ok(t, err)
	ok(t, w.Append([]byte("one\n")))
	ok(t, w.Sync(ctx))

	d.set(2, nil)
	ok(t, w.Append([]byte("two\n"))) // taken in, not confirmed
	for range 2 {
		if err := w.Sync(ctx); !fault.Is(err, fault.Unavailable) || fault.CodeOf(err) != session.CodeDiskFull {
			t.Errorf("sync on a full disk: %v, want code %s", err, session.CodeDiskFull)
		}
	}
	if err := w.Append([]byte("three\n")); fault.CodeOf(err) != session.CodeDiskFull {
		t.Errorf("append on a full disk: %v, want code %s", err, session.CodeDiskFull)
	}
	if got := onDisk(t, s, id); got != "one\n" {
		t.Errorf("the file holds %q: a part of a line was left", got)
	}

	d.set(1<<20, nil)
	ok(t, w.Append([]byte("four\n")))
	ok(t, w.Sync(ctx))
	ok(t, w.Close())
	if got := onDisk(t, s, id); got != "one\ntwo\nfour\n" {
		t.Errorf("with room again: %q", got)
	}
}

func TestALargeAppendOnAFullDiskLeavesNothingBehind(t *testing.T) {
	ctx := t.Context()
	s, d := failingStore(t)
	id := session.NewID()
	w, err := s.Create(ctx, id)
	ok(t, err)
	ok(t, w.Append([]byte("one\n")))
	d.set(100, nil)
	large := make([]byte, 2*writeBytes)
	if err := w.Append(large); fault.CodeOf(err) != session.CodeDiskFull {
		t.Errorf("append: %v, want code %s", err, session.CodeDiskFull)
	}
	if size, err := w.Size(); size != 4 || err != nil {
		t.Errorf("size = %d, %v; want that of the first line", size, err)
	}
	d.set(1<<30, nil)
	ok(t, w.Sync(ctx))
	ok(t, w.Close())
	if got := onDisk(t, s, id); got != "one\n" {
		t.Errorf("log = %q", got)
	}
}

func TestWhatAFailedSyncMayHaveDroppedIsWrittenAgain(t *testing.T) {
	ctx := t.Context()
	s, d := failingStore(t)
	id := session.NewID()
	w, err := s.Create(ctx, id)
	ok(t, err)
	ok(t, w.Append([]byte("one\n")))
	d.lose = true
	d.set(1<<20, syscall.EIO)
	if err := w.Sync(ctx); !fault.Is(err, fault.Unavailable) || fault.CodeOf(err) != session.CodeDiskError {
		t.Errorf("sync on a broken disk: %v, want code %s", err, session.CodeDiskError)
	}
	if got := onDisk(t, s, id); got == "one\n" {
		t.Fatal("the disk dropped nothing; the test shows nothing")
	}
	d.set(1<<20, nil)
	ok(t, w.Append([]byte("two\n")))
	ok(t, w.Sync(ctx))
	ok(t, w.Close())
	if got := onDisk(t, s, id); got != "one\ntwo\n" {
		t.Errorf("after the disk came back: %q", got)
	}
}

func TestSessionsThatWaitTogetherShareTheWait(t *testing.T) {
	ctx := context.Background()
	s, d := failingStore(t)
	const sessions, waiters = 6, 10
	var writers []session.Writer
	for range sessions {
		w, err := s.Create(ctx, session.NewID())
		ok(t, err)
		ok(t, w.Append([]byte("first\n")))
		ok(t, w.Sync(ctx))
		writers = append(writers, w)
	}
	_, before := s.Syncs()
	syncsBefore, _ := s.Syncs()
	// Syncs are held up while everybody appends and waits: one round is under way,
	// all others share the next.
	d.slow.Lock()
	var wg, asked sync.WaitGroup
	for i, w := range writers {
		for n := range waiters {
			asked.Add(1)
			wg.Go(func() {
				if err := w.Append(fmt.Appendf(nil, "%d.%d\n", i, n)); err != nil {
					t.Error(err)
				}
				r := s.commit.join(w.(*writer))
				asked.Done()
				<-r.done
				if r.err != nil {
					t.Error(r.err)
				}
			})
		}
	}
	asked.Wait()
	d.slow.Unlock()
	wg.Wait()
	_, rounds := s.Syncs()
	syncs, _ := s.Syncs()
	if rounds-before > 2 {
		t.Errorf("%d waiters in %d sessions took %d rounds, want at most 2", sessions*waiters, sessions, rounds-before)
	}
	if syncs-syncsBefore > 2*sessions {
		t.Errorf("%d waiters in %d sessions took %d syncs, want at most one a session and round", sessions*waiters, sessions, syncs-syncsBefore)
	}
	for _, w := range writers {
		ok(t, w.Close())
	}
}

func TestASessionGoesOnAfterAFullDisk(t *testing.T) {
	ctx := t.Context()
	s, d := failingStore(t)
	lib := session.NewLibrary(session.Options{Store: s})
	log, err := lib.Create(ctx, session.CreatedData{})
	ok(t, err)
	say := func(text string) error {
		_, err := log.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: text}))
		if err != nil {
			return err
		}
		return log.Flush(ctx)
	}
	ok(t, say("before"))
	d.set(10, nil)
	if err := say("taken in, not confirmed"); fault.CodeOf(err) != session.CodeDiskFull {
		t.Errorf("flush: %v, want code %s", err, session.CodeDiskFull)
	}
	seq := log.Seq()
	if err := say("refused"); fault.CodeOf(err) != session.CodeDiskFull || log.Seq() != seq {
		t.Errorf("append: %v at event %d, want code %s and no event", err, log.Seq(), session.CodeDiskFull)
	}
	d.set(1<<20, nil)
	ok(t, say("after"))
	ok(t, log.Close(ctx))

	again, err := lib.Open(ctx, log.ID())
	ok(t, err)
	var texts []string
	for e, err := range again.Events(2) {
		ok(t, err)
		n, err := session.Note.Decode(e)
		ok(t, err)
		texts = append(texts, n.Text)
	}
	if got := fmt.Sprint(texts); got != "[before taken in, not confirmed after]" {
		t.Errorf("the log holds %s", got)
	}
	ok(t, again.Close(ctx))
	if report, err := lib.Verify(ctx, log.ID()); err != nil || !report.Valid() {
		t.Errorf("verify: %v, %v", report, err)
	}
}

func TestADamagedTailOnAFullDiskIsLeftAlone(t *testing.T) {
	ctx := t.Context()
	s, d := failingStore(t)
	lib := session.NewLibrary(session.Options{Store: s})
	log, err := lib.Create(ctx, session.CreatedData{})
	ok(t, err)
	ok(t, log.Close(ctx))
	path := filepath.Join(s.dir, string(log.ID()), logName)
	whole := onDisk(t, s, log.ID())
	ok(t, os.WriteFile(path, []byte(whole+`{"seq":2,"at":12`), 0o600))
	d.set(0, nil)
	if _, err := lib.Open(ctx, log.ID()); fault.CodeOf(err) != session.CodeDiskFull {
		t.Errorf("open: %v, want code %s", err, session.CodeDiskFull)
	}
	d.set(1<<20, nil)
	again, err := lib.Open(ctx, log.ID())
	ok(t, err)
	if seq := again.Seq(); seq != 2 {
		t.Errorf("the last event is %d, want the incident as event 2", seq)
	}
	ok(t, again.Close(ctx))
}
