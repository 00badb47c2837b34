package main

import (
	"bufio"
	"os"

	"golang.org/x/sys/unix"
)

// readUnseen reads a line from a terminal that does not show it.
func readUnseen(f *os.File) (string, error) {
	fd := int(f.Fd())
	shown, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return "", err
	}
	unseen := *shown
	unseen.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &unseen); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(f).ReadString('\n')
	if back := unix.IoctlSetTermios(fd, unix.TCSETS, shown); err == nil {
		err = back
	}
	return line, err
}
