package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/session"
)

// The names inside a session's folder.
const (
	logName       = "log.jsonl"
	lockName      = "lock"
	blobsName     = "blobs"
	deletedPrefix = ".deleted-"
)

// Options make a store of files.
type Options struct {
	// Dir is the folder that holds the sessions; it is made when the first one is.
	Dir string
	// Log gets what no caller can be told; nil discards it.
	Log *slog.Logger
}

// Files is a [session.Store] on files.
type Files struct {
	dir    string
	log    *slog.Logger
	commit committer
	sweep  sync.Once
	// wrap stands between a log and its file, for tests of a failing disk.
	wrap func(file) file
}

var _ session.Store = (*Files)(nil)

// New makes a store. It touches nothing.
func New(opt Options) *Files {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Files{dir: opt.Dir, log: opt.Log, wrap: func(f file) file { return f }}
}

// Syncs counts the times files were forced to disk, and Rounds how many times
// somebody waited for it: the difference is what waiting together saves.
func (s *Files) Syncs() (syncs, rounds int64) { return s.commit.syncs.Load(), s.commit.rounds.Load() }

// folder opens the folder of a session, which must be a real one.
func (s *Files) folder(id session.ID) (*os.Root, error) {
	if !id.Valid() {
		return nil, fault.New(fault.Invalid, "store.open", "%q is not the id of a session. Nothing was touched.", string(id))
	}
	path := filepath.Join(s.dir, string(id))
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "store.open", "There is no session %s.", id)
	}
	if err != nil {
		return nil, failed("store.open", err)
	}
	if !before.IsDir() {
		return nil, fault.New(fault.Invalid, "store.open", "%s is not a folder but a link or a file. Nothing was touched. Put the session's own folder there.", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, failed("store.open", err)
	}
	after, err := root.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = errors.New("the folder was exchanged while it was opened")
	}
	if err != nil {
		return nil, errors.Join(failed("store.open", err), root.Close())
	}
	return root, nil
}

// openLog opens the log in a folder, which must be a regular file.
func openLog(id session.ID, root *os.Root, flag int) (*os.File, error) {
	info, err := root.Lstat(logName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noLog(id, root)
	}
	if err != nil {
		return nil, failed("store.open", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "store.open", "log.jsonl in the folder of session %s is not a file of its own. Nothing was touched.", id).WithCode(session.CodeForeign)
	}
	f, err := root.OpenFile(logName, flag, 0o600)
	if err != nil {
		return nil, failed("store.open", err)
	}
	return f, nil
}

// noLog says what a folder without a log is: one that was never finished, or one
// of a layout this version does not know.
func noLog(id session.ID, root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return failed("store.open", err)
	}
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != blobsName {
			return fault.New(fault.Invalid, "store.open",
				"The folder of session %s holds no log.jsonl but %s. Nothing was touched. A newer version may have written it: open it with that one.", id, e.Name()).WithCode(session.CodeForeign)
		}
	}
	return fault.New(fault.NotFound, "store.open", "There is no session %s.", id)
}

// Create makes the folder of a session and holds it.
func (s *Files) Create(_ context.Context, id session.ID) (session.Writer, error) {
	if !id.Valid() {
		return nil, fault.New(fault.Invalid, "store.create", "%q cannot be the id of a session. Nothing was made.", string(id))
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, failed("store.create", err)
	}
	s.sweep.Do(s.removeDeleted)
	path := filepath.Join(s.dir, string(id))
	if err := os.Mkdir(path, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fault.New(fault.Conflict, "store.create", "A session with the id %s exists already. Nothing was changed.", id)
		}
		return nil, failed("store.create", err)
	}
	root, err := s.folder(id)
	if err != nil {
		return nil, err
	}
	l, err := lock(id, root)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	f, err := root.OpenFile(logName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(failed("store.create", err), l.release(), root.Close(), os.RemoveAll(path))
	}
	return s.newWriter(id, root, l, f, 0, true), nil
}

// Acquire holds a session for writing.
func (s *Files) Acquire(_ context.Context, id session.ID) (session.Writer, error) {
	root, err := s.folder(id)
	if err != nil {
		return nil, err
	}
	// A foreign folder gets no lock file.
	probe, err := openLog(id, root, os.O_RDONLY)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	probe.Close()
	l, err := lock(id, root)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	f, err := openLog(id, root, os.O_RDWR)
	if err != nil {
		return nil, errors.Join(err, l.release(), root.Close())
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(failed("store.open", err), f.Close(), l.release(), root.Close())
	}
	return s.newWriter(id, root, l, f, info.Size(), false), nil
}

// Read opens a session for looking.
func (s *Files) Read(_ context.Context, id session.ID) (session.Reader, error) {
	root, err := s.folder(id)
	if err != nil {
		return nil, err
	}
	f, err := openLog(id, root, os.O_RDONLY)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &record{side: side{id: id, root: root}, f: f}, nil
}

// record reads one session.
type record struct {
	side
	f *os.File
}

func (r *record) ReadAt(p []byte, off int64) (int, error) { return r.f.ReadAt(p, off) }

func (r *record) Size() (int64, error) {
	info, err := r.f.Stat()
	if err != nil {
		return 0, failed("store.size", err)
	}
	return info.Size(), nil
}

func (r *record) Close() error { return errors.Join(r.f.Close(), r.root.Close()) }

// List names the sessions.
func (s *Files) List(context.Context) ([]session.Stored, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("store.list", err)
	}
	var out []session.Stored
	for _, e := range entries {
		id := session.ID(e.Name())
		if !e.IsDir() || !id.Valid() {
			continue
		}
		row := session.Stored{ID: id}
		if info, err := os.Lstat(filepath.Join(s.dir, e.Name(), logName)); err == nil {
			row.Bytes, row.Changed = info.Size(), info.ModTime()
		} else if info, err := e.Info(); err == nil {
			row.Changed = info.ModTime() // of the folder, where there is no log in it
		}
		out = append(out, row)
	}
	return out, nil
}

var _ session.Sizer = (*Files)(nil)

// Size adds up everything in a session's folder.
func (s *Files) Size(_ context.Context, id session.ID) (int64, error) {
	root, err := s.folder(id)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	total := int64(0)
	err = fs.WalkDir(root.FS(), ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a file that goes meanwhile does not count
		return 0, failed("store.size", err)
	}
	return total, nil
}

// Delete removes a session's folder.
func (s *Files) Delete(_ context.Context, id session.ID) error {
	root, err := s.folder(id)
	if err != nil {
		return err
	}
	defer root.Close()
	l, err := lock(id, root)
	if err != nil {
		return err
	}
	defer l.release()
	// Renamed first, so that a folder half removed is never taken for a session.
	gone := filepath.Join(s.dir, deletedPrefix+string(id))
	if err := os.Rename(filepath.Join(s.dir, string(id)), gone); err != nil {
		return failed("store.delete", err)
	}
	if err := os.RemoveAll(gone); err != nil {
		return failed("store.delete", err)
	}
	return syncDir(s.dir)
}

// removeDeleted finishes deletions that a crash cut short.
func (s *Files) removeDeleted() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.log.Warn("leftovers of deleted sessions were not looked for", "error", err)
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), deletedPrefix) {
			if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
				s.log.Warn("a deleted session still takes room", "folder", e.Name(), "error", err)
			}
		}
	}
}

// Close waits until nobody waits for the disk.
func (s *Files) Close() error {
	s.commit.wait.Wait()
	return nil
}

var _ io.Closer = (*Files)(nil)
