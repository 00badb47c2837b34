//go:build !unix

package toolbox

import (
	"io"
	"io/fs"
	"os"
)

// handle is an open folder of a walk.
type handle struct{ root *os.Root }

func newHandle(root *os.Root) (*handle, error) { return (&handle{root}).folder(".") }

func (h *handle) folder(name string) (*handle, error) {
	root, err := h.root.OpenRoot(name)
	return &handle{root}, err
}

func (h *handle) file(name string) (io.ReadCloser, error) { return h.root.Open(name) }

func (h *handle) entries() ([]fs.DirEntry, error) { return fs.ReadDir(h.root.FS(), ".") }

func (h *handle) close() { h.root.Close() }
