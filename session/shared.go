package session

import (
	"context"

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

// openShared puts the logs that a fork goes on from in front of its own. A parent
// that is gone is damage: the fork opens without what it shared.
func (lib *Library) openShared(ctx context.Context, l *loaded, from ForkedData) error {
	var shared []segment
	for range 1000 { // a ring of forks cannot be made, but could be forged
		r, err := lib.opt.Store.Read(ctx, from.Parent)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			break
		}
		if err != nil {
			return err
		}
		size, err := r.Size()
		if err != nil {
			return err
		}
		end, err := searchSorted(r, size, from.Seq+1)
		if err != nil {
			return err
		}
		shared = append([]segment{{id: from.Parent, r: r, end: end, last: from.Seq}}, shared...)
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
	l.src.segments = append(shared, l.src.segments...)
	return nil
}

// foldShared gives the state at the end of what a fork shares, from the nearest
// checkpoint of a parent.
func (lib *Library) foldShared(ctx context.Context, src *source) (*folded, error) {
	state, first, from := lib.begin(src.segments[0].id), 0, int64(0)
	for i := src.own() - 1; i >= 0; i-- {
		g := src.segments[i]
		if cp, _ := lib.readCheckpoint(g.id, g.r, g.end); cp != nil && cp.Seq <= g.last {
			state, first, from = cp.state, i, cp.Offset
			break
		}
	}
	for i := first; i < src.own(); i++ {
		g := src.segments[i]
		part := &loaded{state: state, src: &source{segments: src.segments[:i+1]}, end: g.end}
		if err := part.scan(ctx, g.r, from); err != nil {
			return nil, err
		}
		from = 0
	}
	return state, nil
}
