package proof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// noSubmodules asks where the index of a repository names a submodule that is
// there: git status and git diff start a git of its own in it, which reads its
// settings and drops the overrides of [UnaskedEnv]. An index that cannot be read
// (gitformat-index(5)) asks too.
func noSubmodules(gitDir string) error {
	index, err := os.ReadFile(filepath.Join(gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return doubtf("the repository's index cannot be read")
	}
	paths, ok := submodules(index)
	if !ok {
		return doubtf("the repository's index is of a form that is not read")
	}
	for _, path := range paths {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(gitDir), path, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return doubtf("the submodule %s has settings of its own", path)
		}
	}
	return nil
}

// submodules lists the entries of an index that are commits of another repository.
func submodules(index []byte) (paths []string, ok bool) {
	const (
		header, modeAt, fixed = 12, 24, 40 // bytes; fixed is what stands before the object's name
		kindMask, link        = 0o170000, 0o160000
		extended              = 0x4000
	)
	if len(index) < header || string(index[:4]) != "DIRC" {
		return nil, false
	}
	version := binary.BigEndian.Uint32(index[4:])
	if version != 2 && version != 3 {
		return nil, false
	}
	const hash = 20
	at := header
	for range binary.BigEndian.Uint32(index[8:]) {
		start := at
		if at+fixed+hash+2 > len(index) {
			return nil, false
		}
		mode := binary.BigEndian.Uint32(index[at+modeAt:])
		flags := binary.BigEndian.Uint16(index[at+fixed+hash:])
		at += fixed + hash + 2
		if flags&extended != 0 {
			at += 2
		}
		if at > len(index) {
			return nil, false
		}
		n := bytes.IndexByte(index[at:], 0)
		if n < 0 {
			return nil, false
		}
		if mode&kindMask == link {
			paths = append(paths, string(index[at:at+n]))
		}
		at += n
		at += 8 - (at-start)%8 // one to eight zeroes fill up to a multiple of eight
	}
	if len(index) >= at+4 && string(index[at:at+4]) == "link" {
		return nil, false // a shared index holds the rest
	}
	return paths, at+hash <= len(index)
}
