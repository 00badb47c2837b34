package server

import (
	"cmp"
	"context"
	"errors"
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
	waiting := s.options.Gate.Sessions()
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
	if err := a.Log().Flush(c.Context()); err != nil {
		return nil, err // what was answered is on disk
	}
	return s.snapshot(opened{Log: a.Log()}), nil
}

// Snapshot is a session as of its event Seq: the value of every projection, what
// waits for a person, and what is true only now.
type Snapshot struct {
	ID session.ID `json:"id"`
	session.Mark
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
	defer log.done()
	return s.snapshot(log), nil
}

func (s *Server) snapshot(log opened) Snapshot {
	cut := log.Cut()
	snap := Snapshot{ID: log.ID(), Mark: cut.Mark, Header: cut.Header, Status: agent.Status{State: agent.Idle},
		Projections: cut.Views, Approvals: s.options.Gate.Waiting(log.ID()), Held: log.held}
	if a, live := s.options.Host.Live(log.ID()); live && !log.held {
		snap.Status = a.Status()
	}
	return snap
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
		title := session.CleanTitle(strings.Join(strings.Fields(*change.Title), " ")) // of several lines too
		if title == "" {
			return nil, fault.New(fault.Invalid, "server.rename", "A title must not be empty. The old one stays.")
		}
		drafts = append(drafts, session.Titled.New(0, 0, session.TitledData{Title: title, By: session.ByPerson}))
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
	return s.snapshot(opened{Log: log}), nil
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

// opened is a session opened for looking. done must be called.
type opened struct {
	*session.Log
	// held is true where another process writes the session: it is seen as it is on disk.
	held bool
	done func()
}

// log opens the session a path names, for looking: the live one, so that what
// happens next is seen too; where another process writes it, or the disk is full,
// as it is on disk.
func (s *Server) log(c *call) (opened, error) {
	a, err := s.agent(c)
	if err == nil {
		return opened{Log: a.Log(), done: func() {}}, nil
	}
	if !fault.Is(err, fault.Conflict) && fault.CodeOf(err) != session.CodeDiskFull && s.underWay() == nil {
		return opened{}, err
	}
	log, err := s.options.Library.Read(c.Context(), session.ID(c.PathValue("id")))
	if err != nil {
		return opened{}, err
	}
	return opened{Log: log, held: true, done: func() {
		if err := log.Close(context.WithoutCancel(c.Context())); err != nil {
			s.options.Log.Warn("a session that was read could not be closed", "session", log.ID(), "error", err)
		}
	}}, nil
}

// Fork says where a new session goes on from: an event of this one, 0 for the last.
type Fork struct {
	At int64 `json:"at,omitempty"`
}

func (s *Server) forkSession(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	var f Fork
	if err := c.read(&f); err != nil {
		return nil, err
	}
	fork, err := s.options.Library.Fork(c.Context(), session.ID(c.PathValue("id")), f.At)
	if err != nil {
		return nil, err
	}
	a, err := s.options.Host.Open(c.Context(), fork.ID())
	if err = errors.Join(err, fork.Close(c.Context())); err != nil {
		return nil, err
	}
	return s.snapshot(opened{Log: a.Log()}), nil
}
