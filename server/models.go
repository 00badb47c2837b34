package server

import (
	"context"
	"slices"

	"fairlead/command"
	"fairlead/llm"
)

// ModelRow is a model as a list of choices shows it. Name is what a session stores.
type ModelRow struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	Window int    `json:"window,omitempty"` // tokens
	// Efforts are the words for how much it thinks; empty where that cannot be chosen.
	Efforts  []string `json:"efforts,omitempty"`
	Pictures bool     `json:"pictures,omitempty"`
	Default  bool     `json:"default,omitempty"`
}

// Models lists what can be chosen.
type Models struct {
	Models []ModelRow `json:"models"`
}

func (s *Server) readModels(context.Context, command.Query) (any, error) {
	routes := s.options.Routes.List()
	standard, any := s.options.Routes.Default()
	if any && !slices.ContainsFunc(routes, func(r llm.Route) bool { return r.Name == standard.Name }) {
		routes = slices.Insert(routes, 0, standard) // one that its connection makes on demand
	}
	m := Models{Models: []ModelRow{}}
	for _, r := range routes {
		row := ModelRow{Name: r.Name, Title: r.Model.Name, Window: r.Model.Window, Default: r.Name == standard.Name, Pictures: r.Model.Vision != nil && *r.Model.Vision}
		if r.Model.Reasoning != nil && *r.Model.Reasoning {
			row.Efforts = []string{"low", "medium", "high", "xhigh"}
		}
		m.Models = append(m.Models, row)
	}
	return m, nil
}
