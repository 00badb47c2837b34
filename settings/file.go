package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"fairlead/fault"
)

// file is a small file that is replaced as a whole: whoever reads it finds the old
// content or the new one, also after a crash at any moment.
type file struct {
	path string
	// writing keeps this process's own writers apart, where the system has no locks.
	writing sync.Mutex
}

// read gives the content, nothing for a missing file.
func (f *file) read() ([]byte, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// lock keeps other writers of the file out, in this process and in others, until
// unlock is called.
func (f *file) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "settings.lock", err, "The folder of %s could not be made. Nothing was written.", f.path)
	}
	held, err := os.OpenFile(f.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "settings.lock", err, "%s cannot be written. Nothing was changed.", f.path)
	}
	// Whoever holds it reads and writes one small file; waiting longer means a hung one.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	f.writing.Lock()
	defer func() {
		if err != nil {
			f.writing.Unlock()
			err = errors.Join(err, held.Close())
		}
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		taken, err := tryLock(held)
		if taken {
			return func() { held.Close(); f.writing.Unlock() }, nil
		}
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, "settings.lock", err, "%s could not be locked. Nothing was written.", f.path)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fault.Wrap(fault.Conflict, "settings.lock", ctx.Err(), "Another program is writing %s. Nothing was written; try again.", f.path)
		}
	}
}

// stamp tells one content from another without reading it.
func (f *file) stamp() string {
	info, err := os.Stat(f.path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}
