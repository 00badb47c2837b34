package config

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Replace writes a file of the home folder as a whole: a reader sees the old bytes
// or the new ones, also after a crash or a full disk at any moment, and when it
// returns nil the new ones are on the disk. Only the owner may read it, from the
// start on; missing folders are made the same way.
func Replace(path string, content []byte) error {
	return replace(path, content, func(w io.Writer) io.Writer { return w })
}

// replace lets a test cut the write short.
func replace(path string, content []byte, through func(io.Writer) io.Writer) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = through(f).Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}
