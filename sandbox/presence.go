//go:build linux

package sandbox

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// presence knows which of many paths are there, for one look at each of their
// folders: the kernel changes a folder's ctime with every name that comes or goes,
// and nobody else can set it.
type presence struct {
	mu      sync.Mutex
	folders map[string]*listed
}

// listed is what was found of a folder while it was as dev, ino and changed say.
type listed struct {
	dev, ino uint64
	changed  unix.Timespec
	names    map[string]bool
}

// A folder that has changed this shortly before it is looked at may change again
// without a new time, since times are as coarse as the kernel's clock tick.
const coarse = 200 * time.Millisecond

// mostFolders bounds what is remembered; a process sees a few for each workspace.
const mostFolders = 512

// look begins one look at many paths. It serves one goroutine.
func (p *presence) look() *look { return &look{of: p, now: time.Now(), folders: map[string]*listed{}} }

type look struct {
	of  *presence
	now time.Time
	// folders are those looked at; nil for one whose names must be asked for singly.
	folders map[string]*listed
}

// there reports whether a path leads to something, be it a dangling link.
func (l *look) there(path string) bool {
	dir, name := filepath.Split(path)
	f, seen := l.folders[dir]
	if !seen {
		f = l.folder(dir)
		l.folders[dir] = f
	}
	if f == nil {
		return leads(path)
	}
	l.of.mu.Lock()
	found, known := f.names[name]
	l.of.mu.Unlock()
	if !known {
		found = leads(path)
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

// folder gives what is known of a folder that is still as it was.
func (l *look) folder(dir string) *listed {
	var s unix.Stat_t
	if unix.Stat(dir, &s) != nil || l.now.Sub(time.Unix(s.Ctim.Unix())) < coarse {
		return nil
	}
	now := listed{dev: uint64(s.Dev), ino: s.Ino, changed: s.Ctim, names: map[string]bool{}}
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

// leads reports whether a path leads to something.
func leads(path string) bool {
	var stat unix.Stat_t
	return !errors.Is(unix.Lstat(path, &stat), unix.ENOENT)
}
