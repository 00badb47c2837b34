package settings

import (
	"context"
	"slices"
	"strings"

	"fairlead/config"
	"fairlead/graph"
)

// Section declares one part of the document, as a package variable of the room it
// belongs to. T is a struct with yaml tags; doc and enum tags describe its keys.
type Section[T any] struct{ *section }

// AnySection is a [Section] of whatever type, for lists of them.
type AnySection interface {
	Name() string
	Doc() string
	ident() *section
}

type section struct {
	name, doc string
	fresh     func() any // pointer to a struct with the defaults
}

// NewSection makes a section; doc is one sentence for the catalog.
func NewSection[T any](name, doc string, defaults T) Section[T] {
	return Section[T]{&section{name, doc, func() any { v := defaults; return &v }}}
}

// Name is the section's key in the document.
func (s *section) Name() string { return s.name }

// Doc says in one sentence what is decided in it.
func (s *section) Doc() string { return s.doc }

func (s *section) ident() *section { return s }

// Declare makes sections known to the document as long as f runs: only keys of
// declared sections can be written, and [Snapshot] lists them.
func (d *Document) Declare(f *graph.Fiber, sections ...AnySection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range sections {
		d.declared = append(d.declared, s.ident())
		f.Effect("settings "+s.Name(), func(context.Context) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			if i := slices.Index(d.declared, s.ident()); i >= 0 {
				d.declared = slices.Delete(d.declared, i, i+1)
			}
			return nil
		})
	}
}

// Get reads a section as it is now: defaults, with what the person wrote over them. A
// key with a mistake keeps its default and is named in [Snapshot].Problems. It is
// cheap enough to be called whenever a setting is used.
func Get[T any](d *Document, s Section[T]) T {
	return *d.decoded(s.section).(*T)
}

// decoded gives the section's struct, kept until the document changes.
func (d *Document) decoded(s *section) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, _ := d.value(s)
	return v
}

// value decodes a section. The lock is held.
func (d *Document) value(s *section) (any, config.Problems) {
	if c, ok := d.cache[s]; ok {
		return c.value, c.problems
	}
	c := cached{value: s.fresh()}
	if written := d.top.Get(s.name); written != nil {
		c.problems = written.Decode(c.value, s.name)
	}
	d.cache[s] = c
	return c.value, c.problems
}

type cached struct {
	value    any
	problems config.Problems
}

// Snapshot is the document at one revision, for front doors.
type Snapshot struct {
	// Revision names the exact content; a write must repeat it.
	Revision string `json:"revision"`
	Sections []Part `json:"sections"`
	// Problems are mistakes in the file, each with its line. They change nothing else.
	Problems []string `json:"problems,omitempty"`
}

// Part is one declared section.
type Part struct {
	Name   string         `json:"name"`
	Doc    string         `json:"doc"`
	Fields []config.Field `json:"fields"`
	// Values are those in force, by key, and Written names the keys that stand in the
	// file.
	Values  any      `json:"values"`
	Written []string `json:"written,omitempty"`
}

// Snapshot reads every declared section.
func (d *Document) Snapshot() Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	snap := Snapshot{Revision: d.revision, Sections: []Part{}}
	for _, p := range d.broken {
		snap.Problems = append(snap.Problems, p.String())
	}
	for _, s := range d.declared {
		v, problems := d.value(s)
		part := Part{Name: s.name, Doc: s.doc, Fields: config.Fields(s.fresh()), Values: config.Plain(v)}
		if written := d.top.Get(s.name); written != nil {
			for _, e := range written.Keys {
				part.Written = append(part.Written, e.Name)
			}
		}
		for _, p := range problems {
			snap.Problems = append(snap.Problems, p.String())
		}
		snap.Sections = append(snap.Sections, part)
	}
	slices.SortFunc(snap.Sections, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return snap
}
