//go:build unix

package task

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// hold takes the lock under which tasks fire, until the file is closed or the
// process ends. It gives nil where another process has it.
func (d *Folder) hold() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(d.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable(err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, unwritable(err)
}
