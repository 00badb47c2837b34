package config

import (
	"cmp"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fairlead/fault"
)

//go:embed profiles bundles presets
var shipped embed.FS

// source is a layer and how to read it.
type source struct {
	*Layer
	optional bool
	text     string // of a layer that is no file
}

func (s source) read() ([]byte, error) {
	if s.text != "" {
		return []byte(s.text), nil
	}
	if s.Shipped {
		return shipped.ReadFile(s.File)
	}
	return os.ReadFile(s.File)
}

func (t *Tree) layers(o Options, problems *Problems) ([]source, error) {
	var all []source
	if o.Rows != "" {
		all = append(all, source{Layer: &Layer{Name: "rows", File: o.Rows}})
	} else {
		bundles, err := bundlesOf(o, problems)
		if err != nil {
			return nil, err
		}
		for _, b := range bundles {
			all = append(all, source{Layer: &Layer{"bundle " + b, "bundles/" + b + ".yaml", true}})
		}
		if o.Home != "" {
			all = append(all,
				source{Layer: &Layer{Name: "profile patch", File: filepath.Join(o.Home, "profiles", o.Profile, "patch.yaml")}, optional: true},
				source{Layer: &Layer{Name: "home patch", File: filepath.Join(o.Home, "patch.yaml")}, optional: true})
		}
	}
	for _, p := range o.Patches {
		all = append(all, source{Layer: &Layer{Name: "patch", File: p}})
	}
	if o.Flags != "" {
		all = append(all, source{Layer: &Layer{Name: "flags", File: "command line"}, text: o.Flags})
	}
	return all, nil
}

// Files are the paths a tree is read from besides what is shipped, the strongest
// last. They need not exist.
func (o Options) Files() []string {
	var all []string
	switch {
	case o.Rows != "":
		all = append(all, o.Rows)
	case o.Home != "":
		dir := filepath.Join(o.Home, "profiles", cmp.Or(o.Profile, standard))
		all = append(all, filepath.Join(dir, "profile.yaml"), filepath.Join(dir, "patch.yaml"), filepath.Join(o.Home, "patch.yaml"))
	}
	return append(all, o.Patches...)
}

// stamp sums up sizes and times of the files.
func (o Options) stamp() string {
	var b strings.Builder
	for _, path := range o.Files() {
		info, err := os.Stat(path)
		if err != nil {
			b.WriteString("-;") // absent, or out of reach: reading says more
			continue
		}
		fmt.Fprintf(&b, "%d %d;", info.ModTime().UnixNano(), info.Size())
	}
	return b.String()
}

// readLayer reads a bundle or a patch: a map with rows.
func readLayer(text []byte, layer *Layer, problems *Problems) []patch {
	top, bad := Parse(text, layer)
	*problems = append(*problems, bad...)
	if top == nil || top.IsNull() {
		return nil
	}
	if top.Kind != Map {
		problems.add(top.At, "the file is a map with the key rows")
		return nil
	}
	for _, e := range top.Keys {
		if e.Name != "rows" {
			problems.add(e.At, "unknown key %q%s", e.Name, suggest(e.Name, []string{"rows"}))
		}
	}
	return readPatches(top.Get("rows"), problems)
}

// Profiles lists the names of the profiles: the shipped ones and those of the home.
func Profiles(home string) []string {
	var names []string
	entries, err := shipped.ReadDir("profiles")
	if err != nil {
		return nil // cannot be: they are embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	if home != "" {
		own, err := filepath.Glob(filepath.Join(home, "profiles", "*", "profile.yaml"))
		if err == nil {
			for _, f := range own {
				names = append(names, filepath.Base(filepath.Dir(f)))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func bundlesOf(o Options, problems *Problems) ([]string, error) {
	layer := &Layer{"profile " + o.Profile, "profiles/" + o.Profile + ".yaml", true}
	text, err := shipped.ReadFile(layer.File)
	if err != nil && o.Home != "" {
		layer = &Layer{Name: layer.Name, File: filepath.Join(o.Home, "profiles", o.Profile, "profile.yaml")}
		text, err = os.ReadFile(layer.File)
	}
	if err != nil {
		return nil, fault.New(fault.NotFound, "config.load", "There is no profile %q. Nothing was started; the known ones are %s.", o.Profile, strings.Join(Profiles(o.Home), ", "))
	}
	top, bad := Parse(text, layer)
	*problems = append(*problems, bad...)
	var names []string
	known := shippedBundles()
	for _, item := range top.Get("bundles").items() {
		name, _ := item.Scalar.(string)
		if !slices.Contains(known, name) {
			problems.add(item.At, "there is no bundle %q%s", name, suggest(name, known))
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

func (v *Value) items() []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

func shippedBundles() []string {
	entries, err := shipped.ReadDir("bundles")
	if err != nil {
		return nil // cannot be: they are embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}
