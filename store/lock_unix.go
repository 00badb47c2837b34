//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// tryFlock reports whether the lock was taken; an error means that the file
// system has no locks.
func tryFlock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, syscall.EINTR):
			continue
		}
		return false, err
	}
}

// alive reports whether the process that wrote the lock file still runs.
func alive(h holder) bool {
	if host, err := os.Hostname(); err == nil && h.Host != "" && h.Host != host {
		return true // nothing is known of another machine's processes
	}
	if err := syscall.Kill(h.PID, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	return h.Started == "" || h.Started == startedAt(h.PID)
}
