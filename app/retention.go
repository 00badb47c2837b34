package app

import (
	"context"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// Retention is the row that lets old sessions go. Its zero values keep everything.
type Retention struct {
	// KeepDays is how many days a session is kept after it was used last.
	KeepDays int `yaml:"keepDays"`
	// KeepMegabytes is what all sessions together may take up.
	KeepMegabytes int64 `yaml:"keepMegabytes"`
}

// sweepEvery is how often a running host looks.
const sweepEvery = 6 * time.Hour

// retention sweeps some time after the start and then every few hours. It never
// takes a session that is pinned or open.
func retention() graph.Plugin {
	return graph.Plugin{
		Name:   "retention",
		Doc:    "deletes sessions by age and size, where its row says so; never pinned or open ones",
		Inject: []graph.Dependency{graph.Needs(session.LibraryKey)},
		Config: func() any { return &Retention{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := cfg.(*Retention)
			if c.KeepDays < 0 || c.KeepMegabytes < 0 {
				return fault.New(fault.Invalid, "app.retention", "keepDays and keepMegabytes cannot be negative; 0 keeps everything.")
			}
			policy := session.Retention{Age: time.Duration(c.KeepDays) * 24 * time.Hour, Bytes: c.KeepMegabytes << 20}
			if policy == (session.Retention{}) {
				return nil
			}
			lib, err := graph.Get(f, session.LibraryKey)
			if err != nil {
				return err
			}
			var work sync.WaitGroup
			f.Effect("sweeping", func(context.Context) error {
				work.Wait()
				return nil
			})
			work.Go(func() { sweeping(f, lib, policy) })
			return nil
		},
	}
}

func sweeping(f *graph.Fiber, lib *session.Library, policy session.Retention) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		gone, err := lib.Sweep(f.Context(), policy, false)
		for _, s := range gone {
			f.Log().Info("a session was deleted by the retention row", "session", s.ID, "title", s.Title, "why", s.Why)
		}
		if err != nil && f.Context().Err() == nil {
			f.Log().Warn("old sessions could not be deleted", "error", err)
		}
		select {
		case <-tick.C:
		case <-f.Context().Done():
			return
		}
	}
}
