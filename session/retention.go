package session

import (
	"context"
	"slices"
	"time"

	"fairlead/fault"
)

// Sizer is a [Store] that knows what a record takes up with everything beside it.
type Sizer interface {
	Size(ctx context.Context, id ID) (bytes int64, err error)
}

// Retention says which sessions may go. The zero policy keeps everything.
type Retention struct {
	// Age is how long a session is kept after it was used last; 0 keeps it for ever.
	Age time.Duration
	// Bytes is what all sessions together may take up; where they take more the ones
	// used longest ago go first. 0 is no limit.
	Bytes int64
}

// Swept is a session that retention lets go.
type Swept struct {
	Summary
	// Total is what it takes up with everything beside its log, in bytes.
	Total int64 `json:"total"`
	// Why is "age" or "size".
	Why string `json:"why"`
}

// Sweep deletes what a policy lets go and says what it was; with dry it only says.
// A session that is pinned, open here or held by another process, or that cannot be
// read, stays: retention never decides about what somebody wants or what may still
// be mended. Forks keep their history, see [Library.Delete].
func (lib *Library) Sweep(ctx context.Context, policy Retention, dry bool) ([]Swept, error) {
	if policy == (Retention{}) {
		return nil, nil
	}
	list, err := lib.List(ctx)
	if err != nil {
		return nil, err
	}
	sizes, total, err := lib.sizes(ctx, list)
	if err != nil {
		return nil, err
	}
	open := lib.Opened()
	oldest := lib.opt.Now().Add(-policy.Age).UnixMilli()
	var gone []Swept
	for _, s := range slices.Backward(list) { // the one used longest ago first
		w := Swept{Summary: s, Total: sizes[s.ID]}
		switch {
		case policy.Age > 0 && s.At < oldest:
			w.Why = "age"
		case policy.Bytes > 0 && total > policy.Bytes:
			w.Why = "size"
		default:
			continue
		}
		if s.Pinned || s.Problem != "" || slices.Contains(open, s.ID) {
			continue
		}
		if !dry {
			err := lib.Delete(ctx, s.ID)
			if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
				continue // in use, or gone already
			}
			if err != nil {
				return gone, err
			}
		}
		total -= w.Total
		gone = append(gone, w)
	}
	return gone, nil
}

// sizes gives what each session takes up, and all together.
func (lib *Library) sizes(ctx context.Context, list []Summary) (map[ID]int64, int64, error) {
	sizes, total := make(map[ID]int64, len(list)), int64(0)
	for _, s := range list {
		n, err := lib.Size(ctx, s.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, 0, err
		}
		sizes[s.ID] = n
		total += n
	}
	return sizes, total, nil
}

// Size is what a session takes up with everything beside its log, in bytes; with a
// store that does not know, the size of its log.
func (lib *Library) Size(ctx context.Context, id ID) (int64, error) {
	if err := valid(id); err != nil {
		return 0, err
	}
	if s, ok := lib.opt.Store.(Sizer); ok {
		return s.Size(ctx, id)
	}
	r, err := lib.opt.Store.Read(ctx, id)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return r.Size()
}
