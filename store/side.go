package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"fairlead/fault"
	"fairlead/session"
)

// side is what stands beside a log: blobs and the checkpoint.
type side struct {
	id   session.ID
	root *os.Root
}

func blobName(sum string) (string, error) {
	if len(sum) != 2*sha256.Size || strings.Trim(sum, "0123456789abcdef") != "" {
		return "", fault.New(fault.Invalid, "store.blob", "%q is not a SHA-256.", sum)
	}
	return blobsName + "/" + sum, nil
}

// Blob reads content and checks that it is what it was.
func (s *side) Blob(sum string) ([]byte, error) {
	name, err := blobName(sum)
	if err != nil {
		return nil, err
	}
	b, err := s.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "store.blob", "Session %s does not hold the content %s.", s.id, sum)
	}
	if err != nil {
		return nil, failed("store.blob", err)
	}
	if have := sha256.Sum256(b); hex.EncodeToString(have[:]) != sum {
		return nil, fault.New(fault.NotFound, "store.blob", "The content %s of session %s was changed and is not used.", sum, s.id).WithCode(session.CodeBlobChanged)
	}
	return b, nil
}

// Part opens a part.
func (s *side) Part(name session.PartName) (session.Part, error) {
	if err := partName(name); err != nil {
		return nil, err
	}
	f, err := s.root.Open(string(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("store.part", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(failed("store.part", err), f.Close())
	}
	return &part{File: f, size: info.Size()}, nil
}

type part struct {
	*os.File
	size int64
}

func (p *part) Size() int64 { return p.size }

func partName(name session.PartName) error {
	if !name.Valid() {
		return fault.New(fault.Invalid, "store.part", "%q is not a part of a session.", string(name))
	}
	return nil
}

func (s *side) read(name string) ([]byte, error) {
	f, err := s.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(f, b)
	return b, err
}

// write puts content under a name at once: whoever reads sees the old or the new.
// The file is returned open, for forcing it to disk.
func (s *side) write(name string, content io.Reader) (*os.File, error) {
	fresh := name + ".new"
	f, err := s.root.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = s.root.Rename(fresh, name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), s.root.Remove(fresh))
	}
	return f, nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return failed("store.sync", err)
	}
	defer d.Close()
	return failed("store.sync", d.Sync())
}
