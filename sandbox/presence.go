//go:build linux

package sandbox

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// presence knows which of many paths are there and where they lead, for one look at
// each of their folders: the kernel changes a folder's ctime with every name that
// comes, goes or becomes another thing, and nobody else can set it.
type presence struct {
	mu      sync.Mutex
	folders map[string]*listed
}

// listed is what was found of a folder while it was as dev, ino and changed say.
type listed struct {
	dev, ino uint64
	changed  unix.Timespec
	names    map[string]kind
}

// kind is what stands under a name.
type kind byte

const (
	absent kind = iota + 1
	link
	other
)

// A folder that has changed this shortly before it is looked at may change again
// without a new time, since times are as coarse as the kernel's clock tick.
const coarse = 200 * time.Millisecond

// mostFolders bounds what is remembered; a process sees a few for each workspace.
const mostFolders = 512

// look begins one look at many paths. It serves one goroutine.
func (p *presence) look() *look {
	return &look{of: p, now: time.Now(), folders: map[string]*listed{}, reals: map[string]string{}}
}

type look struct {
	of  *presence
	now time.Time
	// folders are those looked at; nil for one whose names must be asked for singly.
	folders map[string]*listed
	reals   map[string]string // folders without links on the way to them
}

// there reports whether a path leads to something, be it a dangling link.
func (l *look) there(path string) bool { return l.kind(path) != absent }

// resolve gives the real path of what is there now; ok is false for what is not.
func (l *look) resolve(path string) (real string, ok bool, err error) {
	dir, name := filepath.Split(path)
	if parent, ok := l.real(filepath.Clean(dir)); ok {
		if path = filepath.Join(parent, name); l.kind(path) == other {
			return path, true, nil
		}
	}
	return resolve(path)
}

// real gives the real path of a folder, and false where that takes following links.
func (l *look) real(dir string) (string, bool) {
	if dir == "/" {
		return dir, true
	}
	if known, ok := l.reals[dir]; ok {
		return known, known != ""
	}
	real := ""
	if parent, ok := l.real(filepath.Dir(dir)); ok {
		if path := filepath.Join(parent, filepath.Base(dir)); l.kind(path) == other {
			real = path
		}
	}
	l.reals[dir] = real
	return real, real != ""
}

func (l *look) kind(path string) kind {
	dir, name := filepath.Split(path)
	f, seen := l.folders[dir]
	if !seen {
		f = l.folder(dir)
		l.folders[dir] = f
	}
	if f == nil {
		return kindOf(path)
	}
	if f == nowhere {
		return absent
	}
	l.of.mu.Lock()
	found, known := f.names[name]
	l.of.mu.Unlock()
	if !known {
		found = kindOf(path)
		l.of.mu.Lock()
		f.names[name] = found
		l.of.mu.Unlock()
	}
	return found
}

// present lists the paths that are there.
func (l *look) present(paths []string) []string {
	var found []string
	for _, path := range paths {
		if l.there(path) {
			found = append(found, path)
		}
	}
	return found
}

// nowhere stands for a folder that is not there, and with it none of its names.
var nowhere = &listed{}

// folder gives what is known of a folder that is still as it was.
func (l *look) folder(dir string) *listed {
	var s unix.Stat_t
	switch err := unix.Stat(dir, &s); {
	case errors.Is(err, unix.ENOENT):
		return nowhere
	case err != nil || l.now.Sub(time.Unix(s.Ctim.Unix())) < coarse:
		return nil
	}
	now := listed{dev: uint64(s.Dev), ino: s.Ino, changed: s.Ctim, names: map[string]kind{}}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	f := l.of.folders[dir]
	if f != nil && f.dev == now.dev && f.ino == now.ino && f.changed == now.changed {
		return f
	}
	if l.of.folders == nil || len(l.of.folders) >= mostFolders {
		l.of.folders = map[string]*listed{}
	}
	l.of.folders[dir] = &now
	return &now
}

// kindOf asks the kernel. What it will not tell of counts as there.
func kindOf(path string) kind {
	var s unix.Stat_t
	switch err := unix.Lstat(path, &s); {
	case errors.Is(err, unix.ENOENT):
		return absent
	case err != nil || s.Mode&unix.S_IFMT == unix.S_IFLNK:
		return link
	}
	return other
}
