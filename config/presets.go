package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/graph"
)

// order is how the shipped presets are listed.
var order = []string{"standard", "ptc", "minimal", "graph"}

// Presets are the shipped presets and those of a home folder. Files are read anew
// each time, so an edit holds for the next session.
type Presets struct {
	// Home is the home folder; "" means that there is none.
	Home string
	// Table holds the plugins that rows may name.
	Table Table
}

// PresetsKey is where a process's presets are provided.
var PresetsKey = graph.NewKey[*Presets]("config.presets", "The capability sets a session can be started with.")

// PresetsPlugin provides presets that the caller has made.
func PresetsPlugin(p *Presets) graph.Plugin {
	return graph.Plugin{
		Name: "presets", Doc: "the capability sets a session can be started with",
		Provides: []graph.AnyKey{PresetsKey},
		Apply:    func(f *graph.Fiber, _ any) error { return graph.Provide(f, PresetsKey, p) },
	}
}

// List gives all presets, the shipped ones first, broken ones with their reason.
func (s *Presets) List() []Preset {
	var all []Preset
	for _, id := range order {
		if text, err := shipped.ReadFile("presets/" + id + ".yaml"); err == nil {
			p := Preset{ID: id, Shipped: true}
			all = append(all, p.read(text, &Layer{"preset " + id, "presets/" + id + ".yaml", true}, s.Table))
		}
	}
	if s.Home == "" {
		return all
	}
	entries, err := os.ReadDir(s.dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		all = append(all, Preset{ID: "presets", Name: "presets", Broken: err.Error()})
	}
	for _, e := range entries {
		id, isYAML := strings.CutSuffix(e.Name(), ".yaml")
		if !isYAML {
			continue
		}
		p := Preset{ID: id, file: filepath.Join(s.dir(), e.Name())}
		text, err := os.ReadFile(p.file)
		switch {
		case err != nil:
			p.Name, p.Broken = id, err.Error()
		case slices.Contains(order, id):
			p.Name, p.Broken = id, "The name "+id+" belongs to a shipped preset; rename the file."
		default:
			p = p.read(text, &Layer{Name: "preset " + id, File: p.file}, s.Table)
		}
		all = append(all, p)
	}
	return all
}

// Find gives a sound preset by its id. An unknown one is NotFound, with the
// known ones named; a broken one is Invalid, with its reason.
func (s *Presets) Find(id string) (Preset, error) {
	all := s.List()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		var known []string
		for _, p := range all {
			known = append(known, p.ID)
		}
		return Preset{}, fault.New(fault.NotFound, "config.preset", "There is no preset %q; the known ones are %s.", id, strings.Join(known, ", "))
	}
	if all[i].Broken != "" {
		return Preset{}, fault.New(fault.Invalid, "config.preset", "The preset %s cannot be chosen: %s", id, all[i].Broken).WithCode("preset-broken")
	}
	return all[i], nil
}

var presetID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
})

// Copy makes an editable copy of a preset in the home folder, its prompt
// included, and gives the path of the copy. A preset of that id that is there already
// is a Conflict and stays as it is.
func (s *Presets) Copy(from, to string) (string, error) {
	if !presetID().MatchString(to) {
		return "", fault.New(fault.Invalid, "config.preset", "%q is no name for a preset: use small letters, digits and dashes.", to)
	}
	all := s.List()
	find := func(id string) int { return slices.IndexFunc(all, func(p Preset) bool { return p.ID == id }) }
	if find(to) >= 0 || slices.Contains(order, to) {
		return "", fault.New(fault.Conflict, "config.preset", "There is a preset %q already. Nothing was copied; choose another name.", to)
	}
	i := find(from)
	if i < 0 {
		return "", fault.New(fault.NotFound, "config.preset", "There is no preset %q. Nothing was copied.", from)
	}
	p := all[i]
	text, err := p.readBeside(from + ".yaml")
	if err == nil && p.prompt != "" {
		own := to + ".md"
		var prompt []byte
		if prompt, err = p.readBeside(p.prompt); err == nil {
			text = []byte(strings.Replace(string(text), "prompt: "+p.prompt, "prompt: "+own, 1))
			err = writeNew(filepath.Join(s.dir(), own), prompt)
		}
	}
	path := filepath.Join(s.dir(), to+".yaml")
	if err == nil {
		err = writeNew(path, text)
	}
	if err != nil {
		return "", fault.Wrap(fault.Internal, "config.preset", err, "The preset %s could not be copied whole to %s.", from, s.dir())
	}
	return path, nil
}

// Remove deletes a preset of the home folder. Sessions that run with it go on.
func (s *Presets) Remove(id string) error {
	if !presetID().MatchString(id) || slices.Contains(order, id) {
		return fault.New(fault.Denied, "config.preset", "The preset %q is not one of yours. Nothing was removed.", id)
	}
	err := os.Remove(filepath.Join(s.dir(), id+".yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "config.preset", "There is no preset %q of yours. Nothing was removed.", id)
	}
	return err
}

func (s *Presets) dir() string { return filepath.Join(s.Home, "presets") }

// writeNew makes a file of the person's alone; one that is there is an error.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
