package session

import (
	"context"
	"slices"

	"fairlead/fault"
)

// forkedFrom says what a session goes on from: what its first event says or, where
// that cannot be read, what a checkpoint remembers.
func forkedFrom(id ID, first Event, checkpoints ...*checkpoint) (ForkedData, bool) {
	if Created.Of(first) {
		return ForkedData{}, false
	}
	if d, err := Forked.Decode(first); err == nil {
		return d, d.ID == id
	}
	for _, cp := range checkpoints {
		if cp == nil || len(cp.Header.Lineage) == 0 {
			continue
		}
		d := cp.Header.Lineage[len(cp.Header.Lineage)-1]
		// A log that holds its history itself begins before the fork.
		return d, d.ID == id && (first.Seq == 0 || first.Seq > d.Seq)
	}
	return ForkedData{}, false
}

// sharedPart reads a history that was copied beside the fork when its parent was
// deleted. Its blobs stand beside the fork too.
type sharedPart struct {
	file Part
	of   ID
}

func (p sharedPart) ReadAt(b []byte, off int64) (int, error) { return p.file.ReadAt(b, off) }
func (p sharedPart) Size() (int64, error)                    { return p.file.Size(), nil }
func (p sharedPart) Part(PartName) (Part, error)             { return nil, nil }
func (p sharedPart) Close() error                            { return p.file.Close() }

func (p sharedPart) Blob(sha256 string) ([]byte, error) {
	return nil, fault.New(fault.NotFound, "session.blob", "The history shared with session %s does not hold the content %s itself.", p.of, sha256)
}

// openShared puts what a fork shares in front of its own log: the copy beside it
// where its parent was deleted, else the logs it goes on from. A parent that is
// gone without a copy is damage: the fork opens without what it shared.
func (lib *Library) openShared(ctx context.Context, l *loaded, from ForkedData) error {
	own := l.src.segments
	var shared []segment
	child := own[0].r
	for range 1000 { // a ring of forks cannot be made, but could be forged
		copied, err := copiedHistory(child, from)
		if err != nil {
			return err
		}
		if copied != nil {
			shared = append(shared, *copied)
			break
		}
		r, err := lib.opt.Store.Read(ctx, from.Parent)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			break
		}
		if err != nil {
			return err
		}
		shared, child = append(shared, segment{id: from.Parent, r: r, last: from.Seq}), r
		size, err := r.Size()
		if err != nil {
			return err
		}
		if shared[len(shared)-1].end, err = searchSorted(r, size, from.Seq+1); err != nil {
			return err
		}
		first, _, err := firstEvent(r, 0, size)
		if err != nil {
			return err
		}
		next, ok := forkedFrom(from.Parent, first.Event)
		if !ok {
			break
		}
		from = next
	}
	slices.Reverse(shared)
	l.src.segments = append(shared, own...)
	return nil
}

func copiedHistory(child Reader, from ForkedData) (*segment, error) {
	if child == nil {
		return nil, nil
	}
	p, err := child.Part(PartShared)
	if err != nil || p == nil {
		return nil, err
	}
	return &segment{id: from.Parent, r: sharedPart{p, from.Parent}, end: p.Size(), last: from.Seq}, nil
}

// foldShared gives the state at the end of what a fork shares, from the nearest
// checkpoint of a parent.
func (lib *Library) foldShared(ctx context.Context, src *source) (*folded, error) {
	last := src.own() - 1
	state, at := lib.nearest(src, place{last, src.segments[last].end})
	for i := at.segment; i <= last; i++ {
		g := src.segments[i]
		part := &loaded{state: state, src: &source{segments: src.segments[:i+1]}, end: g.end}
		if err := lib.scan(ctx, part, g.r, at.off); err != nil {
			return nil, err
		}
		at.off = 0
	}
	return state, nil
}
