//go:build linux

package sandbox

import (
	"errors"
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

func TestALinkOnTheWayIsFollowedAlsoOnceItChanges(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o700), os.WriteFile(filepath.Join(dir, name, "file"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	way := filepath.Join(dir, "way")
	path := filepath.Join(way, "file")
	var p presence
	see := func(later time.Duration, want string) {
		t.Helper()
		l := p.look()
		l.now = l.now.Add(later)
		real, ok, err := l.resolve(path)
		if err != nil || ok != (want != "") || real != want {
			t.Fatalf("looked %s later: %q, %v, %v, want %q", later, real, ok, err, want)
		}
	}
	point := func(to string) func() error {
		return func() error { return errors.Join(os.RemoveAll(way), os.Symlink(to, way)) }
	}
	for _, later := range []time.Duration{0, time.Hour} {
		changeNames(t, dir, point("one"), point("one"))
		see(later, filepath.Join(dir, "one", "file"))
		changeNames(t, dir, point("two"), point("one"))
		see(later, filepath.Join(dir, "two", "file"))
		changeNames(t, dir, func() error { return errors.Join(os.RemoveAll(way), os.Rename(filepath.Join(dir, "one"), way)) }, func() error { return os.Rename(way, filepath.Join(dir, "one")) })
		see(later, path)
		if err := os.Rename(way, filepath.Join(dir, "one")); err != nil {
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
