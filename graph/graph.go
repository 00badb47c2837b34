package graph

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
)

// Options of a graph. The zero value works.
type Options struct {
	// Log hears of starts, stops and failures; nil discards.
	Log *slog.Logger
	// UndoLimit bounds each undo of an effect; 0 means 5 s. An undo that takes longer
	// is left behind and named in the report.
	UndoLimit time.Duration
}

// Graph holds the fibers of one process. Its methods may be called from anywhere
// but from inside an Apply or an undo, where those that wait would wait for
// themselves.
type Graph struct {
	log       *slog.Logger
	undoLimit time.Duration
	root      *Fiber

	// mu guards every field below and those of all realms and fibers.
	mu       sync.RWMutex
	dirty    []*Fiber        // to be reconciled, oldest first
	inFlight int             // transitions running now
	looked   uint64          // reconciliations so far: the work of the graph
	runs     uint64          // last run id handed out
	listened uint64          // counts changes of listeners, so that realms know their caches are old
	holds    int             // of all fibers
	deferred map[*Fiber]bool // fibers that a hold keeps from leaving
	closing  bool

	changed  Bell
	changing chan struct{} // holds one token while a Change is made
}

// New makes a graph that holds nothing but its root.
func New(o Options) *Graph {
	g := &Graph{log: o.Log, undoLimit: o.UndoLimit, deferred: map[*Fiber]bool{}, changing: make(chan struct{}, 1)}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if g.undoLimit <= 0 {
		g.undoLimit = 5 * time.Second
	}
	realm := newRealm(nil, "", nil)
	realm.graph = g
	g.root = newFiber(g, nil, "", 0, Plugin{Name: "root"}, nil, realm)
	ctx, cancel := context.WithCancel(context.Background())
	g.root.state, g.root.outlook = Active, up
	g.root.run = &run{epoch: epoch{}, ctx: ctx, cancel: cancel}
	return g
}

// Root is the fiber below which everything is plugged. It is always active.
func (g *Graph) Root() *Fiber { return g.root }

// Find gives the fiber at a path as [Fiber.Path] says it.
func (g *Graph) Find(path string) (*Fiber, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	f := g.root
	if path != "" {
		for id := range strings.SplitSeq(path, "/") {
			if f = f.ids[id]; f == nil {
				return nil, false
			}
		}
	}
	return f, true
}

// Settle returns when no fiber is starting or stopping and none is about to. The
// error is that of ctx; whether everything is active is what [Graph.Inventory] says.
func (g *Graph) Settle(ctx context.Context) error {
	return g.await(ctx, func() bool { return g.inFlight == 0 })
}

// Close stops everything and returns when it is quiet. The error names each effect
// whose undo failed or was left behind, and, where ctx ended first, what still ran.
// Nothing can be plugged afterwards.
func (g *Graph) Close(ctx context.Context) error {
	g.do(func() {
		g.closing = true
		for f := range g.deferred {
			g.touch(f)
		}
	})
	return g.root.Dispose(ctx)
}

// do runs change under the lock and lets its consequences begin.
func (g *Graph) do(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
	g.drain()
}

// touch asks for a fiber to be reconciled. The lock is held.
func (g *Graph) touch(f *Fiber) {
	if !f.dirty {
		f.dirty = true
		g.dirty = append(g.dirty, f)
	}
}

// drain reconciles until nothing is dirty and tells whoever waits. The lock is held.
func (g *Graph) drain() {
	for len(g.dirty) > 0 {
		f := g.dirty[0]
		g.dirty = g.dirty[1:]
		f.dirty = false
		g.looked++
		f.reconcile()
	}
	g.changed.Ring()
}

// await returns when cond holds; cond is asked under the lock, again after each change.
func (g *Graph) await(ctx context.Context, cond func() bool) error {
	for {
		g.mu.Lock()
		if cond() {
			g.mu.Unlock()
			return nil
		}
		changed := g.changed.Next()
		g.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fault.Wrap(fault.KindOf(ctx.Err()), "graph.wait", context.Cause(ctx), "The graph did not settle in time.")
		}
	}
}
