package interchange

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"fairlead/fault"
	"fairlead/session"
)

// manifest is the first file of an archive.
type manifest struct {
	Product string     `json:"product"`
	Format  int        `json:"format"`
	Session session.ID `json:"session"`
}

const manifestName = "fairlead-session.json"

// Bounds of an archive that is brought in: more files, bigger ones or a stronger
// compression than a session has are refused.
const (
	mostFiles   = 1 << 20
	biggestFile = 4 << 30
	worstRatio  = 1000
)

// Archive writes a session as a ZIP that Bring takes: the log byte for byte, and
// everything beside it.
func Archive(ctx context.Context, lib *session.Library, id session.ID, w io.Writer) error {
	z := zip.NewWriter(w)
	head, err := z.Create(manifestName)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(head).Encode(manifest{"fairlead", session.Format, id}); err != nil {
		return err
	}
	err = lib.Carry(ctx, id, func(piece string, r io.Reader) error {
		f, err := z.Create(string(id) + "/" + piece)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}

func bringArchive(ctx context.Context, lib *session.Library, text []byte) (Brought, error) {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return Brought{}, fault.Wrap(fault.Invalid, "interchange.bring", err, "The archive is damaged. Nothing was imported")
	}
	m, err := readManifest(z)
	if err != nil {
		return Brought{}, err
	}
	pieces, err := piecesOf(z, m.Session)
	if err != nil {
		return Brought{}, err
	}
	err = lib.Adopt(ctx, m.Session, func(yield func(string, io.Reader) error) error {
		for _, f := range pieces {
			r, err := f.Open()
			if err != nil {
				return err
			}
			err = yield(strings.TrimPrefix(f.Name, string(m.Session)+"/"), io.LimitReader(r, int64(f.UncompressedSize64)))
			if closeErr := r.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Brought{}, err
	}
	log, err := lib.Read(ctx, m.Session)
	if err != nil {
		return Brought{}, err
	}
	defer log.Close(ctx)
	meta, err := session.StateOf(log, session.Meta)
	return Brought{Session: m.Session, Title: meta.Title, Turns: meta.Turns}, err
}

func readManifest(z *zip.Reader) (m manifest, err error) {
	f, err := z.Open(manifestName)
	if err != nil {
		return m, fault.New(fault.Invalid, "interchange.bring", "The archive is not an exported session: it holds no %s. Nothing was imported.", manifestName)
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, 1<<16)).Decode(&m); err != nil || m.Product != "fairlead" {
		return m, fault.New(fault.Invalid, "interchange.bring", "The archive's %s cannot be read. Nothing was imported.", manifestName)
	}
	if m.Format > session.Format {
		return m, fault.New(fault.Invalid, "interchange.bring", "The archive has format %d, this build knows up to %d. Nothing was imported. Upgrade Fairlead and import it again.", m.Format, session.Format).WithCode(session.CodeNewer)
	}
	return m, nil
}

// piecesOf lists the files of the session, the log first, and refuses an archive
// whose names or sizes no export has.
func piecesOf(z *zip.Reader, id session.ID) ([]*zip.File, error) {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "interchange.bring", "The archive %s. Nothing was imported.", fmt.Sprintf(format, args...))
	}
	if len(z.File) > mostFiles {
		return nil, refuse("holds %d files, which no session has", len(z.File))
	}
	var log *zip.File
	var rest []*zip.File
	seen := map[string]bool{}
	for _, f := range z.File {
		folded := strings.ToLower(f.Name)
		switch {
		case f.Name == manifestName:
			continue
		case f.Name != path.Clean(f.Name) || path.IsAbs(f.Name) || strings.Contains(f.Name, `\`) || !strings.HasPrefix(f.Name, string(id)+"/"):
			return nil, refuse("holds the name %q, which leads out of the session", f.Name)
		case seen[folded]:
			return nil, refuse("holds %q twice", f.Name)
		case !f.Mode().IsRegular():
			return nil, refuse("holds %q, which is no plain file", f.Name)
		case f.UncompressedSize64 > biggestFile || f.UncompressedSize64 > 1<<20 && f.UncompressedSize64/max(f.CompressedSize64, 1) > worstRatio:
			return nil, refuse("holds %q, which unpacks to %d bytes", f.Name, f.UncompressedSize64)
		}
		seen[folded] = true
		if f.Name == string(id)+"/"+session.PieceLog {
			log = f
		} else {
			rest = append(rest, f)
		}
	}
	if log == nil {
		return nil, refuse("holds no log")
	}
	return append([]*zip.File{log}, rest...), nil
}
