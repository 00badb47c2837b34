package config

import (
	"maps"
	"slices"

	"fairlead/fault"
	"fairlead/graph"
)

// Table holds the plugins of this build by name. App makes it.
type Table map[string]graph.Plugin

// NewTable makes a table. Two plugins of one name are an error of this build.
func NewTable(plugins ...graph.Plugin) (Table, error) {
	t := make(Table, len(plugins))
	for _, p := range plugins {
		if _, taken := t[p.Name]; taken {
			return nil, fault.New(fault.Internal, "config.table", "Two plugins are called %q.", p.Name)
		}
		t[p.Name] = p
	}
	return t, nil
}

// Resolved is an enabled row with its plugin and decoded configuration.
type Resolved struct {
	Row
	Of     graph.Plugin
	Values any // as made by the plugin's Config, nil where it takes none
	// Rank is the row's place among all rows, disabled ones included, from 1. It
	// orders listeners, so that enabling a row live is the same as starting with it.
	Rank int
}

// Resolve finds the plugin of every row and decodes the configuration of the enabled
// ones, which it returns. The error holds every mistake with its place.
func Resolve(rows []Row, table Table) ([]Resolved, error) {
	var problems Problems
	all := resolve(rows, table, &problems)
	return all, problems.err("config.resolve")
}

func resolve(rows []Row, table Table, problems *Problems) []Resolved {
	var all []Resolved
	for i, row := range rows {
		p, ok := table[row.Plugin]
		if !ok {
			known := slices.Collect(maps.Keys(table))
			problems.add(row.PluginAt, "the row %s names the plugin %q, which this build does not have%s", row.ID, row.Plugin, suggest(row.Plugin, known))
			continue
		}
		if row.Disabled {
			continue
		}
		r := Resolved{Row: row, Of: p, Rank: i + 1}
		if p.Config != nil {
			r.Values = p.Config()
		}
		switch {
		case row.Config != nil && p.Config == nil:
			problems.add(row.Config.At, "the plugin %s takes no config", p.Name)
		case row.Config != nil:
			decode(row.Config, r.Values, "config", problems)
		}
		all = append(all, r)
	}
	return all
}

// Mount plugs the rows below f. It returns at once; they start as their services
// appear. On an error none of them stays.
func Mount(f *graph.Fiber, rows []Resolved) error {
	var plugged []*graph.Fiber
	for _, r := range rows {
		fiber, err := f.PlugAt(r.ID, r.Rank, r.Of, r.Values)
		if err != nil {
			for _, p := range slices.Backward(plugged) {
				// What they may leave behind is named in the log and the inventory.
				_ = p.Dispose(f.Context())
			}
			return fault.Wrap(fault.KindOf(err), "config.mount", err, "The row %s (%s) could not be mounted: %s", r.ID, r.At, fault.Person(err))
		}
		plugged = append(plugged, fiber)
	}
	return nil
}
