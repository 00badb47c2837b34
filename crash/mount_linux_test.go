package crash_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk gives a place whose home is a file system of its own of so many bytes.
// It needs the right to mount, and fails without it: a test that proves nothing
// must not pass.
func smallDisk(t *testing.T, model, size string) *place {
	t.Helper()
	p := newPlace(t, model)
	if err := unix.Mount("fairlead-crash", p.home, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700,size="+size); err != nil {
		t.Fatalf("no file system can be mounted (%v); run this test as root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(p.home, unix.MNT_DETACH); err != nil {
			t.Errorf("the small disk stays mounted at %s: %v", p.home, err)
		}
	})
	p.connect()
	return p
}

// readOnly makes the home of a small disk one that cannot be written.
func (p *place) readOnly() {
	p.t.Helper()
	check(p.t, unix.Mount("", p.home, "", unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, ""))
}

// fill takes all room of a small disk; empty gives it back.
func (p *place) fill() (empty func()) {
	p.t.Helper()
	path := filepath.Join(p.home, "ballast")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	check(p.t, err)
	defer f.Close()
	for chunk := make([]byte, 64<<10); len(chunk) > 0; {
		if _, err := f.Write(chunk); errors.Is(err, syscall.ENOSPC) {
			chunk = chunk[:len(chunk)/2]
		} else {
			check(p.t, err)
		}
	}
	return func() { check(p.t, os.Remove(path)) }
}
