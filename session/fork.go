package session

import (
	"context"
	"errors"

	"fairlead/fault"
)

// Fork begins a session that goes on from another one's event at (0: the last).
// Nothing is copied: the fork reads the parent's history where it is, and its
// numbers go on from there. What was open at that event is settled in the fork.
func (lib *Library) Fork(ctx context.Context, id ID, at int64) (*Log, error) {
	return lib.ForkFor(ctx, id, at, "")
}

// ForkFor is [Library.Fork] for a session that works for another one.
func (lib *Library) ForkFor(ctx context.Context, id ID, at int64, worksFor ID) (*Log, error) {
	parent, err := lib.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	fork, err := lib.fork(ctx, parent, at, worksFor)
	return fork, errors.Join(err, parent.Close(ctx))
}

func (lib *Library) fork(ctx context.Context, parent *Log, at int64, worksFor ID) (*Log, error) {
	// A fork must never know more than is on its parent's disk.
	if err := parent.Flush(ctx); err != nil {
		return nil, err
	}
	d, state, err := parent.branch(ctx, at)
	if err != nil {
		return nil, err
	}
	d.Format, d.Version, d.ID, d.Parent, d.For = lib.format(), lib.opt.Version, NewID(), parent.id, worksFor
	l := &loaded{src: &source{segments: []segment{{id: d.ID}}}}
	if err := lib.openShared(ctx, l, d); err != nil {
		return nil, err
	}
	shared := l.src.segments[:l.src.own()]
	if state == nil {
		if state, err = lib.foldShared(ctx, l.src); err != nil {
			return nil, errors.Join(err, closeAll(shared))
		}
	}
	fork, err := lib.start(ctx, d.ID, state, shared, Forked.New(0, 0, d))
	if err != nil {
		return nil, errors.Join(err, closeAll(shared))
	}
	if err := fork.begun(ctx); err != nil {
		return nil, errors.Join(err, fork.Close(ctx), lib.Delete(ctx, d.ID))
	}
	return fork, nil
}

// begun settles a new fork and leaves a checkpoint, so that opening it never costs
// its parent's length.
func (l *Log) begun(ctx context.Context) error {
	drafts, err := l.recovery(l.lib.opt.Now(), "The session was forked in the middle of this turn. What was still open is marked; send a message to go on.", "")
	if err != nil {
		return err
	}
	if len(drafts) > 0 {
		if _, err := l.add(ctx, drafts); err != nil {
			return err
		}
	}
	l.mu.Lock()
	state, size, lines := l.state.fork(), l.size, l.lines
	l.saving.last = size
	l.mu.Unlock()
	return l.saveCheckpoint(ctx, state, size, lines)
}

// branch gives the mark of an event to fork at and the state there, where that is
// at hand: at the last event, and at the end of the last turn.
func (l *Log) branch(ctx context.Context, at int64) (ForkedData, *folded, error) {
	l.mu.Lock()
	now, turn := l.state, l.turnEnd
	switch {
	case now.seq == 0 || at > now.seq || at < 0:
		l.mu.Unlock()
		return ForkedData{}, nil, fault.New(fault.Invalid, "session.fork", "The session has no event %d to fork at; its last is %d. Nothing was made.", at, now.seq)
	case at == 0 || at == now.seq:
		defer l.mu.Unlock()
		return ForkedData{Seq: now.seq, Hash: now.hash}, now.fork(), nil
	case turn != nil && turn.seq == at:
		defer l.mu.Unlock()
		return ForkedData{Seq: turn.seq, Hash: turn.hash}, turn.fork(), nil
	}
	l.mu.Unlock()
	e, err := l.Event(ctx, at)
	return ForkedData{Seq: at, Hash: e.Hash}, nil, err
}

func closeAll(segments []segment) error {
	var errs []error
	for _, g := range segments {
		errs = append(errs, g.r.Close())
	}
	return errors.Join(errs...)
}
