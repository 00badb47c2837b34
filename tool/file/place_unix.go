//go:build unix

package file

import (
	"io/fs"
	"os"
	"syscall"
)

// links is how many names a file has.
func links(about fs.FileInfo) uint64 {
	if s, ok := about.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// keepOwner gives a new file the owner and group of the one it will replace. It
// fails where that is not allowed: then the file is somebody else's to write.
func keepOwner(f *os.File, like fs.FileInfo) error {
	old, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	about, err := f.Stat()
	if err != nil {
		return err
	}
	if mine, ok := about.Sys().(*syscall.Stat_t); ok && mine.Uid == old.Uid && mine.Gid == old.Gid {
		return nil
	}
	return f.Chown(int(old.Uid), int(old.Gid))
}
