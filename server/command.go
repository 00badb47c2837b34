package server

import (
	"encoding/json"
	"net/http"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// Use is one use of a command.
type Use struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

func (s *Server) postCommand(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	var u Use
	if err := c.read(&u); err != nil {
		return nil, err
	}
	return s.use(c, u)
}

// undo is the commands undo.take and undo.redo at an address of their own.
func (s *Server) undo(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	var args map[string]json.RawMessage
	if err := c.read(&args); err != nil {
		return nil, err
	}
	u := Use{Name: "undo.take"}
	if string(args["redo"]) == "true" {
		u.Name = "undo.redo"
	}
	delete(args, "redo")
	var err error
	if u.Args, err = json.Marshal(args); err != nil {
		return nil, err
	}
	return s.use(c, u)
}

// use runs a command where the path of the call says.
func (s *Server) use(c *call, u Use) (any, error) {
	realm, scope, err := s.place(c, true)
	if err != nil {
		return nil, err
	}
	cmd, ok := command.Find(c.Context(), realm, u.Name)
	if !ok || cmd.Scope != scope {
		return nil, fault.New(fault.NotFound, "server.command", "There is no command %q here. Nothing was done.", u.Name)
	}
	value, err := cmd.Run(c.Context(), command.Call{Session: c.PathValue("id"), Args: u.Args})
	if err != nil {
		return nil, err
	}
	return map[string]any{"result": value}, nil
}

// CommandRow is a command as lists show it.
type CommandRow struct {
	Name    string          `json:"name"`
	Slash   string          `json:"slash,omitempty"`
	Summary string          `json:"summary"`
	Params  json.RawMessage `json:"params,omitempty"`
}

func (s *Server) listCommands(c *call) (any, error) {
	realm, scope, err := s.place(c, false)
	if err != nil {
		return nil, err
	}
	rows := []CommandRow{}
	for _, cmd := range command.Commands(c.Context(), realm) {
		if cmd.Scope == scope {
			rows = append(rows, CommandRow{Name: cmd.Name, Slash: cmd.Slash, Summary: cmd.Summary, Params: cmd.Params})
		}
	}
	return map[string]any{"commands": rows}, nil
}

// place gives the realm a command or view is looked up in: the session's where the
// path names one. wake opens the session for it; otherwise one that is not live is
// looked up in the host's realm.
func (s *Server) place(c *call, wake bool) (*graph.Realm, command.Scope, error) {
	id := session.ID(c.PathValue("id"))
	if id == "" {
		return s.options.Realm, command.Host, nil
	}
	if a, live := s.options.Host.Live(id); live {
		return a.Realm(), command.Session, nil
	}
	if !wake {
		return s.options.Realm, command.Session, nil
	}
	a, err := s.agent(c)
	if err != nil {
		return nil, "", err
	}
	return a.Realm(), command.Session, nil
}

// ViewRow is a view as lists show it.
type ViewRow struct {
	Name    string        `json:"name"`
	Scope   command.Scope `json:"scope"`
	Summary string        `json:"summary"`
	Params  []string      `json:"params,omitempty"`
	Watched bool          `json:"watched,omitempty"`
}

func (s *Server) listViews(c *call) (any, error) {
	rows := []ViewRow{}
	for _, v := range command.Views(c.Context(), s.options.Realm) {
		rows = append(rows, ViewRow{Name: v.Name, Scope: v.Scope, Summary: v.Summary, Params: v.Params, Watched: v.Watch != nil})
	}
	return map[string]any{"views": rows}, nil
}

// readView gives a view's value, or, asked for an event stream, each value it takes.
func (s *Server) readView(w http.ResponseWriter, c *call) error {
	return s.showView(w, c, c.PathValue("name"))
}

// search is the view of that name at an address of its own.
func (s *Server) search(w http.ResponseWriter, c *call) error { return s.showView(w, c, "search") }

func (s *Server) showView(w http.ResponseWriter, c *call, name string) error {
	realm, scope, err := s.place(c, false)
	if err != nil {
		return err
	}
	v, ok := command.FindView(c.Context(), realm, name)
	if !ok || v.Scope != scope {
		return fault.New(fault.NotFound, "server.view", "There is no view %q here.", name)
	}
	q := command.Query{Session: c.PathValue("id"), Params: map[string]string{}}
	for _, param := range v.Params {
		if c.URL.Query().Has(param) {
			q.Params[param] = c.URL.Query().Get(param)
		}
	}
	if c.Header.Get("Accept") == "text/event-stream" {
		return s.watchView(w, c, v, q)
	}
	value, err := v.Read(c.Context(), q)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, value)
	return nil
}
