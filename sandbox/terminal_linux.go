package sandbox

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"fairlead/fault"
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
	return t.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: s.Rows, Col: s.Cols})
	})
}

// Foreground says which group of processes has the terminal, by the id of its
// leader, and the leader's name. A shell that waits for a command has it itself.
func (t *Terminal) Foreground() (pid int, name string, err error) {
	err = t.control(func(fd int) error {
		pid, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	if err == nil && pid <= 0 {
		err = fault.New(fault.NotFound, "sandbox.foreground", "Nothing has the terminal any more.")
	}
	if err != nil {
		return 0, "", err
	}
	m, _, _ := readMember(pid) // a leader that has gone leaves the name empty
	return pid, m.name, nil
}

// Signal sends a signal to what has the terminal, as its keys do.
func (t *Terminal) Signal(s os.Signal) error {
	pid, _, err := t.Foreground()
	if err != nil {
		return err
	}
	n, ok := s.(syscall.Signal)
	if !ok {
		return fault.New(fault.Invalid, "sandbox.signal", "%v is no signal of this system.", s)
	}
	if err := unix.Kill(-pid, n); err != nil {
		return fault.Wrap(fault.NotFound, "sandbox.signal", err, "Nothing has the terminal any more.")
	}
	return nil
}

func (t *Terminal) control(f func(fd int) error) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = f(int(fd)) }); err != nil {
		return err
	}
	return failed
}
