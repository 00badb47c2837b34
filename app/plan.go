package app

import (
	"fairlead/config"
	"fairlead/graph"
)

// Checked is a configuration that was read and held against this build.
type Checked struct {
	Tree *config.Tree
	// Rows are the enabled ones.
	Rows    []config.Resolved
	Presets []config.Preset
	// Plugins are all of this build, whether a row names them or not.
	Plugins config.Table
}

// Check reads the configuration that Boot would start from, and checks its rows and
// the presets against the plugins of this build. The error holds every mistake with
// its place; a broken preset is among Presets. Nothing is started and nothing is made.
func Check(o Options) (*Checked, error) {
	a, err := prepare(o)
	if err != nil {
		return nil, err
	}
	tree, rows, err := a.load()
	if err != nil {
		return nil, err
	}
	return &Checked{tree, rows, a.presets.List(), a.table}, nil
}

// Plan is the inventory that a configuration would have, without states: nothing is
// started.
func Plan(o Options) ([]graph.Status, error) {
	checked, err := Check(o)
	if err != nil {
		return nil, err
	}
	provider := map[string]string{}
	for _, r := range checked.Rows {
		for _, k := range r.Of.Provides {
			if _, taken := provider[k.Name()]; !taken {
				provider[k.Name()] = r.ID
			}
		}
	}
	all := make([]graph.Status, len(checked.Rows))
	for i, r := range checked.Rows {
		s := graph.Status{Path: r.ID, Plugin: r.Of.Name, Doc: r.Of.Doc}
		for _, k := range r.Of.Provides {
			s.Provides = append(s.Provides, k.Name())
		}
		for _, d := range r.Of.Inject {
			s.Injects = append(s.Injects, graph.Injected{Key: d.Key().Name(), Optional: d.Optional(), Provider: provider[d.Key().Name()]})
		}
		all[i] = s
	}
	return all, nil
}
