package crash_test

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// watch tells of everything that is made, written or removed in the home. stop ends
// the telling.
func (p *place) watch() (touched <-chan struct{}, stop func()) {
	p.t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	check(p.t, err)
	for _, dir := range []string{p.home, filepath.Join(p.home, "run"), filepath.Join(p.home, "sessions")} {
		_, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_MODIFY|unix.IN_DELETE|unix.IN_MOVED_TO|unix.IN_OPEN)
		check(p.t, err)
	}
	events := os.NewFile(uintptr(fd), "inotify") // non-blocking, so that closing it ends a read
	out, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 16<<10)
		for {
			n, err := events.Read(buffer)
			if err != nil {
				if !errors.Is(err, os.ErrClosed) {
					p.t.Errorf("watching the home: %v", err)
				}
				return
			}
			for at := 0; at < n; {
				at += unix.SizeofInotifyEvent + int(uint32(buffer[at+12])|uint32(buffer[at+13])<<8|uint32(buffer[at+14])<<16|uint32(buffer[at+15])<<24)
				select {
				case out <- struct{}{}:
				default:
				}
			}
		}
	}()
	return out, func() {
		events.Close()
		<-done
	}
}
