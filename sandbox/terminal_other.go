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
