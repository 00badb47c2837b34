//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// walls are the mounts of a child's own mount namespace. Against a rename that
// would carry a protected path away with its folder, every folder between a
// writable one and a protected path is a mount point too: the kernel refuses to
// rename those.
type walls struct {
	// private makes the namespace ours: nothing below is done without it.
	private bool
	// processes mounts a /proc that shows the child's own processes only.
	processes bool
	// readOnly makes everything read-only but writable, and gives the child its own
	// /dev/shm and, where it has no terminal, its own /dev/pts.
	readOnly  bool
	terminals bool
	writable  []string
	pinned    []string // made mount points, as they are
	protected []string // made read-only
	rights    uint64   // what Landlock lets the child do on its own file systems
}

// list writes the mounts. The keeper has every right in its own namespace, so what
// fails here is a kernel that cannot, or a path that has just gone.
// It returns the Landlock rules for the file systems that the child has for itself,
// which only the child can name.
func (w *walls) list(l *listing) (own []ownMount) {
	if !w.private {
		return nil
	}
	l.call("keep mounts to itself", unix.SYS_MOUNT, 0, l.text("/"), 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	if w.processes {
		l.call("mount /proc", unix.SYS_MOUNT, l.text("proc"), l.text("/proc"), l.text("proc"), unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, 0)
	}
	if w.readOnly {
		// What is writable is copied before everything turns read-only and put back after.
		const recursive = unix.AT_RECURSIVE
		copies := make([]int, len(w.writable))
		for i, path := range w.writable {
			copies[i] = l.call("copy the mount "+path, unix.SYS_OPEN_TREE, here, l.text(path), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|recursive)
		}
		readOnly := l.words(unix.MOUNT_ATTR_RDONLY, 0, 0, 0)
		l.call("make everything read-only", unix.SYS_MOUNT_SETATTR, here, l.text("/"), recursive, readOnly, mountAttrSize)
		for i, path := range w.writable {
			move := l.call("mount "+path, unix.SYS_MOVE_MOUNT, 0, l.text(""), here, l.text(path), unix.MOVE_MOUNT_F_EMPTY_PATH)
			l.code[copies[i]].into = arg(move, 0)
		}
		own = append(own, w.mountOwn(l, "tmpfs", sharedMemory, unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"))
		if w.terminals {
			own = append(own, w.mountOwn(l, "devpts", terminalNodes, unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"))
		}
	}
	for _, path := range w.pinned {
		l.bind(path)
	}
	readOnly := l.words(unix.MOUNT_ATTR_RDONLY, 0, 0, 0)
	for _, path := range w.protected {
		l.bind(path)
		l.call("make "+path+" read-only", unix.SYS_MOUNT_SETATTR, here, l.text(path), unix.AT_RECURSIVE, readOnly, mountAttrSize)
	}
	return own
}

// ownMount is a file system of the child's own, with the address of its Landlock
// rule: two words, what is allowed and the file that stands for it.
type ownMount struct {
	path string
	rule uint64
}

// mountOwn mounts a file system that may be missing. Its rule allows nothing until
// the mount stands, so that what lies beneath never becomes writable.
func (w *walls) mountOwn(l *listing, kind, path string, flags uint64, options string) ownMount {
	own := ownMount{path, l.words(0, 0)}
	mount := l.call("mount "+path, unix.SYS_MOUNT, l.text(kind), l.text(path), l.text(kind), flags, l.text(options))
	allow := l.call("", compare, w.rights, 0)
	l.code[allow].into = cell{addr: own.rule}
	l.code[mount].negative = l.next()
	return own
}

const (
	mountAttrSize = 32
	sharedMemory  = "/dev/shm"
	terminalNodes = "/dev/pts"
)

func (l *listing) bind(path string) {
	l.call("mount "+path, unix.SYS_MOUNT, l.text(path), l.text(path), 0, unix.MS_BIND|unix.MS_REC, 0)
}

// resolve gives the real path of what is there now; ok is false for what is not.
func resolve(path string) (real string, ok bool, err error) {
	real, err = filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		return real, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	}
	return "", false, fault.Wrap(fault.Unavailable, "sandbox.resolve", err, "The path %s cannot be followed, so the child's limits cannot be set. Nothing was started.", path)
}

// outermost resolves folders and drops those that are not there or lie in another one.
func outermost(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		real, ok, err := resolve(path)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, real)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(path string) bool {
		return slices.ContainsFunc(list, func(o string) bool { return o != path && within(o, path) })
	}), nil
}

// within reports whether path is folder or lies below it.
func within(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/' || folder == "/")
}

// protect splits the denied paths by what can be done: those that are there become
// read-only, with the folders above them pinned.
func (w *walls) protect(look *look, writable, deny []string) error {
	asRoot := os.Geteuid() == 0
	for _, path := range deny {
		if !look.there(path) {
			continue
		}
		real, ok, err := look.resolve(path)
		if err != nil {
			return err
		}
		root := slices.IndexFunc(writable, func(root string) bool { return within(root, real) })
		if !ok || root < 0 {
			continue
		}
		w.protected = append(w.protected, real)
		for dir := filepath.Dir(real); dir != writable[root] && within(writable[root], dir); dir = filepath.Dir(dir) {
			if asRoot || unix.Access(filepath.Dir(dir), unix.W_OK) == nil {
				w.pinned = append(w.pinned, dir)
			}
		}
	}
	// Outer ones first: a mount put on a folder later would hide what is below it.
	byDepth := func(a, b string) int {
		if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}
	slices.SortFunc(w.pinned, byDepth)
	w.pinned = slices.Compact(w.pinned)
	slices.SortFunc(w.protected, byDepth)
	w.protected = slices.Compact(w.protected)
	return nil
}

// missing lists the denied paths that are not there and lie where the child may write.
func (l *look) missing(writable, deny []string) []string {
	var list []string
	for _, path := range deny {
		if !l.there(path) && slices.ContainsFunc(writable, func(root string) bool { return within(root, path) }) {
			list = append(list, path)
		}
	}
	return list
}
