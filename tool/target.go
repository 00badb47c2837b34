package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fairlead/fault"
)

// What [Identity] says of a target that has no bytes of its own.
const (
	Absent  = "absent"
	Folder  = "folder"
	Special = "special" // a device, pipe or socket
)

// linksFollowed bounds a chain of links, as the kernel does.
const linksFollowed = 40

// Resolve follows every link of an absolute path, component by component, and
// goes on by name where the rest does not exist, so that a dangling link gives
// the place that a write would create. Policy judges this place, never the name.
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fault.New(fault.Invalid, "tool.resolve", "%s is not an absolute path", path)
	}
	volume := filepath.VolumeName(path)
	root := volume + string(filepath.Separator)
	done, rest := root, strings.TrimPrefix(path, root)
	for links := 0; rest != ""; {
		name, after, _ := strings.Cut(rest, string(filepath.Separator))
		rest = after
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		about, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			done = next
			continue
		case err != nil:
			return "", fault.Wrap(fault.Invalid, "tool.resolve", err, "%s cannot be followed", path)
		case about.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		if links++; links > linksFollowed {
			return "", fault.New(fault.Invalid, "tool.resolve", "%s goes through too many links", path)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", fault.Wrap(fault.Invalid, "tool.resolve", err, "%s cannot be followed", path)
		}
		if filepath.IsAbs(target) {
			done = root
			target = strings.TrimPrefix(target, filepath.VolumeName(target)+string(filepath.Separator))
		}
		rest = target + string(filepath.Separator) + rest
	}
	return done, nil
}

// Identity says what stands at a resolved path now: the SHA-256 of a file's bytes
// as hex, or [Absent], [Folder] or [Special].
func Identity(resolved string) (string, error) {
	about, err := os.Lstat(resolved)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case err != nil:
		return "", fault.Wrap(fault.Unavailable, "tool.identity", err, "%s cannot be looked at", resolved)
	case about.IsDir():
		return Folder, nil
	case !about.Mode().IsRegular():
		return Special, nil
	}
	f, err := os.Open(resolved)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "tool.identity", err, "%s cannot be read", resolved)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fault.Wrap(fault.Unavailable, "tool.identity", err, "%s cannot be read", resolved)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
