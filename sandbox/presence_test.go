//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ctime is when a folder's names changed last.
func ctime(t *testing.T, dir string) unix.Timespec {
	t.Helper()
	var s unix.Stat_t
	if err := unix.Stat(dir, &s); err != nil {
		t.Fatal(err)
	}
	return s.Ctim
}

// changeNames does something to the names of a folder until its ctime says so.
func changeNames(t *testing.T, dir string, change, back func() error) {
	t.Helper()
	for before := ctime(t, dir); ; {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if ctime(t, dir) != before {
			return
		}
		if err := back(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatComesAndGoesIsSeen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "name")
	make := func() error { return os.WriteFile(path, nil, 0o600) }
	take := func() error { return os.Remove(path) }
	var p presence
	see := func(later time.Duration, want bool) {
		t.Helper()
		l := p.look()
		l.now = l.now.Add(later)
		if got := l.there(path); got != want {
			t.Fatalf("looked %s later: there = %v, want %v", later, got, want)
		}
	}
	for _, later := range []time.Duration{0, time.Hour} { // a folder that has just changed, and one that has not for long
		see(later, false)
		changeNames(t, dir, make, take)
		see(later, true)
		see(later, true)
		changeNames(t, dir, take, make)
		see(later, false)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	see(time.Hour, false)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := make(); err != nil {
		t.Fatal(err)
	}
	see(0, true)
}
