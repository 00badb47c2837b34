package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"fairlead/fault"
	"fairlead/session"
)

// holder is what the lock file says of who writes a session.
type holder struct {
	PID int `json:"pid"`
	// Started tells a process apart from a later one with the same pid.
	Started string `json:"started,omitempty"`
	Host    string `json:"host,omitempty"`
	// Since is when it took the lock, in Unix milliseconds.
	Since int64 `json:"since"`
	// Generation counts the holders: a writer whose generation is not the last has
	// lost its lease.
	Generation int64 `json:"generation"`
}

// lease is the lock of one session, held.
type lease struct {
	id   session.ID
	root *os.Root
	f    *os.File
	info os.FileInfo
	me   holder
	// before is what the file held; used says that the lease wrote something.
	before []byte
	used   atomic.Bool
}

// lock takes the lock of a session. The system drops a dead process's own, so
// a lock that can be taken has no living holder.
func lock(id session.ID, root *os.Root) (*lease, error) {
	for range 10 {
		l, again, err := tryLock(id, root)
		if !again {
			return l, err
		}
	}
	return nil, fault.New(fault.Conflict, "store.lock", "The lock of session %s changes hands all the time. Nothing was changed; try again.", id).WithCode(session.CodeHeld)
}

// A child that a process was starting when it was killed has the process's files,
// and with them its locks, until it becomes another program a moment later.
const (
	orphanLimit = 2 * time.Second
	orphanPause = 5 * time.Millisecond
)

// flock is [tryFlock] that waits a moment where whoever the lock is said to belong
// to is dead.
func flock(f *os.File) (bool, error) {
	for begun := time.Now(); ; time.Sleep(orphanPause) {
		taken, err := tryFlock(f)
		if taken || err != nil {
			return taken, err
		}
		if h := parseHolder(readLock(f)); h.PID != 0 && alive(h) || time.Since(begun) > orphanLimit {
			return false, nil
		}
	}
}

func tryLock(id session.ID, root *os.Root) (l *lease, again bool, err error) {
	f, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, failed("store.lock", err)
	}
	defer func() {
		if l == nil {
			f.Close()
		}
	}()
	before := readLock(f)
	taken, err := flock(f)
	if err != nil {
		// No locks on this file system: who is written down counts while it lives.
		h := parseHolder(before)
		taken = h.PID == 0 || !alive(h)
	}
	if !taken {
		return nil, false, held(id, parseHolder(readLock(f)))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, false, failed("store.lock", err)
	}
	if now, err := root.Lstat(lockName); err != nil || !os.SameFile(info, now) {
		return nil, true, nil
	}
	l = &lease{id: id, root: root, f: f, info: info, me: me(), before: readLock(f)}
	l.me.Generation = parseHolder(l.before).Generation + 1
	if err := l.write(l.me); err != nil {
		l = nil
		return nil, false, failed("store.lock", err)
	}
	return l, false, nil
}

func me() holder {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return holder{PID: os.Getpid(), Started: startedAt(os.Getpid()), Host: host, Since: time.Now().UnixMilli()}
}

// readLock gives nothing where nothing can be read.
func readLock(f io.ReaderAt) []byte {
	b := make([]byte, 1024)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil
	}
	return b[:n]
}

// parseHolder gives the zero holder for anything else.
func parseHolder(b []byte) holder {
	var h holder
	if json.Unmarshal(b, &h) != nil {
		return holder{}
	}
	return h
}

func (l *lease) write(h holder) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return l.put(append(b, '\n'))
}

func (l *lease) put(b []byte) error {
	if _, err := l.f.WriteAt(b, 0); err != nil {
		return err
	}
	return l.f.Truncate(int64(len(b)))
}

// check fails with Conflict where the lock file is no longer this lease's.
func (l *lease) check() error {
	now, err := l.root.Lstat(lockName)
	if err == nil && os.SameFile(now, l.info) && parseHolder(readLock(l.f)).Generation == l.me.Generation {
		return nil
	}
	return fault.Wrap(fault.Conflict, "store.write", err, "Another process has taken over session %s. This was not written. Open the session again.", l.id).WithCode(session.CodeLeaseLost)
}

// use is check for a lease that is about to write.
func (l *lease) use() error {
	l.used.Store(true)
	return l.check()
}

// release lets the next one have it. A lease that wrote nothing leaves the lock
// as it found it: a folder that was refused is not touched.
func (l *lease) release() error {
	var err error
	switch {
	case l.check() != nil:
	case l.used.Load():
		err = l.write(holder{Generation: l.me.Generation})
	case len(l.before) == 0:
		// Whoever opened the file meanwhile finds that it is not the lock any more.
		err = l.root.Remove(lockName)
	default:
		err = l.put(l.before)
	}
	return errors.Join(err, l.f.Close())
}

func held(id session.ID, h holder) error {
	who := "Another process"
	switch {
	case h.PID == os.Getpid():
		who = "This process"
	case h.PID != 0:
		who = fmt.Sprintf("Another process (pid %d, since %s)", h.PID, time.UnixMilli(h.Since).Format("2006-01-02 15:04:05"))
	}
	return fault.New(fault.Conflict, "store.lock", "%s holds session %s for writing. Nothing was changed. Use it there, or end that process and try again.", who, id).WithCode(session.CodeHeld)
}
