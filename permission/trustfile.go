package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

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
type TrustFile struct {
	path string
	mu   sync.Mutex
}

// NewTrustFile keeps answers in a file, which need not exist.
func NewTrustFile(path string) *TrustFile { return &TrustFile{path: path} }

// trustPart is the part of the file that is ours.
const trustPart = "folders"

// List gives the answers, by folder. It fails where the file cannot be read; then
// nothing is accepted.
func (t *TrustFile) List() ([]Trusted, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list, _, err := t.load()
	return list, err
}

// load reads the file: our part of it, and all parts as they stand.
func (t *TrustFile) load() (list []Trusted, parts map[string]json.RawMessage, err error) {
	parts = map[string]json.RawMessage{}
	text, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, parts, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &parts)
	}
	if err == nil && len(parts[trustPart]) > 0 {
		d := json.NewDecoder(bytes.NewReader(parts[trustPart]))
		d.DisallowUnknownFields()
		err = d.Decode(&list)
	}
	if err != nil {
		return nil, nil, fault.Wrap(fault.Invalid, "permission.trust", err, "What was accepted of folders, in %s, cannot be read, so nothing of a folder counts. Correct the file or remove it.", t.path)
	}
	return list, parts, nil
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
	t.mu.Lock()
	defer t.mu.Unlock()
	list, parts, err := t.load()
	if err == nil {
		list, err = to(slices.Clone(list))
	}
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b Trusted) int { return strings.Compare(a.Folder, b.Folder) })
	var text []byte
	if parts[trustPart], err = json.Marshal(append([]Trusted{}, list...)); err == nil {
		text, err = json.MarshalIndent(parts, "", "  ")
	}
	if err == nil {
		err = config.Replace(t.path, append(text, '\n'))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "permission.trust", err, "The answer could not be saved in %s, so nothing was changed.", t.path)
	}
	return nil
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}
