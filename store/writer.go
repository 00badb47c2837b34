package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/session"
)

const (
	// writeEvery and writeBytes say how long appended lines may stay in this
	// process: a killed process loses at most that, and nothing that was confirmed.
	writeEvery = 10 * time.Millisecond
	writeBytes = 64 << 10
	// syncBytes unconfirmed bytes are forced to disk without being asked;
	// Append waits for the disk at waitBytes.
	syncBytes = 1 << 20
	waitBytes = 8 << 20
)

// file is what a log needs of its file.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Datasync() error
	Close() error
}

type osFile struct{ *os.File }

func (f osFile) Datasync() error { return datasync(f.File) }

// writer is a lease on one session.
type writer struct {
	side
	store *Files
	lease *lease

	mu sync.Mutex
	f  file
	// tail are the bytes from confirmed on: on disk for sure is only what is before
	// it. Of the tail, the bytes before written have been given to the system.
	tail      []byte
	confirmed int64
	written   int64
	// dirty is true where the file may be longer than written: a write failed.
	dirty bool
	// trouble is the last failure of a write nobody waited for.
	trouble error
	timer   *time.Timer
	beside  []*os.File // blobs and parts, put and not forced to disk yet
	known   map[string]bool
	folders bool // the folders' own entries must be forced to disk
	closed  bool
}

func (s *Files) newWriter(id session.ID, root *os.Root, l *lease, f *os.File, size int64, created bool) *writer {
	return &writer{side: side{id: id, root: root}, store: s, lease: l, f: s.wrap(osFile{f}),
		confirmed: size, written: size, known: map[string]bool{}, folders: created}
}

func (w *writer) size() int64 { return w.confirmed + int64(len(w.tail)) }

// Size is that of the log with what was appended.
func (w *writer) Size() (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size(), nil
}

// ReadAt reads what was appended, written or not.
func (w *writer) ReadAt(p []byte, off int64) (int, error) {
	w.mu.Lock()
	n, want := 0, p
	if before := w.confirmed - off; before > 0 {
		want = p[min(before, int64(len(p))):]
	}
	if len(want) > 0 {
		if from := max(off-w.confirmed, 0); from < int64(len(w.tail)) {
			n = copy(want, w.tail[from:])
		}
	}
	short := n < len(want)
	f, head := w.f, p[:len(p)-len(want)]
	w.mu.Unlock()
	if len(head) > 0 {
		m, err := f.ReadAt(head, off)
		if m < len(head) {
			return m, err
		}
	}
	if short {
		return len(head) + n, io.EOF
	}
	return len(p), nil
}

// Append takes lines in.
func (w *writer) Append(lines []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return closedErr()
	}
	if w.trouble != nil {
		// A disk that failed takes nothing more until it works again.
		if err := w.writeOut(); err != nil {
			return err
		}
	}
	if len(w.tail) >= waitBytes {
		if err := w.waitForDisk(); err != nil {
			return err
		}
	}
	waiting := w.size() > w.written
	w.tail = append(w.tail, lines...)
	if w.size()-w.written >= writeBytes {
		if err := w.writeOut(); err != nil {
			w.tail = w.tail[:len(w.tail)-len(lines)]
			return err
		}
		if len(w.tail) >= syncBytes {
			w.store.commit.join(w)
		}
	} else if !waiting {
		w.writeSoon()
	}
	return nil
}

func (w *writer) waitForDisk() error {
	w.mu.Unlock()
	err := w.store.commit.sync(context.Background(), w)
	w.mu.Lock()
	return err
}

func (w *writer) writeSoon() {
	if w.timer != nil {
		w.timer.Reset(writeEvery)
		return
	}
	w.timer = time.AfterFunc(writeEvery, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.closed {
			_ = w.writeOut() // kept as trouble, told to the next who appends or waits
		}
	})
}

// writeOut gives the system what it does not have yet. After a failure the file is
// cut back to whole lines, or will be before the next write.
func (w *writer) writeOut() error {
	w.trouble = w.tryWriteOut()
	return w.trouble
}

func (w *writer) tryWriteOut() error {
	if w.written == w.size() && !w.dirty {
		return nil
	}
	if err := w.lease.use(); err != nil {
		return err
	}
	if w.dirty {
		if err := w.f.Truncate(w.written); err != nil {
			return failed("store.append", err)
		}
		w.dirty = false
	}
	if _, err := w.f.WriteAt(w.tail[w.written-w.confirmed:], w.written); err != nil {
		w.dirty = w.f.Truncate(w.written) != nil
		return failed("store.append", err)
	}
	w.written = w.size()
	return nil
}

// WriteOut gives the system everything appended so far.
func (w *writer) WriteOut() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return closedErr()
	}
	return w.writeOut()
}

// Sync returns when everything appended and put so far is on disk.
func (w *writer) Sync(ctx context.Context) error {
	w.mu.Lock()
	clean := len(w.tail) == 0 && len(w.beside) == 0 && !w.folders
	closed := w.closed
	w.mu.Unlock()
	if closed {
		return closedErr()
	}
	if clean {
		return nil
	}
	err := w.store.commit.sync(ctx, w)
	if err != nil && ctx.Err() != nil {
		return fault.Wrap(fault.KindOf(err), "store.sync", err, "Stopped while waiting for the disk. What was appended will still be written.")
	}
	return err
}

// commit forces everything to disk; the committer calls it, once at a time.
func (w *writer) commit() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return closedErr()
	}
	if err := w.writeOut(); err != nil {
		w.mu.Unlock()
		return err
	}
	upTo, beside, folders, f := w.written, w.beside, w.folders, w.f
	w.beside, w.folders = nil, false
	w.mu.Unlock()

	err := w.syncBeside(beside, folders)
	if err == nil {
		w.store.commit.syncs.Add(1)
		err = f.Datasync()
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		// The system may have dropped what it could not write, so that the next
		// attempt must give it everything again.
		w.written, w.beside = w.confirmed, append(beside, w.beside...)
		w.folders = w.folders || folders
		w.trouble = failed("store.sync", err)
		return w.trouble
	}
	for _, b := range beside {
		b.Close()
	}
	if n := upTo - w.confirmed; n > 0 {
		rest := w.tail[n:]
		if cap(w.tail) > 4*writeBytes && n < int64(cap(w.tail))/8 {
			w.tail = nil // a burst is over: its room is not kept
		}
		w.tail = append(w.tail[:0], rest...)
		w.confirmed = upTo
	}
	return nil
}

// syncBeside forces new files and their names to disk, all at once: the file system
// puts what comes together into one write of its journal, so that the first request
// of a session, with its prompt and tools beside the log, waits for one and not six.
func (w *writer) syncBeside(files []*os.File, folders bool) error {
	if len(files) == 0 {
		if folders {
			return w.syncFolders()
		}
		return nil
	}
	errs := make([]error, len(files)+1)
	var all sync.WaitGroup
	for i, f := range files {
		w.store.commit.syncs.Add(1)
		all.Go(func() { errs[i] = datasync(f) })
	}
	if folders {
		all.Go(func() { errs[len(files)] = w.syncFolders() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// syncFolders makes the names of new files durable.
func (w *writer) syncFolders() error {
	err := w.syncFolder(blobsName)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, w.syncFolder("."), syncDir(w.store.dir))
}

func (w *writer) syncFolder(name string) error {
	d, err := w.root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// PutBlob keeps content.
func (w *writer) PutBlob(sum string, content []byte) error {
	name, err := blobName(sum)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return closedErr()
	}
	if w.known[sum] {
		return nil
	}
	f, err := w.blobFile(name, content)
	if err != nil {
		return failed("store.blob", err)
	}
	w.known[sum] = true
	w.beside = append(w.beside, f)
	return nil
}

// blobFile gives the file of a blob, made where it is not there whole.
func (w *writer) blobFile(name string, content []byte) (*os.File, error) {
	if info, err := w.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(content)) {
		return w.root.Open(name)
	}
	if err := w.lease.use(); err != nil {
		return nil, err
	}
	if err := w.root.Mkdir(blobsName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	w.folders = true
	return w.write(name, bytes.NewReader(content))
}

// PutPart replaces a part.
func (w *writer) PutPart(name session.PartName, content io.Reader) error {
	if err := partName(name); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return closedErr()
	}
	if err := w.lease.use(); err != nil {
		return err
	}
	f, err := w.write(string(name), content)
	if err != nil {
		return failed("store.part", err)
	}
	w.beside, w.folders = append(w.beside, f), true
	return nil
}

// Close gives the lease back. What was not confirmed is handed to the system.
func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	err := w.writeOut()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
	for _, b := range w.beside {
		b.Close()
	}
	return errors.Join(err, w.f.Close(), w.lease.release(), w.root.Close())
}

func closedErr() error {
	return fault.New(fault.Conflict, "store.write", "The session was given back and is not held any more. This was not written; open it again.").WithCode(session.CodeLeaseLost)
}
