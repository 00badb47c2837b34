package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"fairlead/fault"
	"fairlead/graph"
)

// Preset is the capability set of a session: rows that are mounted in the session's
// realm, and what the agent makes of the rest.
type Preset struct {
	// ID is the name of the file without its ending; a session records it.
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Shipped is true for those in the binary, which cannot be edited or removed.
	Shipped bool `json:"shipped,omitempty"`
	// Prompt takes the place of the product's own system prompt; "" keeps it.
	Prompt string `json:"prompt,omitempty"`
	// Tools narrows what is seen of the process's tools.
	Tools Tools `json:"tools,omitzero"`
	// Model and Mode are what a new session starts with; "" leaves it to the person's
	// settings.
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`
	// Broken is why it cannot be chosen, "" for a sound one.
	Broken string `json:"broken,omitempty"`

	file   string // of the person's home; "" for a shipped one
	prompt string // the name of the prompt's file, beside it
	rows   []Resolved
}

// Tools are patterns of tool names. No Allow means all; Deny wins.
type Tools struct {
	Allow []string `yaml:"allow" json:"allow,omitempty"`
	Deny  []string `yaml:"deny" json:"deny,omitempty"`
}

// presetFile is what a preset's file may say besides its rows.
type presetFile struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Prompt      string `yaml:"prompt"`
	Tools       Tools  `yaml:"tools"`
	Model       string `yaml:"model"`
	Mode        string `yaml:"mode"`
}

// read fills p from its file.
func (p Preset) read(text []byte, layer *Layer, table Table) Preset {
	top, problems := Parse(text, layer)
	if top == nil {
		top = &Value{At: Origin{layer, 1, 1}, Kind: Map}
	}
	var file presetFile
	var rows []Row
	if top.Kind == Map {
		rest := *top
		rest.Keys = slices.DeleteFunc(slices.Clone(top.Keys), func(e Entry) bool { return e.Name == "rows" })
		decode(&rest, &file, "the preset", &problems)
		// What would be a warning in a patch has no layer below that could mean it.
		rows = apply(nil, readPatches(top.Get("rows"), &problems), &problems)
	} else {
		problems.add(top.At, "a preset is a map with a name and a description")
	}
	p.Name, p.Description, p.Tools, p.Model, p.Mode, p.prompt = file.Name, file.Description, file.Tools, file.Model, file.Mode, file.Prompt
	if p.Name == "" {
		p.Name = p.ID
	}
	if file.Prompt != "" {
		prompt, err := p.readBeside(file.Prompt)
		if err != nil {
			problems.add(top.Get("prompt").At, "the prompt could not be read: %s", err)
		}
		p.Prompt = string(prompt)
	}
	p.rows = resolve(rows, table, &problems)
	p.Broken = problems.Error()
	return p
}

// readBeside reads a file in the preset's folder.
func (p Preset) readBeside(name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q is not in the presets folder", name)
	}
	if p.file == "" {
		return shipped.ReadFile(path.Join("presets", name))
	}
	return os.ReadFile(filepath.Join(filepath.Dir(p.file), name))
}

// Mount gives a session its realm: a fiber below on, with the preset's rows in it.
// It returns when all of them are active; on an error nothing stays. Services that
// the rows provide are the session's own. Dispose the fiber when the session closes.
func (p Preset) Mount(ctx context.Context, on *graph.Fiber, id string) (*graph.Fiber, error) {
	scope, err := on.Isolate(id, p.keys()...)
	if err != nil {
		return nil, err
	}
	if err = Mount(scope, p.rows); err == nil {
		err = scope.Ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(
			fault.Wrap(fault.KindOf(err), "config.preset", err, "The preset %s could not be mounted: %s", p.ID, fault.Person(err)),
			scope.Dispose(context.WithoutCancel(ctx)))
	}
	return scope, nil
}

// keys are those the rows provide, but for one that a row wraps: it must see the
// outer service.
func (p Preset) keys() []graph.AnyKey {
	var all []graph.AnyKey
	for _, r := range p.rows {
		for _, k := range r.Of.Provides {
			if !slices.ContainsFunc(r.Of.Inject, func(d graph.Dependency) bool { return d.On(k) }) {
				all = append(all, k)
			}
		}
	}
	return all
}
