package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"fairlead/fault"
)

// Folder keeps tasks and their records as files. Several processes may use one.
type Folder struct {
	dir string
	mu  sync.Mutex // one change at a time in this process
	// read are the records as their files were when last looked at.
	read map[string]journal
}

// journal is the file of a task's records.
type journal struct {
	size    int64
	changed time.Time
	lines   int
	records []Record
}

// NewFolder is the folder at a path, which is made when something is saved.
func NewFolder(dir string) *Folder { return &Folder{dir: dir, read: map[string]journal{}} }

const (
	taskFile   = ".yaml"
	recordFile = ".jsonl"
	// mostRecords is how many records of a task are kept, and mostLines how long its
	// file may grow before the older ones go.
	mostRecords = 500
	mostLines   = 2000
)

// Entry is a task as it was found. Problem says why it cannot run.
type Entry struct {
	Task
	// Saved is when the file was written: due times before it do not count.
	Saved   time.Time `json:"-"`
	Problem string    `json:"problem,omitempty"`
}

// List gives all tasks by name. One that cannot be read is listed with its problem.
func (d *Folder) List() ([]Entry, error) {
	files, err := os.ReadDir(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	var list []Entry
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), taskFile); ok && named(name) {
			e, err := d.Get(name)
			if fault.Is(err, fault.NotFound) {
				continue // removed meanwhile
			}
			if err != nil {
				e = Entry{Task: Task{Name: name}, Problem: fault.Person(err)}
			}
			list = append(list, e)
		}
	}
	return list, nil
}

// Get reads one task. It fails with fault.NotFound where there is none, and with
// fault.Invalid, line and column where its file is wrong.
func (d *Folder) Get(name string) (Entry, error) {
	if err := checkName(name); err != nil {
		return Entry{}, err
	}
	path := filepath.Join(d.dir, name+taskFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, fault.New(fault.NotFound, "task.get", "There is no task %s.", name)
	}
	if err != nil {
		return Entry{}, unreadable(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, unreadable(err)
	}
	e := Entry{Task: Task{Name: name}, Saved: info.ModTime()}
	if err := yaml.UnmarshalWithOptions(text, &e.Task, yaml.Strict()); err != nil {
		return Entry{}, fault.Wrap(fault.Invalid, "task.get", err, "%s cannot be read: %s", path, yaml.FormatError(err, false, false))
	}
	return e, e.Task.Check()
}

// Save writes a task, new or changed; its due times count from now on.
func (d *Folder) Save(t Task) error {
	if t.Every != "" && t.From == "" {
		t.From = time.Now().UTC().Format(time.RFC3339)
	}
	if err := t.Check(); err != nil {
		return err
	}
	text, err := yaml.Marshal(t)
	if err != nil {
		return fault.Wrap(fault.Internal, "task.save", err, "The task %s could not be written down. Nothing was saved.", t.Name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.replace(t.Name+taskFile, text)
}

// Switch puts a task on or off.
func (d *Folder) Switch(name string, on bool) error {
	e, err := d.Get(name)
	if err != nil {
		return err
	}
	e.Task.Off = !on
	return d.Save(e.Task)
}

// Remove takes a task away with its records. The sessions of its runs stay.
func (d *Folder) Remove(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	err := os.Remove(filepath.Join(d.dir, name+taskFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "task.remove", "There is no task %s. Nothing was changed.", name)
	}
	if err == nil {
		if err = os.Remove(filepath.Join(d.dir, name+recordFile)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return unwritable(err)
	}
	return nil
}

// Records are those of a task, oldest first. A torn last line is left out.
func (d *Folder) Records(name string) ([]Record, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	j, err := d.journal(name)
	return slices.Clone(j.records), err
}

// journal reads the file of a task's records, unless it is as it was.
func (d *Folder) journal(name string) (journal, error) {
	path := filepath.Join(d.dir, name+recordFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, nil
	}
	if err != nil {
		return journal{}, unreadable(err)
	}
	if j := d.read[name]; j.size == info.Size() && j.changed.Equal(info.ModTime()) {
		return j, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return journal{}, unreadable(err)
	}
	j := journal{size: info.Size(), changed: info.ModTime()}
	for line := range bytes.Lines(text) {
		var r Record
		if json.Unmarshal(line, &r) == nil {
			j.records = fold(j.records, r)
		}
		j.lines++
	}
	d.read[name] = j
	return j, nil
}

// Note writes a record of a task and returns when it is on disk.
func (d *Folder) Note(name string, r Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	j, err := d.journal(name)
	if err != nil {
		return err
	}
	delete(d.read, name)
	if j.lines >= mostLines {
		return d.shorten(name, fold(j.records, r))
	}
	line, err := json.Marshal(r)
	if err != nil {
		return unwritable(err)
	}
	f, err := os.OpenFile(filepath.Join(d.dir, name+recordFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return unwritable(err)
	}
	if err = ended(f); err == nil {
		_, err = f.Write(append(line, '\n'))
		err = errors.Join(err, f.Sync())
	}
	info, failed := f.Stat()
	if err := errors.Join(err, failed, f.Close()); err != nil {
		return unwritable(err)
	}
	d.read[name] = journal{info.Size(), info.ModTime(), j.lines + 1, fold(j.records, r)}
	return nil
}

// shorten writes the file of a task's records anew, without the oldest.
func (d *Folder) shorten(name string, records []Record) error {
	var all bytes.Buffer
	for _, r := range records[max(0, len(records)-mostRecords):] {
		if err := json.NewEncoder(&all).Encode(r); err != nil {
			return unwritable(err)
		}
	}
	return d.replace(name+recordFile, all.Bytes())
}

// ended gives a line that a crash tore its end, so that the next is not lost with it.
func ended(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.Write([]byte{'\n'})
	return err
}

// replace writes a file as a whole: whoever reads sees the old one or the new.
func (d *Folder) replace(name string, text []byte) error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return unwritable(err)
	}
	path := filepath.Join(d.dir, name)
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unwritable(err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return errors.Join(unwritable(err), os.Remove(path+".new"))
	}
	return nil
}

func unreadable(err error) error {
	return fault.Wrap(fault.Unavailable, "task.read", err, "The tasks cannot be read. Nothing was changed.")
}

func unwritable(err error) error {
	return fault.Wrap(fault.Unavailable, "task.write", err, "The tasks folder cannot be written. Nothing was changed; make room, or see to its permissions.")
}
