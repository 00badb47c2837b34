package session

import (
	"context"
	"errors"
	"io"

	"fairlead/fault"
)

// Delete removes a session with everything it owns. Conflict where it is open,
// here or elsewhere. Sessions forked from it first get a copy of what they share.
func (lib *Library) Delete(ctx context.Context, id ID) error {
	if err := valid(id); err != nil {
		return err
	}
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core != nil {
		return fault.New(fault.Conflict, "session.delete", "The session is open. Nothing was deleted; stop it first.").WithCode(CodeHeld)
	}
	forks, err := lib.forksOf(ctx, id)
	if err != nil {
		return err
	}
	for _, fork := range forks {
		if err := lib.keepHistory(ctx, fork); err != nil {
			return err
		}
	}
	return lib.opt.Store.Delete(ctx, id)
}

// forksOf names the sessions that were forked from this one directly and read
// their history in it.
func (lib *Library) forksOf(ctx context.Context, id ID) ([]ID, error) {
	stored, err := lib.opt.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []ID
	for _, s := range stored {
		parent, err := lib.parentOf(ctx, s.ID)
		if err != nil {
			lib.opt.Log.Warn("a session was not looked at for being a fork", "session", s.ID, "error", err)
			continue
		}
		if parent == id {
			out = append(out, s.ID)
		}
	}
	return out, nil
}

func (lib *Library) parentOf(ctx context.Context, id ID) (ID, error) {
	r, err := lib.opt.Store.Read(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	size, err := r.Size()
	if err != nil {
		return "", err
	}
	first, _, err := firstEvent(r, 0, size)
	if err != nil {
		return "", err
	}
	cp, bad := lib.readCheckpoint(id, r, size)
	d, ok := forkedFrom(id, first.Event, cp, bad)
	if !ok {
		return "", nil
	}
	if p, err := r.Part(PartShared); err != nil || p != nil {
		if p != nil {
			p.Close()
		}
		return "", err
	}
	return d.Parent, nil
}

// keepHistory gives a fork its own copy of what it shares with its parent.
func (lib *Library) keepHistory(ctx context.Context, fork ID) error {
	l, err := lib.Open(ctx, fork)
	if err != nil {
		return fault.Wrap(fault.KindOf(err), "session.delete", err, "Session %s was forked from this one and could not be given its own copy of what they share. Nothing was deleted. %s", fork, fault.Person(err))
	}
	return errors.Join(l.copyHistory(ctx), l.Close(ctx))
}

func (l *Log) copyHistory(ctx context.Context) error {
	var parts []io.Reader
	shared := &source{segments: l.src.segments[:l.src.own()]}
	if len(shared.segments) == 0 {
		return nil
	}
	for _, g := range shared.segments {
		parts = append(parts, io.NewSectionReader(g.r, 0, g.end))
	}
	for f, err := range shared.walk(&place{}, shared.segments[shared.own()].end) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.copyBlobs(f.Event); err != nil {
			return err
		}
	}
	if err := l.w.PutPart(PartShared, io.MultiReader(parts...)); err != nil {
		return err
	}
	return l.w.Sync(ctx)
}

// copyBlobs copies everything an event names that its history holds.
func (l *Log) copyBlobs(e Event) error {
	for _, name := range contents(e) {
		b, err := l.src.blob(name)
		if fault.Is(err, fault.NotFound) {
			continue // a digest of something else, or lost already
		}
		if err != nil {
			return err
		}
		if err := l.w.PutBlob(name, b); err != nil {
			return err
		}
	}
	return nil
}

// contents are the digests of everything that an event may name beside the log.
func contents(e Event) []string {
	names := hashesIn(e.Data)
	if e.Blob != nil {
		names = append(names, e.Blob.SHA256)
	}
	return names
}

// hashesIn finds what looks like a SHA-256 in a payload.
func hashesIn(data []byte) []string {
	var out []string
	run := 0
	for i, c := range data {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			if run++; run == 64 && (i+1 == len(data) || !isHex(data[i+1])) {
				out = append(out, string(data[i-63:i+1]))
			}
			continue
		}
		run = 0
	}
	return out
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
