package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/permission"
	"fairlead/session"
)

// SessionRow is a session as the list shows it. At and CreatedAt are Unix
// milliseconds. State is "idle", "working", "waiting" (for a person) or "failed".
type SessionRow struct {
	ID        session.ID `json:"id"`
	Title     string     `json:"title"`
	Folder    string     `json:"folder"`
	State     string     `json:"state"`
	At        int64      `json:"at"`
	CreatedAt int64      `json:"createdAt"`
	Archived  bool       `json:"archived"`
	Pinned    bool       `json:"pinned"`
	Parent    session.ID `json:"parent,omitempty"`
	ForkOf    session.ID `json:"forkOf,omitempty"`
	Turns     int        `json:"turns"`
}

// States of a session in the list.
const (
	stateIdle    = "idle"
	stateWorking = "working"
	stateWaiting = "waiting"
	stateFailed  = "failed"
)

// Sessions is a page of the list. Cursor, where set, asks for the next one.
type Sessions struct {
	Sessions []SessionRow `json:"sessions"`
	Cursor   string       `json:"cursor,omitempty"`
}

const (
	rowsDefault = 200
	rowsMost    = 1000
)

func (s *Server) listSessions(c *call) (any, error) {
	limit, err := c.number("limit", rowsDefault)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(c.Context())
	if err != nil {
		return nil, err
	}
	q := c.URL.Query()
	rows = slices.DeleteFunc(rows, func(r SessionRow) bool {
		return (q.Has("folder") && r.Folder != q.Get("folder")) || (q.Has("state") && r.State != q.Get("state")) ||
			(q.Has("archived") && r.Archived != (q.Get("archived") == "true")) ||
			!strings.Contains(strings.ToLower(r.Title), strings.ToLower(q.Get("query")))
	})
	if after := q.Get("cursor"); after != "" {
		if at := slices.IndexFunc(rows, func(r SessionRow) bool { return string(r.ID) == after }); at >= 0 {
			rows = rows[at+1:]
		}
	}
	page := Sessions{Sessions: rows}
	if most := int(min(max(limit, 1), rowsMost)); len(rows) > most {
		page.Sessions, page.Cursor = rows[:most], string(rows[most-1].ID)
	}
	return page, nil
}

// rows lists every session, pinned ones first, then by when something happened last.
func (s *Server) rows(ctx context.Context) ([]SessionRow, error) {
	summaries, err := s.options.Library.List(ctx)
	if err != nil {
		return nil, err
	}
	waiting := map[session.ID]bool{}
	for _, w := range s.options.Gate.Waiting("") {
		waiting[w.Session] = true
	}
	rows := make([]SessionRow, 0, len(summaries))
	for _, sum := range summaries {
		rows = append(rows, SessionRow{ID: sum.ID, Title: sum.Title, Folder: sum.Folder, State: s.stateOf(sum, waiting[sum.ID]), At: sum.At,
			CreatedAt: sum.Created, Archived: sum.Archived, Pinned: sum.Pinned, Parent: sum.Parent, ForkOf: sum.ForkOf, Turns: sum.Turns})
	}
	slices.SortFunc(rows, func(a, b SessionRow) int {
		if a.Pinned != b.Pinned {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.ID, a.ID))
	})
	return rows, nil
}

func (s *Server) stateOf(sum session.Summary, waiting bool) string {
	a, live := s.options.Host.Live(sum.ID)
	switch {
	case waiting:
		return stateWaiting
	case live && a.Status().State != agent.Idle:
		return stateWorking
	case sum.Last.Kind == session.EndError || sum.Last.Kind == session.EndBlocked:
		return stateFailed
	}
	return stateIdle
}

// NewSession is what a session is created with; every field may be empty.
type NewSession struct {
	Folder string `json:"folder,omitempty"`
	Preset string `json:"preset,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
}

func (s *Server) createSession(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	var n NewSession
	if err := c.read(&n); err != nil {
		return nil, err
	}
	folder, err := s.folder(n.Folder)
	if err != nil {
		return nil, err
	}
	a, err := s.options.Host.Create(c.Context(), agent.Spec{Folder: folder, Preset: n.Preset, Mode: n.Mode, Model: n.Model, Effort: n.Effort})
	if err != nil {
		return nil, err
	}
	return s.snapshot(a.Log())
}

// Snapshot is a session as of its event Seq: the value of every projection, what
// waits for a person, and what is true only now.
type Snapshot struct {
	ID          session.ID           `json:"id"`
	Seq         int64                `json:"seq"`
	Hash        string               `json:"hash"`
	Header      session.Header       `json:"header"`
	Status      agent.Status         `json:"status"`
	Projections map[string]any       `json:"projections"`
	Approvals   []permission.Waiting `json:"approvals"`
	// Held is true where another process writes the session; here it can be read only.
	Held bool `json:"held,omitempty"`
}

func (s *Server) readSession(c *call) (any, error) {
	log, err := s.log(c)
	if err != nil {
		return nil, err
	}
	return s.snapshot(log)
}

func (s *Server) snapshot(log *session.Log) (Snapshot, error) {
	at, err := tip(log)
	if err != nil {
		return Snapshot{}, err
	}
	snap := Snapshot{ID: log.ID(), Seq: at.Seq, Hash: at.Hash, Header: log.Header(), Status: agent.Status{State: agent.Idle},
		Projections: log.Snapshot(), Approvals: s.options.Gate.Waiting(log.ID())}
	if a, live := s.options.Host.Live(log.ID()); live {
		snap.Status = a.Status()
	} else {
		snap.Held = true
	}
	return snap, nil
}

// tip is the last event of a log.
func tip(log *session.Log) (session.Event, error) {
	e, _, err := eventAt(log, log.Seq())
	return e, err
}

// SessionChange renames, archives or pins; what is absent stays.
type SessionChange struct {
	Title    *string `json:"title,omitempty"`
	Archived *bool   `json:"archived,omitempty"`
	Pinned   *bool   `json:"pinned,omitempty"`
}

func (s *Server) changeSession(c *call) (any, error) {
	var change SessionChange
	if err := c.read(&change); err != nil {
		return nil, err
	}
	a, err := s.agent(c)
	if err != nil {
		return nil, err
	}
	log := a.Log()
	var drafts []session.Draft
	if change.Title != nil {
		title := strings.Join(strings.Fields(*change.Title), " ")
		if title == "" {
			return nil, fault.New(fault.Invalid, "server.rename", "A title must not be empty. The old one stays.")
		}
		drafts = append(drafts, session.Titled.New(0, 0, session.TitledData{Title: title, By: "person"}))
	}
	if change.Archived != nil || change.Pinned != nil {
		meta, err := session.StateOf(log, session.Meta)
		if err != nil {
			return nil, err
		}
		state := session.ArchivedData{Archived: meta.Archived, Pinned: meta.Pinned}
		if change.Archived != nil {
			state.Archived = *change.Archived
		}
		if change.Pinned != nil {
			state.Pinned = *change.Pinned
		}
		drafts = append(drafts, session.Archived.New(0, 0, state))
	}
	if len(drafts) > 0 {
		if _, err := log.Append(c.Context(), drafts...); err != nil {
			return nil, err
		}
		if err := log.Flush(c.Context()); err != nil {
			return nil, err
		}
	}
	return s.snapshot(log)
}

func (s *Server) deleteSession(c *call) (any, error) {
	id := session.ID(c.PathValue("id"))
	if err := s.options.Host.Release(c.Context(), id); err != nil {
		return nil, err
	}
	return struct{}{}, s.options.Library.Delete(c.Context(), id)
}

// agent opens the session a path names, for doing something with it.
func (s *Server) agent(c *call) (*agent.Agent, error) {
	return s.options.Host.Open(c.Context(), session.ID(c.PathValue("id")))
}

// log opens the session a path names, for looking: the live one, so that what
// happens next is seen too; where another process writes it, as it is on disk.
func (s *Server) log(c *call) (*session.Log, error) {
	a, err := s.agent(c)
	if err == nil {
		return a.Log(), nil
	}
	if fault.Is(err, fault.Conflict) || fault.CodeOf(err) == session.CodeDiskFull {
		return s.options.Library.Read(c.Context(), session.ID(c.PathValue("id")))
	}
	return nil, err
}
