package app

import (
	"context"
	"maps"
	"slices"

	"fairlead/command"
	"fairlead/settings"
)

// ConnectionRow is a connection as people see it. No value of a key is ever in it.
type ConnectionRow struct {
	Name    string   `json:"name"`
	From    string   `json:"from"` // "settings", "environment", "rows"
	BaseURL string   `json:"baseUrl"`
	Wire    string   `json:"wire"`
	Dialect string   `json:"dialect,omitempty"`
	Local   bool     `json:"local,omitempty"`
	Key     *KeyRow  `json:"key,omitempty"` // nil where it uses none
	Models  []string `json:"models"`
	Default string   `json:"default,omitempty"`
	// Problem says why it is not there although it is saved.
	Problem string `json:"problem,omitempty"`
}

// KeyRow says where a key is: "environment", "keyring", "file" or "missing".
type KeyRow struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// list gives every connection, and those of the settings that could not be made.
func (s *savedConnections) list() []ConnectionRow {
	rows := []ConnectionRow{}
	for _, e := range s.all() {
		rows = append(rows, s.row(e))
	}
	s.mu.Lock()
	problems := maps.Clone(s.problems)
	s.mu.Unlock()
	saved := settings.Get(s.document, ModelSection).Connections
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		row := s.row(entered{saved[name].called(name), fromSettings})
		row.Problem = problems[name]
		rows = append(rows, row)
	}
	return rows
}

func (s *savedConnections) row(e entered) ConnectionRow {
	r := ConnectionRow{Name: e.Name, From: e.from, BaseURL: e.BaseURL, Wire: e.format(), Dialect: e.Dialect, Local: e.local(), Models: append([]string{}, e.listed()...), Default: e.Default}
	if e.KeyEnv != "" {
		r.Key = &KeyRow{e.KeyEnv, s.sourceOf(e.KeyEnv)}
	}
	return r
}

// sourceOf says where a key is, without reading it: a keyring might ask for a
// password.
func (s *savedConnections) sourceOf(name string) string {
	if s.environ(name) != "" {
		return string(settings.FromEnvironment)
	}
	saved, err := s.credentials.List()
	if err != nil {
		return "missing"
	}
	for _, c := range saved {
		if c.Name == name {
			return string(c.Source)
		}
	}
	return "missing"
}

func (s *savedConnections) view() command.View {
	return command.View{
		Name: "connections", Scope: command.Host, Summary: "The ways to servers of models: where each comes from, where its key is, what it lists.",
		Read:  func(context.Context, command.Query) (any, error) { return s.list(), nil },
		Watch: watched(s.watch, func(list []ConnectionRow) any { return list }),
	}
}

// ConnectionsOf lists the connections of a running part, see [Connections].
func ConnectionsOf(ctx context.Context, a *App) ([]ConnectionRow, error) {
	value, err := a.Show(ctx, "connections")
	rows, _ := value.([]ConnectionRow)
	return rows, err
}
