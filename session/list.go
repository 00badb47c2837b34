package session

import (
	"context"
	"slices"

	"fairlead/fault"
)

// Summary is one row of a list of sessions.
type Summary struct {
	ID ID `json:"id"`
	MetaState
	// Bytes is the size of the log without what is kept beside it.
	Bytes int64 `json:"bytes"`
	// Problem says why the session cannot be opened; empty for one that can.
	Problem string `json:"problem,omitempty"`
}

// List describes every session, the one changed last first. A session that cannot
// be read is listed with its problem.
func (lib *Library) List(ctx context.Context) ([]Summary, error) {
	stored, err := lib.opt.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(stored))
	for _, s := range stored {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.KindOf(err), "session.list", err, "Listing was stopped.")
		}
		row := Summary{ID: s.ID, Bytes: s.Bytes}
		meta, err := lib.metaOf(ctx, s)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			row.Problem, row.At = fault.Person(err), s.Changed.UnixMilli()
		} else {
			row.MetaState = meta
		}
		if row.Events == 0 && row.Problem == "" {
			// Its process was killed before the first event was written.
			row.At, row.Created = s.Changed.UnixMilli(), s.Changed.UnixMilli()
		}
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b Summary) int {
		if a.At != b.At {
			return int(min(max(b.At-a.At, -1), 1))
		}
		return compareIDs(a.ID, b.ID)
	})
	return out, nil
}

// metaOf gives what a stored session is. One that is closed, and whose log is as the
// last listing found it, is not read again.
func (lib *Library) metaOf(ctx context.Context, s Stored) (MetaState, error) {
	if last, known := lib.lastListed(s.ID); known && last.Stored == s {
		return last.meta, nil
	}
	meta, err := lib.meta(ctx, s.ID)
	lib.mu.Lock()
	defer lib.mu.Unlock()
	if err != nil {
		delete(lib.listed, s.ID)
		return meta, err
	}
	lib.listed[s.ID] = listed{s, meta}
	return meta, nil
}

// lastListed gives what a listing found of a session that is not open since.
func (lib *Library) lastListed(id ID) (listed, bool) {
	lib.mu.Lock()
	last, known := lib.listed[id]
	shelf := lib.opened[id]
	lib.mu.Unlock()
	if !known || shelf == nil {
		return last, known
	}
	shelf.mu.Lock()
	defer shelf.mu.Unlock()
	return last, shelf.core == nil
}

// listed is a session as a listing found it.
type listed struct {
	Stored
	meta MetaState
}

func compareIDs(a, b ID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// meta reads one session just far enough to describe it.
func (lib *Library) meta(ctx context.Context, id ID) (MetaState, error) {
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core != nil {
		return StateOf(&Log{core: s.core}, Meta)
	}
	r, err := lib.opt.Store.Read(ctx, id)
	if err != nil {
		return MetaState{}, err
	}
	l, err := lib.load(ctx, id, r)
	if err != nil {
		r.Close()
		return MetaState{}, err
	}
	meta, err := stateIn(&l.state.projections, Meta)
	if cerr := l.src.close(); err == nil {
		err = cerr
	}
	return meta, err
}
