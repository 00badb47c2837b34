package toolbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"fairlead/fault"
	"fairlead/tool"
)

// Codes of the file tools' refusals.
const (
	codeChangedMeanwhile = "CHANGED_MEANWHILE"
	codeNotFound         = "NOT_FOUND"
	codeFolder           = "IS_FOLDER"
	codeNotFolder        = "NOT_A_FOLDER"
	codeSpecial          = "SPECIAL_FILE"
	codeHardLinked       = "HARD_LINKED"
	codeReadOnly         = "READ_ONLY_FILE"
	codeTooLarge         = "FILE_TOO_LARGE"
	codeBinary           = "BINARY_FILE"
)

// place is a file, there or not, as it is reached from a handle of its folder. On
// the way to it nothing was a link, so what is read and written here is what was
// judged, also while somebody swaps folders for links.
type place struct {
	path   string // resolved
	name   string
	folder *os.Root
}

// reach opens the folder of a resolved path. Anchor is a resolved folder that is
// trusted to be what its path says, such as the workspace. With create, missing
// folders are made; otherwise a missing one is fault.NotFound.
func reach(anchor, path string, create bool) (*place, error) {
	folder, err := openFolder(anchor, filepath.Dir(path), create)
	if err != nil {
		return nil, err
	}
	return &place{path: path, name: filepath.Base(path), folder: folder}, nil
}

func (p *place) close() { p.folder.Close() }

// openFolder walks to a folder, one component after the other.
func openFolder(anchor, path string, create bool) (*os.Root, error) {
	start := filepath.VolumeName(path) + string(filepath.Separator)
	if anchor != "" && tool.Within(anchor, path) {
		start = anchor
	}
	at, err := os.OpenRoot(start)
	if err != nil {
		return nil, unreachable(path, err)
	}
	rest, err := filepath.Rel(start, path)
	if err != nil {
		at.Close()
		return nil, unreachable(path, err)
	}
	for name := range strings.SplitSeq(rest, string(filepath.Separator)) {
		if name == "." {
			continue
		}
		next, err := step(at, name, path, create)
		at.Close()
		if errors.Is(err, fs.ErrPermission) && start != anchor {
			return openByPath(path) // a folder on the way may be entered but not read
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// step opens a folder in a folder and makes sure that it is none reached by a link.
func step(at *os.Root, name, path string, create bool) (*os.Root, error) {
	seen, err := at.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err = at.Mkdir(name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			seen, err = at.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return nil, unreachable(path, err)
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, changedMeanwhile(path)
	case !seen.IsDir():
		return nil, fault.New(fault.Invalid, "toolbox.open", "%s is not a folder, so %s cannot be in it.", name, path).WithCode(codeNotFolder)
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, unreachable(path, err)
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(seen, opened) {
		next.Close()
		return nil, changedMeanwhile(path)
	}
	return next, nil
}

func openByPath(path string) (*os.Root, error) {
	at, err := os.OpenRoot(path)
	if err != nil {
		return nil, unreachable(path, err)
	}
	if plain, err := filepath.EvalSymlinks(path); err != nil || plain != path {
		at.Close()
		return nil, changedMeanwhile(path)
	}
	return at, nil
}

func unreachable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.NotFound, "toolbox.open", err, "%s does not exist.", path).WithCode(codeNotFound)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(fault.Denied, "toolbox.open", err, "The system does not let us open %s.", path)
	}
	return fault.Wrap(fault.Unavailable, "toolbox.open", err, "%s cannot be opened.", path)
}

func changedMeanwhile(path string) error {
	return fault.New(fault.Conflict, "toolbox.open", "Something on the way to %s was changed while it was being opened. Nothing was changed by this call; look again.", path).WithCode(codeChangedMeanwhile)
}

// look says what stands at the place; nil for nothing.
func (p *place) look() (fs.FileInfo, error) {
	about, err := p.folder.Lstat(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreachable(p.path, err)
	}
	return about, nil
}

// open opens a regular file for reading. Folders, devices, pipes and sockets are
// refused without being opened: opening one can hang or do something.
func (p *place) open() (*os.File, fs.FileInfo, error) {
	about, err := p.look()
	switch {
	case err != nil:
		return nil, nil, err
	case about == nil:
		return nil, nil, unreachable(p.path, fs.ErrNotExist)
	}
	if err := p.regular(about); err != nil {
		return nil, nil, err
	}
	f, err := p.folder.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, unreachable(p.path, err)
	}
	opened, err := f.Stat()
	if err != nil || !os.SameFile(about, opened) || !opened.Mode().IsRegular() {
		f.Close()
		return nil, nil, changedMeanwhile(p.path)
	}
	return f, opened, nil
}

func (p *place) regular(about fs.FileInfo) error {
	mode := about.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fault.New(fault.Invalid, "toolbox.open", "%s is a folder. Use list to see what is in it.", p.path).WithCode(codeFolder)
	case mode&fs.ModeSymlink != 0:
		return changedMeanwhile(p.path)
	}
	return fault.New(fault.Invalid, "toolbox.open", "%s is a %s, not a file with content. It was not opened.", p.path, special(mode)).WithCode(codeSpecial)
}

func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// mostBytes is the largest file that is read whole and can be edited.
const mostBytes = 16 << 20

// content is a file's bytes as read at one moment.
type content struct {
	raw   []byte
	about fs.FileInfo // nil where there is no file
	sum   string      // SHA-256 of raw as hex, tool.Absent where there is no file
}

// read reads a file whole; fault.TooLarge over mostBytes.
func (p *place) read() (content, error) {
	f, about, err := p.open()
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return content{}, unreachable(p.path, err)
	}
	if len(raw) > mostBytes {
		return content{}, fault.New(fault.TooLarge, "toolbox.read", "%s has %s; files over %s are not read whole. Nothing was changed.", p.path, byteCount(about.Size()), byteCount(mostBytes)).WithCode(codeTooLarge)
	}
	return content{raw, about, sum(raw)}, nil
}

func sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// replace puts new bytes in the place of what was read, or where nothing was: a
// temporary file beside it is written and renamed, with the mode and owner of the
// old one. It refuses where the file is no longer the one that was read. Confirm
// is asked at the last moment before the rename. A new file gets the mode of like,
// the usual one where that is nil.
func (p *place) replace(was content, raw []byte, like fs.FileInfo, confirm func() error) error {
	if was.about != nil {
		if err := p.replaceable(was.about); err != nil {
			return err
		}
		if err := p.writable(was.about); err != nil {
			return err
		}
		like = was.about
	}
	temp := ".fairlead-" + strings.ToLower(rand.Text()[:12]) + ".tmp"
	if err := p.writeTemp(temp, like, raw); err != nil {
		return err
	}
	err := p.settle(temp, was.about, confirm)
	if err != nil {
		// The temporary file is ours and of no use; that it may be gone already is fine.
		_ = p.folder.Remove(temp)
	}
	return err
}

// replaceable refuses files that a rename would break or that are not to be written.
func (p *place) replaceable(about fs.FileInfo) error {
	if err := p.regular(about); err != nil {
		return err
	}
	if n := links(about); n > 1 {
		return fault.New(fault.Denied, "toolbox.write", "%s has %d names (hard links); replacing it would part them. Nothing was changed. Copy it first, or change it with a shell command.", p.path, n).WithCode(codeHardLinked)
	}
	if about.Mode().Perm()&0o222 == 0 {
		return p.writeProtected(about, nil)
	}
	return nil
}

// writable refuses a file that the system would not let us write: a rename asks
// for the folder only. It is not asked while a change is merely planned, because
// opening a file for writing is noticed by whoever watches it.
func (p *place) writable(about fs.FileInfo) error {
	f, err := p.folder.OpenFile(p.name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return p.writeProtected(about, err)
	case err != nil:
		return unreachable(p.path, err)
	}
	return f.Close()
}

func (p *place) writeProtected(about fs.FileInfo, cause error) error {
	return fault.Wrap(fault.Denied, "toolbox.write", cause, "%s is write-protected (mode %s). Nothing was changed.", p.path, about.Mode().Perm()).WithCode(codeReadOnly)
}

func (p *place) writeTemp(temp string, like fs.FileInfo, raw []byte) (err error) {
	mode := fs.FileMode(0o666)
	if like != nil {
		mode = 0o600
	}
	f, err := p.folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return notWritten(p.path, err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = notWritten(p.path, closed)
		}
		if err != nil {
			_ = p.folder.Remove(temp) // ours and half written
		}
	}()
	if like != nil {
		if err := keepOwner(f, like); err != nil {
			return notWritten(p.path, err)
		}
		if err := f.Chmod(like.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)); err != nil {
			return notWritten(p.path, err)
		}
	}
	if _, err := f.Write(raw); err != nil {
		return notWritten(p.path, err)
	}
	if err := f.Sync(); err != nil {
		return notWritten(p.path, err)
	}
	return nil
}

// settle gives the temporary file its name.
func (p *place) settle(temp string, was fs.FileInfo, confirm func() error) error {
	if confirm != nil {
		if err := confirm(); err != nil {
			return err
		}
	}
	now, err := p.look()
	if err != nil {
		return err
	}
	if was == nil {
		if now != nil {
			return changedMeanwhile(p.path)
		}
		// A link fails where a name exists, a rename would replace it.
		if err := p.folder.Link(temp, p.name); err == nil {
			return p.folder.Remove(temp)
		} else if errors.Is(err, fs.ErrExist) {
			return changedMeanwhile(p.path)
		}
	} else if now == nil || !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()) {
		return changedMeanwhile(p.path)
	}
	if err := p.folder.Rename(temp, p.name); err != nil {
		return notWritten(p.path, err)
	}
	return nil
}

// remove deletes the file that was read, if it is still that one.
func (p *place) remove(was content) error {
	now, err := p.look()
	if err != nil {
		return err
	}
	if was.about == nil || now == nil || !os.SameFile(was.about, now) || was.about.Size() != now.Size() || !was.about.ModTime().Equal(now.ModTime()) {
		return changedMeanwhile(p.path)
	}
	if err := p.folder.Remove(p.name); err != nil {
		return notWritten(p.path, err)
	}
	return nil
}

func notWritten(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fault.Wrap(fault.Unavailable, "toolbox.write", err, "The disk is full; %s was not changed. Make room and try again.", path).WithCode("disk-full")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Wrap(fault.Denied, "toolbox.write", err, "The system does not let us write in the folder of %s. Nothing was changed.", path).WithCode(codeReadOnly)
	}
	return fault.Wrap(fault.Unavailable, "toolbox.write", err, "%s could not be written. Nothing was changed.", path)
}

// byteCount writes a size for people.
func byteCount(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return strconv.FormatInt(n/1000, 10) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
