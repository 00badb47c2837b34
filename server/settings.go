package server

import (
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/settings"
)

// document finds the settings, which a profile may do without.
func (s *Server) document() (*settings.Document, error) {
	d, ok := graph.Lookup(s.options.Realm, settings.DocumentKey)
	if !ok {
		return nil, fault.New(fault.Unavailable, "server.settings", "This profile has no settings. Nothing was changed; enable the row settings.")
	}
	return d, nil
}

func (s *Server) readSettings(*call) (any, error) {
	d, err := s.document()
	if err != nil {
		return nil, err
	}
	return d.Snapshot(), nil
}

func (s *Server) changeSettings(c *call) (any, error) {
	var w settings.Write
	if err := c.read(&w); err != nil {
		return nil, err
	}
	d, err := s.document()
	if err != nil {
		return nil, err
	}
	return d.Patch(c.Context(), w.Revision, w.Changes)
}
