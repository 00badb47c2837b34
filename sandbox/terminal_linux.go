package sandbox

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openTerminal makes a terminal of a size. Its master is read without blocking a
// thread, so that it can be closed while somebody reads it.
func openTerminal(size Size) (t *Terminal, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	t = &Terminal{os.NewFile(uintptr(fd), "/dev/ptmx")}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	if err := t.Resize(size); err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	return t, slave, err
}

// Resize tells the child the size of its window.
func (t *Terminal) Resize(s Size) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: s.Rows, Col: s.Cols})
	})
	if err != nil {
		return err
	}
	return failed
}
