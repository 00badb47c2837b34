package sandbox

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Terminal is our end of a child's terminal. Reading gives what the child shows,
// escape sequences included, and io.EOF once every process that held the terminal
// is gone; writing types.
type Terminal struct{ master *os.File }

// Read takes what the child shows.
func (t *Terminal) Read(p []byte) (int, error) {
	n, err := t.master.Read(p)
	if errors.Is(err, syscall.EIO) || errors.Is(err, os.ErrClosed) {
		err = io.EOF // how a terminal says that nobody is on the other side any more
	}
	return n, err
}

// Write types to the child.
func (t *Terminal) Write(p []byte) (int, error) { return t.master.Write(p) }

// Close hangs up: who still holds the terminal gets a HUP.
func (t *Terminal) Close() error { return t.master.Close() }
