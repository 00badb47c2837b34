package file

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

// Codes of refusals.
const (
	CodeChangedMeanwhile = "CHANGED_MEANWHILE"
	CodeNotFound         = "NOT_FOUND"
	CodeFolder           = "IS_FOLDER"
	CodeNotFolder        = "NOT_A_FOLDER"
	CodeSpecial          = "SPECIAL_FILE"
	CodeHardLinked       = "HARD_LINKED"
	CodeReadOnly         = "READ_ONLY_FILE"
	CodeTooLarge         = "FILE_TOO_LARGE"
	CodeBinary           = "BINARY_FILE"
)

// Place is a file, there or not, as it is reached from a handle of its folder. On
// the way to it nothing was a link, so what is read and written here is what was
// judged, also while somebody swaps folders for links.
type Place struct {
	Path   string // resolved
	Name   string // in Folder
	Folder *os.Root
}

// Reach opens the folder of a resolved path. Anchor is a resolved folder that is
// trusted to be what its path says, such as the workspace. With create, missing
// folders are made; otherwise a missing one is fault.NotFound.
func Reach(anchor, path string, create bool) (*Place, error) {
	folder, err := OpenFolder(anchor, filepath.Dir(path), create)
	if err != nil {
		return nil, err
	}
	return &Place{Path: path, Name: filepath.Base(path), Folder: folder}, nil
}

// Close lets the folder go.
func (p *Place) Close() { p.Folder.Close() }

// OpenFolder walks to a folder, one component after the other, none of them a link;
// see [Reach].
func OpenFolder(anchor, path string, create bool) (*os.Root, error) {
	start := filepath.VolumeName(path) + string(filepath.Separator)
	if anchor != "" && tool.Within(anchor, path) {
		start = anchor
	}
	at, err := os.OpenRoot(start)
	if err != nil {
		return nil, Unreachable(path, err)
	}
	rest, err := filepath.Rel(start, path)
	if err != nil {
		at.Close()
		return nil, Unreachable(path, err)
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
		return nil, Unreachable(path, err)
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, ChangedMeanwhile(path)
	case !seen.IsDir():
		return nil, fault.New(fault.Invalid, "file.open", "%s is not a folder, so %s cannot be in it.", name, path).WithCode(CodeNotFolder)
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, Unreachable(path, err)
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(seen, opened) {
		next.Close()
		return nil, ChangedMeanwhile(path)
	}
	return next, nil
}

func openByPath(path string) (*os.Root, error) {
	at, err := os.OpenRoot(path)
	if err != nil {
		return nil, Unreachable(path, err)
	}
	if plain, err := filepath.EvalSymlinks(path); err != nil || plain != path {
		at.Close()
		return nil, ChangedMeanwhile(path)
	}
	return at, nil
}

// Unreachable is the refusal for a path that the system would not open, by the cause.
func Unreachable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.NotFound, "file.open", err, "%s does not exist.", path).WithCode(CodeNotFound)
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(fault.Denied, "file.open", err, "The system does not let us open %s.", path)
	}
	return fault.Wrap(fault.Unavailable, "file.open", err, "%s cannot be opened.", path)
}

// ChangedMeanwhile is the refusal for a path that is no longer what was judged or read.
func ChangedMeanwhile(path string) error {
	return fault.New(fault.Conflict, "file.open", "Something on the way to %s was changed while it was being opened. Nothing was changed by this call; look again.", path).WithCode(CodeChangedMeanwhile)
}

// Look says what stands at the place; nil for nothing.
func (p *Place) Look() (fs.FileInfo, error) {
	about, err := p.Folder.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Unreachable(p.Path, err)
	}
	return about, nil
}

// Open opens a regular file for reading. Folders, devices, pipes and sockets are
// refused without being opened: opening one can hang or do something.
func (p *Place) Open() (*os.File, fs.FileInfo, error) {
	about, err := p.Regular()
	if err != nil {
		return nil, nil, err
	}
	f, err := p.Folder.OpenFile(p.Name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, Unreachable(p.Path, err)
	}
	opened, err := f.Stat()
	if err != nil || !os.SameFile(about, opened) || !opened.Mode().IsRegular() {
		f.Close()
		return nil, nil, ChangedMeanwhile(p.Path)
	}
	return f, opened, nil
}

// Regular says what file stands at the place. Nothing there is fault.NotFound;
// folders, devices, pipes and sockets are refused.
func (p *Place) Regular() (fs.FileInfo, error) {
	about, err := p.Look()
	switch {
	case err != nil:
		return nil, err
	case about == nil:
		return nil, Unreachable(p.Path, fs.ErrNotExist)
	}
	return about, p.regular(about)
}

func (p *Place) regular(about fs.FileInfo) error {
	mode := about.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fault.New(fault.Invalid, "file.open", "%s is a folder. Use list to see what is in it.", p.Path).WithCode(CodeFolder)
	case mode&fs.ModeSymlink != 0:
		return ChangedMeanwhile(p.Path)
	}
	return fault.New(fault.Invalid, "file.open", "%s is a %s, not a file with content. It was not opened.", p.Path, Special(mode)).WithCode(CodeSpecial)
}

// Special names what is no file, folder or link: a pipe, a socket or a device.
func Special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// MostBytes is the largest file that is read whole and can be edited.
const MostBytes = 16 << 20

// Content is a file's bytes as read at one moment.
type Content struct {
	Raw   []byte
	About fs.FileInfo // nil where there is no file
	Sum   string      // SHA-256 of raw as hex, tool.Absent where there is no file
}

// Read reads a file whole; fault.TooLarge over MostBytes.
func (p *Place) Read() (Content, error) {
	f, about, err := p.Open()
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, MostBytes+1))
	if err != nil {
		return Content{}, Unreachable(p.Path, err)
	}
	if len(raw) > MostBytes {
		return Content{}, fault.New(fault.TooLarge, "file.read", "%s has %s; files over %s are not read whole. Nothing was changed.", p.Path, ByteCount(about.Size()), ByteCount(MostBytes)).WithCode(CodeTooLarge)
	}
	return Content{raw, about, Sum(raw)}, nil
}

// Sum is the SHA-256 of bytes, as hex.
func Sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// Replace puts new bytes in the place of what was read, or where nothing was: a
// temporary file beside it is written and renamed, with the mode and owner of the
// old one. It refuses where the file is no longer the one that was read. Confirm
// is asked at the last moment before the rename. A new file gets the mode of like,
// the usual one where that is nil.
func (p *Place) Replace(was Content, raw []byte, like fs.FileInfo, confirm func() error) error {
	if was.About != nil {
		if err := p.Replaceable(was.About); err != nil {
			return err
		}
		if err := p.writable(was.About); err != nil {
			return err
		}
		like = was.About
	}
	temp := ".fairlead-" + strings.ToLower(rand.Text()[:12]) + ".tmp"
	if err := p.writeTemp(temp, like, raw); err != nil {
		return err
	}
	err := p.settle(temp, was.About, confirm)
	if err != nil {
		// The temporary file is ours and of no use; that it may be gone already is fine.
		_ = p.Folder.Remove(temp)
	}
	return err
}

// Replaceable refuses files that a rename would break or that are not to be written.
func (p *Place) Replaceable(about fs.FileInfo) error {
	if err := p.regular(about); err != nil {
		return err
	}
	if n := links(about); n > 1 {
		return fault.New(fault.Denied, "file.write", "%s has %d names (hard links); replacing it would part them. Nothing was changed. Copy it first, or change it with a shell command.", p.Path, n).WithCode(CodeHardLinked)
	}
	if about.Mode().Perm()&0o222 == 0 {
		return p.writeProtected(about, nil)
	}
	return nil
}

// writable refuses a file that the system would not let us write: a rename asks
// for the folder only. It is not asked while a change is merely planned, because
// opening a file for writing is noticed by whoever watches it.
func (p *Place) writable(about fs.FileInfo) error {
	f, err := p.Folder.OpenFile(p.Name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return p.writeProtected(about, err)
	case err != nil:
		return Unreachable(p.Path, err)
	}
	return f.Close()
}

func (p *Place) writeProtected(about fs.FileInfo, cause error) error {
	return fault.Wrap(fault.Denied, "file.write", cause, "%s is write-protected (mode %s). Nothing was changed.", p.Path, about.Mode().Perm()).WithCode(CodeReadOnly)
}

func (p *Place) writeTemp(temp string, like fs.FileInfo, raw []byte) (err error) {
	mode := fs.FileMode(0o666)
	if like != nil {
		mode = 0o600
	}
	f, err := p.Folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return notWritten(p.Path, err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = notWritten(p.Path, closed)
		}
		if err != nil {
			_ = p.Folder.Remove(temp) // ours and half written
		}
	}()
	if like != nil {
		if err := keepOwner(f, like); err != nil {
			return notWritten(p.Path, err)
		}
		if err := f.Chmod(like.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)); err != nil {
			return notWritten(p.Path, err)
		}
	}
	if _, err := f.Write(raw); err != nil {
		return notWritten(p.Path, err)
	}
	if err := f.Sync(); err != nil {
		return notWritten(p.Path, err)
	}
	return nil
}

// settle gives the temporary file its name.
func (p *Place) settle(temp string, was fs.FileInfo, confirm func() error) error {
	if confirm != nil {
		if err := confirm(); err != nil {
			return err
		}
	}
	now, err := p.Look()
	if err != nil {
		return err
	}
	if was == nil {
		if now != nil {
			return ChangedMeanwhile(p.Path)
		}
		// A link fails where a name exists, a rename would replace it.
		if err := p.Folder.Link(temp, p.Name); err == nil {
			return p.Folder.Remove(temp)
		} else if errors.Is(err, fs.ErrExist) {
			return ChangedMeanwhile(p.Path)
		}
	} else if now == nil || !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()) {
		return ChangedMeanwhile(p.Path)
	}
	if err := p.Folder.Rename(temp, p.Name); err != nil {
		return notWritten(p.Path, err)
	}
	return nil
}

// Remove deletes the file that was read, if it is still that one.
func (p *Place) Remove(was Content) error {
	now, err := p.Look()
	if err != nil {
		return err
	}
	if was.About == nil || now == nil || !os.SameFile(was.About, now) || was.About.Size() != now.Size() || !was.About.ModTime().Equal(now.ModTime()) {
		return ChangedMeanwhile(p.Path)
	}
	if err := p.Folder.Remove(p.Name); err != nil {
		return notWritten(p.Path, err)
	}
	return nil
}

func notWritten(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fault.Wrap(fault.Unavailable, "file.write", err, "The disk is full; %s was not changed. Make room and try again.", path).WithCode("disk-full")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fault.Wrap(fault.Denied, "file.write", err, "The system does not let us write in the folder of %s. Nothing was changed.", path).WithCode(CodeReadOnly)
	}
	return fault.Wrap(fault.Unavailable, "file.write", err, "%s could not be written. Nothing was changed.", path)
}

// ByteCount writes a size for people.
func ByteCount(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return strconv.FormatInt(n/1000, 10) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
