//go:build unix

package toolbox

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// handle is an open folder of a walk. What is opened from it is reached by one
// name and never through a link. It does what [os.Root] does at the third of its
// cost: a root asks the system about every entry of a folder it lists.
type handle struct{ dir *os.File }

// newHandle gives a handle of an open root; the root can be closed then.
func newHandle(root *os.Root) (*handle, error) {
	at, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return (&handle{at}).folder(".")
}

// folder opens a folder in the folder.
func (h *handle) folder(name string) (*handle, error) {
	fd, err := h.openat(name, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &handle{os.NewFile(uintptr(fd), name)}, nil
}

// file opens a file in the folder for reading, without waiting where it is a pipe.
func (h *handle) file(name string) (io.ReadCloser, error) {
	fd, err := h.openat(name, unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return fileHandle(fd), nil
}

func (h *handle) openat(name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(int(h.dir.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// entries lists the folder, in no order. Their Info must not be asked for.
func (h *handle) entries() ([]fs.DirEntry, error) { return h.dir.ReadDir(-1) }

func (h *handle) close() { h.dir.Close() }

// fileHandle reads a file without the bookkeeping of an [os.File].
type fileHandle int

func (f fileHandle) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), b)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f fileHandle) Close() error { return unix.Close(int(f)) }
