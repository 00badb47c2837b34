//go:build unix

package settings

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const errNoSpace = unix.ENOSPC

// tryLock takes the lock of an open file; false without an error means that another
// has it. It is given up when the file is closed or the process ends.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
