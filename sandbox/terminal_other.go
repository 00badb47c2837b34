//go:build !linux

package sandbox

import (
	"errors"
	"os"
)

func openTerminal(Size) (*Terminal, *os.File, error) {
	return nil, nil, errors.New("there are no terminals for children on this system yet")
}

// Resize tells the child the size of its window.
func (t *Terminal) Resize(Size) error { return errors.ErrUnsupported }

// Foreground cannot be told on this system.
func (t *Terminal) Foreground() (pid int, name string, err error) {
	return 0, "", errors.ErrUnsupported
}

// Signal cannot be sent by a terminal on this system.
func (t *Terminal) Signal(os.Signal) error { return errors.ErrUnsupported }
