//go:build !unix

package task

import (
	"errors"
	"os"
)

// hold has no lock to take here that ends with a process, so nothing fires.
func (d *Folder) hold() (*os.File, error) { return nil, unwritable(errors.ErrUnsupported) }
