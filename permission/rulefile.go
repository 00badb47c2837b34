package permission

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		if err == nil && (rule.ID == "" || !filepath.IsAbs(rule.Folder) || !rule.saysOneThing()) {
			err = fault.New(fault.Invalid, "permission.rules", "rule %d needs an id, an absolute folder, and one of command, pattern (program, then words with *) and below", i+1)
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

// saysOneThing reports whether the rule names one thing to allow, and soundly.
func (r Rule) saysOneThing() bool {
	said := 0
	for _, what := range []string{r.Command, r.Pattern, r.Below} {
		if what != "" {
			said++
		}
	}
	_, ok := readPattern(r.Pattern)
	return said == 1 && (r.Pattern == "" || ok)
}

// Narrow lets a rule cover less: one for files a folder inside its own, one with a
// pattern a narrower pattern or one command of it.
func (r *Rules) Narrow(id, to string) error {
	return r.change(func(list []Rule) ([]Rule, error) {
		at := slices.IndexFunc(list, func(o Rule) bool { return o.ID == id })
		if at < 0 {
			return nil, fault.New(fault.NotFound, "permission.narrow", "There is no rule %s. Nothing was changed.", id)
		}
		list = slices.Clone(list)
		return list, list[at].narrow(to)
	})
}

func (r *Rule) narrow(to string) error {
	const op = "permission.narrow"
	switch {
	case r.Command != "":
		return fault.New(fault.Invalid, op, "The rule %s covers one exact command, so there is nothing to narrow. Nothing was changed; take it back with revoke.", r.ID)
	case r.Pattern != "":
		outer, _ := readPattern(r.Pattern)
		words := strings.Fields(to)
		if _, ok := readPattern(strings.Join(append(slices.Clone(words), "*"), " ")); !ok || !pattern(words).within(outer) {
			return fault.New(fault.Invalid, op, "The rule %s covers %q; it can only be narrowed to a pattern or a command inside that. Nothing was changed.", r.ID, r.Pattern)
		}
		r.Pattern = strings.Join(words, " ")
		if !strings.Contains(to, "*") {
			r.Pattern, r.Command, r.Dir = "", strings.Join(words, " "), r.Folder
		}
	case !filepath.IsAbs(to) || !tool.Within(r.Below, to):
		return fault.New(fault.Invalid, op, "The rule %s covers files below %s; it can only be narrowed to a folder inside that, given as an absolute path. Nothing was changed.", r.ID, r.Below)
	default:
		r.Below = filepath.Clean(to)
	}
	return nil
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
