package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"fairlead/config"
	"fairlead/fault"
)

// Trusted is what a person answered for the files of one folder: SHA-256 of the
// bytes by path, relative to the folder with slashes.
type Trusted struct {
	Folder   string            `json:"folder"`
	Accepted map[string]string `json:"accepted,omitempty"`
	Refused  map[string]string `json:"refused,omitempty"`
}

// TrustFile keeps the answers as the part "folders" of trust.json in Fairlead's home;
// the file's other parts stay as they are. It is read each time: a person may edit it,
// and another process may have written it.
type TrustFile struct{ path string }

// NewTrustFile keeps answers in a file, which need not exist.
func NewTrustFile(path string) *TrustFile { return &TrustFile{path: path} }

// trustPart is the part of the file that is ours.
const trustPart = "folders"

// List gives the answers, by folder. It fails where the file cannot be read; then
// nothing is accepted.
func (t *TrustFile) List() ([]Trusted, error) {
	parts, err := config.Parts(t.path)
	if err != nil {
		return nil, t.unread(err)
	}
	return t.read(parts[trustPart])
}

func (t *TrustFile) read(part json.RawMessage) (list []Trusted, err error) {
	if len(part) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(part))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, t.unread(err)
	}
	return list, nil
}

func (t *TrustFile) unread(err error) error {
	return fault.Wrap(fault.Invalid, "permission.trust", err, "What was accepted of folders, in %s, cannot be read, so nothing of a folder counts. Correct the file or remove it.", t.path)
}

// of gives the answers for a folder; the zero value where there are none.
func (t *TrustFile) of(folder string) (Trusted, error) {
	list, err := t.List()
	if at := slices.IndexFunc(list, func(o Trusted) bool { return o.Folder == folder }); at >= 0 {
		return list[at], err
	}
	return Trusted{Folder: folder}, err
}

// answer keeps an answer to exactly these bytes, in place of earlier ones to the
// same files.
func (t *TrustFile) answer(folder string, sums map[string]string, yes bool) error {
	return t.change(func(list []Trusted) ([]Trusted, error) {
		at := slices.IndexFunc(list, func(o Trusted) bool { return o.Folder == folder })
		if at < 0 {
			at, list = len(list), append(list, Trusted{Folder: folder})
		}
		accepted, refused := orEmpty(list[at].Accepted), orEmpty(list[at].Refused)
		for path, sum := range sums {
			delete(accepted, path)
			delete(refused, path)
			if yes {
				accepted[path] = sum
			} else {
				refused[path] = sum
			}
		}
		list[at] = Trusted{Folder: folder, Accepted: accepted, Refused: refused}
		return list, nil
	})
}

// Revoke forgets what was answered for a folder: it is asked about again when it is
// opened. It fails with fault.NotFound where nothing was answered.
func (t *TrustFile) Revoke(folder string) error {
	return t.change(func(list []Trusted) ([]Trusted, error) {
		kept := slices.DeleteFunc(list, func(o Trusted) bool { return o.Folder == folder })
		if len(kept) == len(list) {
			return nil, fault.New(fault.NotFound, "permission.trust", "Nothing was answered for the folder %s. Nothing was changed; see fairlead permission trust list.", folder)
		}
		return kept, nil
	})
}

func (t *TrustFile) change(to func([]Trusted) ([]Trusted, error)) error {
	if _, err := t.List(); err != nil {
		return err
	}
	err := config.ChangePart(t.path, trustPart, func(part json.RawMessage) (json.RawMessage, error) {
		list, err := t.read(part)
		if err == nil {
			list, err = to(list)
		}
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b Trusted) int { return strings.Compare(a.Folder, b.Folder) })
		return json.Marshal(append([]Trusted{}, list...))
	})
	if _, known := errors.AsType[*fault.Error](err); err == nil || known {
		return err
	}
	return fault.Wrap(fault.Unavailable, "permission.trust", err, "The answer could not be saved in %s, so nothing was changed.", t.path)
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}
