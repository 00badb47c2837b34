package config

import (
	"slices"
)

// Row is one plugin of a process or a session, with its id and configuration.
type Row struct {
	ID       string
	At       Origin // where it was inserted
	Plugin   string
	PluginAt Origin
	Disabled bool
	// DisabledAt is where it was disabled or enabled last; zero where nobody said.
	DisabledAt Origin
	// Config is a map, nil where there is none.
	Config *Value
}

// same reports whether mounting o instead of r would change nothing.
func (r Row) same(o Row) bool {
	return r.ID == o.ID && r.Plugin == o.Plugin && r.Disabled == o.Disabled && r.Config.Equal(o.Config)
}

// patch is what a layer says about one row.
type patch struct {
	id       string
	at       Origin
	plugin   string
	pluginAt Origin
	disabled *bool
	toggleAt Origin
	config   *Value
	deep     bool
}

var patchKeys = []string{"id", "plugin", "config", "disabled", "merge"}

// readPatches reads the list under rows.
func readPatches(list *Value, problems *Problems) []patch {
	if list == nil || list.IsNull() {
		return nil
	}
	if list.Kind != List {
		problems.add(list.At, "rows wants a list of rows, each with an id")
		return nil
	}
	var all []patch
	for _, item := range list.Items {
		p, ok := readPatch(item, problems)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(all, func(o patch) bool { return o.id == p.id }); i >= 0 {
			problems.add(p.at, "the row %q is already here, at %s; say it once a file", p.id, all[i].at)
			continue
		}
		all = append(all, p)
	}
	return all
}

func readPatch(v *Value, problems *Problems) (patch, bool) {
	p := patch{at: v.At}
	if v.Kind != Map {
		problems.add(v.At, "a row is a map with an id")
		return p, false
	}
	for _, e := range v.Keys {
		switch e.Name {
		case "id":
			p.at = e.At
			p.id = text(e, problems)
		case "plugin":
			p.plugin, p.pluginAt = text(e, problems), e.At
		case "disabled":
			off, ok := e.Value.Scalar.(bool)
			if !ok {
				problems.add(e.Value.At, "disabled wants true or false")
			}
			p.disabled, p.toggleAt = &off, e.At
		case "merge":
			if e.Value.Scalar != "deep" {
				problems.add(e.Value.At, "merge knows one word, deep; without it each key replaces the one below")
			}
			p.deep = true
		case "config":
			if e.Value.IsNull() {
				continue
			}
			if e.Value.Kind != Map {
				problems.add(e.Value.At, "config wants a map")
				continue
			}
			p.config = e.Value
		default:
			problems.add(e.At, "unknown key %q%s", e.Name, suggest(e.Name, patchKeys))
		}
	}
	if p.id == "" {
		problems.add(p.at, "the row has no id")
		return p, false
	}
	return p, true
}

func text(e Entry, problems *Problems) string {
	s, ok := e.Value.Scalar.(string)
	if !ok || s == "" {
		problems.add(e.Value.At, "%s wants a word", e.Name)
	}
	return s
}

// apply lays a layer's patches over the rows.
func apply(rows []Row, patches []patch, warnings *Problems) []Row {
	for _, p := range patches {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == p.id })
		if i < 0 {
			if p.plugin == "" {
				warnings.add(p.at, "no row has the id %q, so this changes nothing%s", p.id, suggest(p.id, ids(rows)))
				continue
			}
			rows = append(rows, Row{ID: p.id, At: p.at})
			i = len(rows) - 1
		}
		rows[i] = rows[i].with(p)
	}
	return rows
}

func (r Row) with(p patch) Row {
	if p.plugin != "" && p.plugin != r.Plugin {
		// The keys below were written for another plugin.
		r.Plugin, r.PluginAt, r.Config = p.plugin, p.pluginAt, nil
	}
	if p.disabled != nil {
		r.Disabled, r.DisabledAt = *p.disabled, p.toggleAt
	}
	if p.config != nil {
		if r.Config = r.Config.lay(p.config, p.deep); len(r.Config.Keys) == 0 {
			r.Config = nil
		}
	}
	return r
}

func ids(rows []Row) []string {
	all := make([]string, len(rows))
	for i := range rows {
		all[i] = rows[i].ID
	}
	return all
}
