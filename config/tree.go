package config

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"fairlead/fault"
)

// Options say what to load. Nothing is started by loading.
type Options struct {
	// Home is Fairlead's home folder; "" loads nothing from one.
	Home string
	// Profile names the bundles to start from; "" means web.
	Profile string
	// Rows names a file to take instead of the profile's bundles and the patches of
	// profile and home; a dump is such a file.
	Rows string
	// Patches are files laid over everything else, in order.
	Patches []string
	// Flags is the text of a patch that the command line makes of its flags; it is
	// laid over everything else.
	Flags string
}

// Tree is the effective configuration: its rows in order, each value with its origin.
type Tree struct {
	Profile string
	Rows    []Row
	// Warnings name patches that matched nothing.
	Warnings []Problem
	// Layers that were read, lowest first.
	Layers []*Layer

	stamp string // of the files, before they were read
}

// Row finds a row by id.
func (t *Tree) Row(id string) (Row, bool) {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		return Row{}, false
	}
	return t.Rows[i], true
}

// standard is the profile of who names none.
const standard = "web"

// Load reads the layers and lays them over each other. The error holds every mistake
// with its place ([Problems] in its text); an unknown profile is NotFound and names
// the known ones. Which plugins exist and what they take is [Resolve]'s to say.
func Load(o Options) (*Tree, error) {
	o.Profile = cmp.Or(o.Profile, standard)
	t := &Tree{Profile: o.Profile, stamp: o.stamp()}
	var problems Problems
	layers, err := t.layers(o, &problems)
	if err != nil {
		return nil, err
	}
	var warnings Problems
	for _, s := range layers {
		text, err := s.read()
		if errors.Is(err, fs.ErrNotExist) && s.optional {
			continue
		}
		if err != nil {
			return nil, fault.Wrap(fault.NotFound, "config.load", err, "The %s %s could not be read. Nothing was started; check the path.", s.Name, s.File)
		}
		t.Layers = append(t.Layers, s.Layer)
		t.Rows = apply(t.Rows, readLayer(text, s.Layer, &problems), &warnings)
	}
	t.Warnings = warnings
	return t, problems.err("config.load")
}
