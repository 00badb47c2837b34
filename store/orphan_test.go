//go:build unix

package store

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"

	"fairlead/session"
)

// A process that is killed while it starts a child leaves its locks to the child for
// the moment until that becomes another program.
func TestALockThatADeadHolderLeftToItsChildIsWaitedFor(t *testing.T) {
	ctx := t.Context()
	s := New(Options{Dir: t.TempDir()})
	id := session.NewID()
	w, err := s.Create(ctx, id)
	ok(t, err)
	ok(t, w.Append([]byte("one\n")))
	ok(t, w.Sync(ctx))
	ok(t, w.Close())
	path := filepath.Join(s.dir, string(id), lockName)
	const nobody = 1 << 30 // no system gives so high a number to a process
	ok(t, os.WriteFile(path, fmt.Appendf(nil, `{"pid":%d,"generation":1}`, nobody), 0o600))
	child, err := os.Open(path)
	ok(t, err)
	ok(t, syscall.Flock(int(child.Fd()), syscall.LOCK_EX))

	synctest.Test(t, func(t *testing.T) {
		var taken session.Writer
		var refused error
		done := make(chan struct{})
		go func() {
			defer close(done)
			taken, refused = s.Acquire(ctx, id)
		}()
		synctest.Wait() // it waits, or has given up
		ok(t, child.Close())
		<-done
		if refused != nil {
			t.Fatalf("acquire: %v", refused)
		}
		ok(t, taken.Close())
	})
}
