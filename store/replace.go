package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"fairlead/fault"
)

// Replace exchanges the end of the log.
func (w *writer) Replace(_ context.Context, from int64, instead io.Reader, keep string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return closedErr()
	}
	if err := w.writeOut(); err != nil {
		return err
	}
	if err := w.lease.use(); err != nil {
		return err
	}
	if keep == "" {
		return failed("store.replace", w.exchange(from, instead))
	}
	if err := w.setAside(from, keep); err != nil {
		return failed("store.replace", err)
	}
	exchange := w.exchange
	if from > 0 {
		exchange = func(from int64, instead io.Reader) error { return w.overwrite(from, instead, keep) }
	}
	if err := exchange(from, instead); err != nil {
		return failed("store.replace", errors.Join(err, w.root.Remove(keep)))
	}
	return nil
}

// setAside copies the log from an offset on to a new file.
func (w *writer) setAside(from int64, name string) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Wrap(fault.Conflict, "store.replace", err, "%s is there already. Nothing was changed.", name)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(w.f, from, w.written-from))
	if err = errors.Join(err, datasync(f), f.Close()); err != nil {
		return errors.Join(err, w.root.Remove(name))
	}
	return nil
}

// overwrite changes the end of the file in place, so that a long log is not copied
// for a torn line. The old end comes back from where it is kept if that fails.
func (w *writer) overwrite(from int64, instead io.Reader, kept string) error {
	old := w.written
	n, err := io.Copy(io.NewOffsetWriter(w.f, from), instead)
	if err == nil {
		err = w.f.Truncate(from + n)
	}
	if err == nil {
		err = w.f.Datasync()
	}
	if err == nil {
		w.restart(from + n)
		return w.syncFolder(".")
	}
	back, openErr := w.root.Open(kept)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	defer back.Close()
	_, backErr := io.Copy(io.NewOffsetWriter(w.f, from), back)
	return errors.Join(err, backErr, w.f.Truncate(old))
}

// exchange puts a new file in place of the log at once.
func (w *writer) exchange(from int64, instead io.Reader) error {
	const fresh = logName + ".new"
	f, err := w.root.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	next := w.store.wrap(osFile{f})
	n, err := io.Copy(io.NewOffsetWriter(next, 0), io.MultiReader(io.NewSectionReader(w.f, 0, from), instead))
	if err == nil {
		err = next.Datasync()
	}
	if err == nil {
		err = w.root.Rename(fresh, logName)
	}
	if err != nil {
		return errors.Join(err, next.Close(), w.root.Remove(fresh))
	}
	old := w.f
	w.f = next
	w.restart(n)
	return errors.Join(old.Close(), w.syncFolder("."))
}

// restart counts from a file that is on disk up to size.
func (w *writer) restart(size int64) {
	w.tail, w.confirmed, w.written, w.dirty, w.trouble = nil, size, size, false, nil
}
