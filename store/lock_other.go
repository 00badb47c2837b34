//go:build !unix

package store

import (
	"errors"
	"os"
)

// tryFlock has nothing to ask here: the holder written down counts.
func tryFlock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// alive reports whether the process that wrote the lock file still runs.
func alive(h holder) bool {
	p, err := os.FindProcess(h.PID)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
