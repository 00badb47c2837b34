package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
)

// checkpointFormat changes whenever the meaning of a checkpoint's own fields does;
// others are ignored.
const checkpointFormat = 1

// checkpoint is what opening a session goes on from: everything that was folded up
// to an event that is on disk, and where the log goes on behind it. It also tells
// that a log was shorter once than it should be.
type checkpoint struct {
	Format int `json:"format"`
	// As is the format of the log that the events were read in; 0 is the first one.
	As       int      `json:"as,omitempty"`
	Seq      int64    `json:"seq"`
	Hash     string   `json:"hash"`
	Offset   int64    `json:"offset"`
	Lines    int64    `json:"lines"`
	Turn     int      `json:"turn,omitempty"`
	Step     int      `json:"step,omitempty"`
	Header   Header   `json:"header"`
	Needed   []string `json:"needed"`
	Formats  formats  `json:"formats,omitempty"`
	Disorder bool     `json:"disorder,omitempty"`
	// Surface has four numbers an entry: seq, the span it stands for, byte offset.
	Surface    []int64 `json:"surface"`
	LastShadow int64   `json:"lastShadow,omitempty"`
	// Kept is the offset of the last one that is kept for looking back.
	Kept        int64                 `json:"kept,omitempty"`
	Projections map[string]savedState `json:"projections"`

	state *folded // filled in by readCheckpoint
}

type savedState struct {
	Version int             `json:"version"`
	State   json.RawMessage `json:"state"`
}

// readCheckpoint gives the checkpoint of a session as usable where the log still
// holds the event it was made at and every projection can go on from it; otherwise
// as bad, where it can be read at all.
func (lib *Library) readCheckpoint(id ID, r Reader, size int64) (usable, bad *checkpoint) {
	return lib.readCheckpointPart(id, r, PartCheckpoint, size)
}

func (lib *Library) readCheckpointPart(id ID, r Reader, name PartName, size int64) (usable, bad *checkpoint) {
	b, err := readPart(r, name)
	if err != nil || len(b) == 0 {
		if err != nil {
			lib.opt.Log.Warn("a checkpoint could not be read; the whole log is", "session", id, "error", err)
		}
		return nil, nil
	}
	cp := &checkpoint{}
	if err := json.Unmarshal(b, cp); err != nil || cp.Format != checkpointFormat || cp.Header.ID != id || len(cp.Surface)%4 != 0 {
		lib.opt.Log.Info("a checkpoint is not used; the whole log is read", "session", id, "error", err, "format", cp.Format)
		return nil, nil
	}
	if cp.Offset > size || !endsIn(r, cp.Offset, cp.Hash) || !lib.restore(id, cp) {
		return nil, cp
	}
	return cp, nil
}

// endsIn reports whether the line that ends at off states the hash.
func endsIn(r io.ReaderAt, off int64, hash string) bool {
	want := hashKey + hash + "\"}\n"
	if off < int64(len(want)) || len(hash) != hashDigits {
		return false
	}
	have := make([]byte, len(want))
	n, err := r.ReadAt(have, off-int64(len(want)))
	return (err == nil || err == io.EOF) && n == len(want) && string(have) == want
}

// restore makes the folded state a checkpoint describes; false where this build
// cannot go on from it.
func (lib *Library) restore(id ID, cp *checkpoint) bool {
	if max(cp.As, 1) != lib.format() {
		// Events of earlier formats are read otherwise by now; a newer one is refused when
		// the log is read.
		return false
	}
	f := lib.begin(id)
	f.seq, f.hash, f.turn, f.step, f.header = cp.Seq, cp.Hash, cp.Turn, cp.Step, cp.Header
	f.formats = cp.Formats
	for _, k := range cp.Needed {
		if f.kinds[k] == nil {
			// Reading the whole log names the event that is not known.
			return false
		}
		f.needed[k] = true
	}
	for q := range slices.Chunk(cp.Surface, 4) {
		f.surface.refs = append(f.surface.refs, ref{seq: q[0], span: Span{q[1], q[2]}, off: q[3]})
	}
	f.surface.lastShadow = cp.LastShadow
	for _, r := range f.projections.runners {
		saved, ok := cp.Projections[r.name()]
		if !ok || saved.Version != r.version() || r.load(saved.State) != nil {
			lib.opt.Log.Info("a projection is new or changed; the whole log is read", "session", id, "projection", r.name())
			return false
		}
	}
	cp.state = f
	return true
}

// encode writes the state at an offset as a checkpoint.
func (f *folded) encode(offset, lines, kept int64, disorder bool) ([]byte, error) {
	cp := checkpoint{
		Format: checkpointFormat, As: 1 + len(f.steps), Seq: f.seq, Hash: f.hash, Offset: offset, Lines: lines, Turn: f.turn, Step: f.step,
		Header: f.header, Needed: slices.Sorted(maps.Keys(f.needed)), Formats: f.formats, Kept: kept, Disorder: disorder, LastShadow: f.surface.lastShadow,
		Surface: make([]int64, 0, 4*len(f.surface.refs)), Projections: map[string]savedState{},
	}
	for _, r := range f.surface.refs {
		cp.Surface = append(cp.Surface, r.seq, r.span.From, r.span.To, r.off)
	}
	for _, r := range f.projections.runners {
		if f.projections.failed[r.name()] != nil {
			continue
		}
		state, err := r.save()
		if err != nil {
			return nil, err
		}
		cp.Projections[r.name()] = savedState{Version: r.version(), State: state}
	}
	return json.Marshal(cp)
}

const (
	// A checkpoint is due after this many bytes, at the end of a turn after fewer.
	checkpointEvery   = 1 << 20
	checkpointAtTurns = 64 << 10
)

// saving is the making of checkpoints in the background, one at a time.
type saving struct {
	wait sync.WaitGroup
	busy bool
	last int64 // offset of the last one
	// size is that of the last one, in bytes: a large one is made less often.
	size int64
	// kept is the offset of the last one that is kept for looking back.
	kept int64
}

// considerCheckpoint starts a checkpoint where one is due. The caller holds the lock.
func (c *core) considerCheckpoint(events []Event) {
	due := int64(checkpointEvery)
	if TurnEnd.Of(events[len(events)-1]) {
		due = checkpointAtTurns
	}
	if c.saving.busy || c.size-c.saving.last < max(due, 8*c.saving.size) {
		return
	}
	c.saving.busy = true
	state, size, lines := c.state.fork(), c.size, c.lines
	c.saving.wait.Go(func() {
		err := c.saveCheckpoint(context.Background(), state, size, lines)
		if err == nil {
			err = c.w.Sync(context.Background())
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.saving.busy, c.saving.last = false, size
		if err != nil {
			c.lib.opt.Log.Warn("a checkpoint was not saved; opening the session will take longer", "session", c.id, "error", err)
		}
	})
}

// saveCheckpoint makes what it stands for durable first: a checkpoint must never
// know more than the log.
func (c *core) saveCheckpoint(ctx context.Context, state *folded, size, lines int64) error {
	if err := c.w.Sync(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	kept, last := c.saving.kept, c.saving.size
	c.mu.Unlock()
	// One is kept for every so many bytes of log: to look back costs what stands
	// between two of them, and together they take an eighth of the log at most.
	keep := size>>20 > kept>>20 && size-kept >= 8*last
	if keep {
		kept = size
	}
	b, err := state.encode(size, lines, kept, c.src.disorder)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.saving.size, c.saving.kept = int64(len(b)), kept
	c.mu.Unlock()
	if keep {
		err = c.w.PutPart(keptPart(size>>20), bytes.NewReader(b))
	}
	return errors.Join(err, c.w.PutPart(PartCheckpoint, bytes.NewReader(b)))
}

// nearest gives the state at the last checkpoint at or before a place, and where it
// was made; without one that is the state before the first event.
func (lib *Library) nearest(src *source, p place) (*folded, place) {
	for i := p.segment; i >= 0; i-- {
		g, end := src.segments[i], src.segments[i].end
		if i == p.segment {
			end = p.off
		}
		if cp, _ := lib.readCheckpoint(g.id, g.r, end); cp != nil {
			return cp.state, place{i, cp.Offset}
		}
		for mib := end >> 20; mib > 0; mib-- {
			if cp, _ := lib.readCheckpointPart(g.id, g.r, keptPart(mib), end); cp != nil {
				return cp.state, place{i, cp.Offset}
			}
		}
	}
	return lib.begin(src.segments[0].id), place{}
}

// readPart gives a whole part, nil where there is none.
func readPart(r Reader, name PartName) ([]byte, error) {
	p, err := r.Part(name)
	if err != nil || p == nil {
		return nil, err
	}
	defer p.Close()
	return io.ReadAll(io.NewSectionReader(p, 0, p.Size()))
}
