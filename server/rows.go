package server

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/session"
)

func (s *Server) signOut(_ context.Context, c command.Call) (any, error) {
	var args struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, fault.Wrap(fault.Invalid, "server.sign-out", err, "Say which browser to sign out. Nothing was changed.")
	}
	return struct{}{}, s.SignOut(args.ID)
}

func (s *Server) readRows(ctx context.Context, _ command.Query) (any, error) {
	rows, err := s.rows(ctx)
	return Sessions{Sessions: rows}, err
}

const (
	// rowsEvery is how soon the watched list shows what a session of this process does.
	rowsEvery = time.Second
	// listEvery is how soon it shows what other processes and people did on disk.
	listEvery = 15 * time.Second
)

// watchRows yields the list whenever it differs. A waiting question shows at once.
func (s *Server) watchRows(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		tick := time.NewTicker(rowsEvery)
		defer tick.Stop()
		var last []SessionRow
		var doing []activity
		var listed time.Time
		first, stale := true, true
		for {
			asked := s.options.Gate.Changed()
			if now := s.doing(); stale || !slices.Equal(now, doing) || s.now().Sub(listed) > listEvery {
				rows, err := s.rows(ctx)
				if err != nil {
					yield(nil, err)
					return
				}
				if (first || !slices.Equal(rows, last)) && !yield(Sessions{Sessions: rows}, nil) {
					return
				}
				last, doing, listed, first, stale = rows, now, s.now(), false, false
			}
			select {
			case <-ctx.Done():
				return
			case <-asked:
				stale = true
			case <-tick.C:
			}
		}
	}
}

// activity is what tells whether a live session is as it was.
type activity struct {
	id    session.ID
	seq   int64
	state agent.State
}

func (s *Server) doing() []activity {
	var list []activity
	for _, a := range s.options.Host.All() {
		list = append(list, activity{a.ID(), a.Log().Seq(), a.Status().State})
	}
	return list
}
