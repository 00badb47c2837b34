package store_test

import (
	"context"
	"testing"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/store"
)

func TestStoppingTheGraphClosesEverySessionAndLeavesNoLock(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	var lib *session.Library
	boot := func() *graph.Graph {
		g := graph.New(graph.Options{})
		for id, p := range map[string]graph.Plugin{
			"session": session.Plugin(session.Options{Version: "test"}),
			"store":   store.Plugin(dir),
			"user": {Name: "user", Inject: []graph.Dependency{graph.Needs(session.LibraryKey)}, Apply: func(f *graph.Fiber, _ any) (err error) {
				lib, err = graph.Get(f, session.LibraryKey)
				return err
			}},
		} {
			if _, err := g.Root().Plug(id, p, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Settle(ctx); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := boot()
	log, err := lib.Create(ctx, session.CreatedData{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "kept"})); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "late"})); !fault.Is(err, fault.Unavailable) {
		t.Errorf("append after the end: %v, want unavailable", err)
	}

	g = boot()
	defer g.Close(context.Background())
	again, err := lib.Open(ctx, log.ID())
	if err != nil {
		t.Fatal(err)
	}
	if again.Seq() != 2 {
		t.Errorf("seq = %d, want the note as event 2", again.Seq())
	}
}
