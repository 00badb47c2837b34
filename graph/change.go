package graph

import (
	"context"
	"fmt"
	"strings"

	"fairlead/fault"
)

// Edit is one change of a child of a fiber.
type Edit struct {
	// ID names the child.
	ID string
	// Plugin plugs it, or takes the place of the plugin that is there. Nil leaves the
	// plugin and gives it another configuration.
	Plugin *Plugin
	// Remove disposes the child.
	Remove bool
	// Config is the configuration; nil means the plugin's defaults.
	Config any
	// Rank places a new child among its siblings, which decides the order of their
	// listeners; 0 means after all others. A replacement keeps the place.
	Rank int
}

// Change makes several edits to f's children as one: whatever stands on them is
// stopped once and started once, and what leaves is quiet before what is new starts.
// It returns when everything has settled. If a child that was edited, or one that was
// ready before, is not ready then, all edits are taken back and the error says why.
// An edit that is refused outright (see [Fiber.Plug]) changes nothing. Changes wait
// for each other.
func (f *Fiber) Change(ctx context.Context, edits ...Edit) error {
	select {
	case f.graph.changing <- struct{}{}:
		defer func() { <-f.graph.changing }()
	case <-ctx.Done():
		return fault.Wrap(fault.KindOf(ctx.Err()), "graph.change", ctx.Err(), "Another change is being made. Nothing was changed.")
	}
	f.graph.mu.Lock()
	wanted := f.readyKids()
	back, err := f.amend(edits)
	f.graph.drain()
	f.graph.mu.Unlock()
	if err != nil {
		return err
	}
	for _, e := range edits {
		wanted[e.ID] = !e.Remove
	}
	err = f.outcome(ctx, wanted)
	if err == nil {
		return nil
	}
	f.graph.mu.Lock()
	_, backErr := f.amend(back)
	f.graph.drain()
	f.graph.mu.Unlock()
	if backErr == nil && ctx.Err() == nil {
		backErr = f.graph.await(ctx, func() bool { return f.quiet(wanted) })
	}
	if backErr != nil {
		return fault.Wrap(fault.KindOf(err), "graph.change", err, "The change failed and could not be taken back whole (%s): %s", backErr, fault.Person(err))
	}
	return fault.Wrap(fault.KindOf(err), "graph.change", err, "The change was taken back: %s", fault.Person(err))
}

// Update gives f another configuration and restarts it. Where it does not become
// active with it, the old one is put back and the error says why.
func (f *Fiber) Update(ctx context.Context, cfg any) error {
	return f.become(ctx, Edit{ID: f.id, Config: cfg})
}

// Replace puts another plugin in f's place; f itself is disposed. Where the new one
// does not become active, the old plugin is put back and the error says why.
func (f *Fiber) Replace(ctx context.Context, p Plugin, cfg any) error {
	return f.become(ctx, Edit{ID: f.id, Plugin: &p, Config: cfg})
}

func (f *Fiber) become(ctx context.Context, e Edit) error {
	if f.parent == nil {
		return fault.New(fault.Invalid, "graph.change", "The root is no plugin and cannot become another.")
	}
	return f.parent.Change(ctx, e)
}

// amend makes the edits without waiting and gives those that take them back. Nothing
// is changed where one is refused. The lock is held.
func (f *Fiber) amend(edits []Edit) (back []Edit, err error) {
	var undo []func()
	var leavers []*Fiber
	defer func() {
		for ; err != nil && len(undo) > 0; undo = undo[:len(undo)-1] {
			undo[len(undo)-1]()
		}
	}()
	for _, e := range edits {
		old := f.ids[e.ID]
		if old != nil && old.gone {
			old = nil
		}
		switch {
		case old == nil && (e.Remove || e.Plugin == nil):
			return nil, fault.New(fault.NotFound, "graph.change", "%s has no child %s. Nothing was changed.", f.name(), e.ID)
		case old == nil:
			back = append(back, Edit{ID: e.ID, Remove: true})
		case e.Remove || e.Plugin != nil:
			back = append(back, Edit{ID: e.ID, Plugin: &old.plugin, Config: old.cfg, Rank: old.rank()})
			old.abandon()
			leavers = append(leavers, old)
			undo = append(undo, func() { old.gone, f.ids[old.id] = false, old })
		default:
			back = append(back, Edit{ID: e.ID, Config: old.cfg})
			was := *old
			undo = append(undo, func() {
				old.cfg, old.generation, old.reason, old.failedAt = was.cfg, was.generation, was.reason, was.failedAt
			})
			if old.cfg = e.Config; e.Config == nil && old.plugin.Config != nil {
				old.cfg = old.plugin.Config()
			}
			old.renew()
		}
	}
	for _, e := range edits {
		if e.Plugin == nil {
			continue
		}
		rank := e.Rank
		if namesake := f.ids[e.ID]; namesake != nil && rank == 0 {
			rank = namesake.rank()
		}
		child, err := f.adopt(e.ID, rank, *e.Plugin, e.Config, f.realm)
		if err != nil {
			return nil, err
		}
		undo = append(undo, child.forget)
		for _, old := range leavers { // they may share what no key names: a port, a tool's name
			child.waitFor(old)
		}
	}
	return back, nil
}

func (f *Fiber) rank() int { return f.place[len(f.place)-1] }

// readyKids names the children that are active with all that is below them. The
// lock is held.
func (f *Fiber) readyKids() map[string]bool {
	ready := map[string]bool{}
	for id, child := range f.ids {
		ready[id] = !child.gone && child.unready() == nil
	}
	return ready
}

// outcome waits until the named children have settled and says which of those that
// are wanted are not ready.
func (f *Fiber) outcome(ctx context.Context, wanted map[string]bool) error {
	if err := f.graph.await(ctx, func() bool { return f.quiet(wanted) }); err != nil {
		return err
	}
	f.graph.mu.RLock()
	defer f.graph.mu.RUnlock()
	var troubles []string
	kind := fault.Unavailable
	for id, want := range wanted {
		child := f.ids[id]
		switch {
		case !want:
		case child == nil || child.gone:
			troubles = append(troubles, fmt.Sprintf("%s was disposed meanwhile", id))
		default:
			if err := child.unready(); err != nil {
				troubles = append(troubles, child.plight())
				if child.reason != nil {
					kind = fault.KindOf(child.reason)
				}
			}
		}
	}
	if troubles == nil {
		return nil
	}
	return fault.New(kind, "graph.change", "%s.", strings.Join(troubles, "; "))
}

func (f *Fiber) quiet(ids map[string]bool) bool {
	for id := range ids {
		if child := f.ids[id]; child != nil && (child.gone || !child.settled()) {
			return false
		}
	}
	return true
}
