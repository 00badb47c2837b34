package permission

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/tool"

	"github.com/goccy/go-yaml"
)

// Rules are the standing permissions of projects, kept in rules.yaml of Fairlead's
// home, where a person can read and edit them. The file is read again when it changed.
type Rules struct {
	path string

	mu   sync.Mutex
	read time.Time
	size int64
	list []Rule
}

// NewRules keeps rules in a file, which need not exist.
func NewRules(path string) *Rules { return &Rules{path: path} }

// ruleFile is the document.
type ruleFile struct {
	Rules []Rule `yaml:"rules"`
}

// List gives the rules, oldest first. It fails where the file cannot be read or
// says something that no rule is; then no rule counts.
func (r *Rules) List() ([]Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.load()
	return slices.Clone(r.list), err
}

func (r *Rules) load() error {
	about, err := os.Stat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		r.list, r.read, r.size = nil, time.Time{}, 0
		return nil
	}
	if err == nil && about.ModTime().Equal(r.read) && about.Size() == r.size {
		return nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(r.path)
	}
	var doc ruleFile
	if err == nil && len(bytes.TrimSpace(text)) > 0 {
		err = yaml.UnmarshalWithOptions(text, &doc, yaml.Strict())
	}
	for i := range doc.Rules {
		rule := &doc.Rules[i]
		rule.Scope = forProject
		if err == nil && (rule.ID == "" || !filepath.IsAbs(rule.Folder) || (rule.Command == "") == (rule.Below == "")) {
			err = fault.New(fault.Invalid, "permission.rules", "rule %d needs an id, an absolute folder, and either command or below", i+1)
		}
	}
	if err != nil {
		r.list, r.read = nil, time.Time{}
		return fault.Wrap(fault.Invalid, "permission.rules", err, "The standing rules in %s cannot be read, so none of them counts. Correct the file or remove it.", r.path)
	}
	r.list, r.read, r.size = doc.Rules, about.ModTime(), about.Size()
	return nil
}

// add keeps a rule.
func (r *Rules) add(rule Rule) error {
	return r.change(func(list []Rule) ([]Rule, error) { return append(list, rule), nil })
}

// Revoke takes a rule back; fault.NotFound where there is none of that id.
func (r *Rules) Revoke(id string) error {
	return r.change(func(list []Rule) ([]Rule, error) {
		kept := slices.DeleteFunc(slices.Clone(list), func(o Rule) bool { return o.ID == id })
		if len(kept) == len(list) {
			return nil, fault.New(fault.NotFound, "permission.revoke", "There is no rule %s. Nothing was changed.", id)
		}
		return kept, nil
	})
}

// Narrow lets a rule for files cover a folder inside its own only.
func (r *Rules) Narrow(id, below string) error {
	return r.change(func(list []Rule) ([]Rule, error) {
		at := slices.IndexFunc(list, func(o Rule) bool { return o.ID == id })
		if at < 0 {
			return nil, fault.New(fault.NotFound, "permission.narrow", "There is no rule %s. Nothing was changed.", id)
		}
		if list[at].Below == "" || !filepath.IsAbs(below) || !tool.Within(list[at].Below, below) {
			return nil, fault.New(fault.Invalid, "permission.narrow", "The rule %s can only be narrowed to a folder inside the one it covers. Nothing was changed.", id)
		}
		list = slices.Clone(list)
		list[at].Below = filepath.Clean(below)
		return list, nil
	})
}

// change replaces the list, on disk first.
func (r *Rules) change(to func([]Rule) ([]Rule, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(); err != nil {
		return err
	}
	list, err := to(r.list)
	if err != nil {
		return err
	}
	text, err := yaml.Marshal(ruleFile{list})
	if err == nil {
		err = config.Replace(r.path, append([]byte("# Standing permissions. Each covers exactly what it says; delete an entry to take it back.\n"), text...))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "permission.rules", err, "The rule could not be saved in %s, so nothing was changed.", r.path)
	}
	r.read = time.Time{} // read again
	return r.load()
}
