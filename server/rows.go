package server

import (
	"context"
	"encoding/json"
	"iter"
	"reflect"
	"time"

	"fairlead/command"
	"fairlead/fault"
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

// rowsEvery is how soon the watched list shows what changed in it.
const rowsEvery = time.Second

// watchRows yields the list whenever it differs. A waiting question shows at once.
func (s *Server) watchRows(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		tick := time.NewTicker(rowsEvery)
		defer tick.Stop()
		var last []SessionRow
		for {
			asked := s.options.Gate.Changed()
			rows, err := s.rows(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if last == nil || !reflect.DeepEqual(rows, last) {
				last = rows
				if !yield(Sessions{Sessions: rows}, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-asked:
			case <-tick.C:
			}
		}
	}
}
