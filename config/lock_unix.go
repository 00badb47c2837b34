//go:build unix

package config

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock waits for the lock of an open file. It is given up with the file.
func lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
