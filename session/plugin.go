package session

import (
	"fairlead/graph"
)

// The services of this room.
var (
	StoreKey   = graph.NewKey[Store]("session.store", "keeps the bytes of sessions: logs, blobs, checkpoints, locks")
	LibraryKey = graph.NewKey[*Library]("session.library", "creates, opens, lists, forks, verifies and deletes sessions")
)

// Opened is told of every session that is opened for writing in this process, once
// for as long as it stays open. Listeners must not block.
var Opened = graph.NewNotify[ID]("session.opened", "a session was opened for writing in this process")

// Plugin provides the library over whatever store there is. Of opt, Kinds,
// Projections, Version and Now count; the rest comes from the graph. When it stops,
// every session is flushed and closed.
func Plugin(opt Options) graph.Plugin {
	return graph.Plugin{
		Name:     "session",
		Doc:      "the library of sessions: their logs and all that is read off them",
		Inject:   []graph.Dependency{graph.Needs(StoreKey)},
		Provides: []graph.AnyKey{LibraryKey},
		Apply: func(f *graph.Fiber, _ any) error {
			st, err := graph.Get(f, StoreKey)
			if err != nil {
				return err
			}
			opt := opt
			opt.Store, opt.Log = st, f.Log()
			opt.Opened = func(id ID) { Opened.Emit(f.Context(), f.Realm(), id) }
			lib := NewLibrary(opt)
			f.Effect("close sessions", lib.Close)
			return graph.Provide(f, LibraryKey, lib)
		},
	}
}
