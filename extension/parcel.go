package extension

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"fairlead/fault"
)

// What bounds the files that a plugin is made of.
const (
	mostFiles   = 1000
	mostFile    = 1 << 20  // bytes of one
	mostParcel  = 8 << 20  // bytes of all, unpacked
	mostArchive = 16 << 20 // bytes of an archive as it comes
)

// parcel is the files that a plugin is made of, in memory alone: nothing is unpacked
// onto the disk.
type parcel struct {
	files  map[string][]byte // by path with slashes, relative
	folded map[string]bool   // the paths in small letters, for names that differ in case alone
	total  int
	origin string // where it is from, and the hash of an archive
}

func refusedParcel(format string, args ...any) error {
	return fault.New(fault.Invalid, "extension.add", format+" Nothing was added.", args...).WithCode("plugin-refused")
}

// readParcel reads a folder or an archive (.zip, .tar, .tar.gz, .tgz).
func readParcel(from string) (*parcel, error) {
	p := &parcel{files: map[string][]byte{}, folded: map[string]bool{}, origin: from}
	about, err := os.Stat(from)
	if err != nil {
		return nil, fault.Wrap(fault.NotFound, "extension.add", err, "%s cannot be read. Nothing was added.", from)
	}
	if about.IsDir() {
		return p, p.folder(from)
	}
	if about.Size() > mostArchive {
		return nil, refusedParcel("%s has %d bytes; an archive may have %d.", from, about.Size(), mostArchive)
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "extension.add", err, "%s cannot be read. Nothing was added.", from)
	}
	sum := sha256.Sum256(raw)
	p.origin += " sha256 " + hex.EncodeToString(sum[:])
	if bytes.HasPrefix(raw, []byte("PK")) {
		return p, p.zip(raw)
	}
	return p, p.tar(raw)
}

// add takes one file in. size is what the archive claims; what comes counts.
func (p *parcel) add(name string, r io.Reader) error {
	if err := p.claim(name); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(r, mostFile+1))
	switch p.total += len(text); {
	case err != nil:
		return fault.Wrap(fault.Invalid, "extension.add", err, "%q cannot be unpacked. Nothing was added.", name)
	case len(text) > mostFile:
		return refusedParcel("%q has more than %d bytes.", name, mostFile)
	case p.total > mostParcel:
		return refusedParcel("The files have more than %d bytes.", mostParcel)
	}
	p.files[name] = text
	return nil
}

// claim checks the path of an entry, component by component.
func (p *parcel) claim(name string) error {
	clean := strings.TrimSuffix(name, "/")
	if !fs.ValidPath(clean) || clean == "." || strings.ContainsAny(name, "\\:\x00") {
		return refusedParcel("It holds the path %q, which leads out of it.", name)
	}
	low := strings.ToLower(clean)
	if p.folded[low] {
		return refusedParcel("It holds %q twice, or in two spellings.", name)
	}
	if p.folded[low] = true; len(p.folded) > mostFiles {
		return refusedParcel("It holds more than %d files.", mostFiles)
	}
	return nil
}

func (p *parcel) folder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "extension.add", err, "%s cannot be read. Nothing was added.", dir)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.Wrap(fault.Unavailable, "extension.add", err, "%s cannot be read. Nothing was added.", filepath.Join(dir, name))
		case name == ".":
			return nil
		case strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return p.claim(name)
		case !e.Type().IsRegular():
			return refusedParcel("%q is a link or no file.", name)
		}
		f, err := root.Open(name)
		if err != nil {
			return fault.Wrap(fault.Unavailable, "extension.add", err, "%s cannot be read. Nothing was added.", filepath.Join(dir, name))
		}
		defer f.Close()
		return p.add(name, f)
	})
}

func (p *parcel) zip(raw []byte) error {
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // such paths are named by claim
		return fault.Wrap(fault.Invalid, "extension.add", err, "The archive cannot be read. Nothing was added.")
	}
	for _, e := range r.File {
		switch mode := e.Mode(); {
		case mode.IsDir():
			err = p.claim(e.Name)
		case !mode.IsRegular():
			err = refusedParcel("%q is a link or no file.", e.Name)
		default:
			var f io.ReadCloser
			if f, err = e.Open(); err == nil {
				err = errors.Join(p.add(e.Name, f), f.Close())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parcel) tar(raw []byte) error {
	var r io.Reader = bytes.NewReader(raw)
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		packed, err := gzip.NewReader(r)
		if err != nil {
			return fault.Wrap(fault.Invalid, "extension.add", err, "The archive cannot be read. Nothing was added.")
		}
		// Headers and padding come on top of the files; a skipped entry is bounded, too.
		r = io.LimitReader(packed, 2*mostParcel)
	}
	for t := tar.NewReader(r); ; {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return fault.Wrap(fault.Invalid, "extension.add", err, "The archive is no zip, tar or tar.gz file, or is broken or too large. Nothing was added.")
		}
		switch e.Typeflag {
		case tar.TypeXGlobalHeader:
		case tar.TypeDir:
			if strings.Trim(e.Name, "./") != "" {
				err = p.claim(strings.TrimPrefix(e.Name, "./"))
			}
		case tar.TypeReg:
			err = p.add(strings.TrimPrefix(e.Name, "./"), t)
		default:
			err = refusedParcel("%q is a link or no file.", e.Name)
		}
		if err != nil {
			return err
		}
	}
}

// unwrap takes away the one folder that everything is in, as archives have it.
func (p *parcel) unwrap() {
	top := ""
	for name := range p.files {
		first, _, inside := strings.Cut(name, "/")
		if !inside || top != "" && first != top {
			return
		}
		top = first
	}
	inner := make(map[string][]byte, len(p.files))
	for name, text := range p.files {
		inner[strings.TrimPrefix(name, top+"/")] = text
	}
	p.files = inner
}

// find gives the first of the names that is a file.
func (p *parcel) find(names ...string) string {
	for _, name := range names {
		if _, ok := p.files[path.Clean(name)]; ok {
			return path.Clean(name)
		}
	}
	return ""
}
