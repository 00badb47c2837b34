package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
)

// Options make a [Library].
type Options struct {
	// Store keeps the bytes; it must be set.
	Store Store
	// Kinds are all event kinds this build knows; nil means those of this room.
	Kinds KindTable
	// Projections are folded for every session beside [Meta].
	Projections []AnyProjection
	// Migrations lead from each format of the log to the next, and so say which format
	// is written; nil means those of this build.
	Migrations []Migration
	// Log gets what no caller can be told; nil discards it.
	Log *slog.Logger
	// Version of the product, written into new sessions.
	Version string
	// Now is the clock of events; nil means time.Now.
	Now func() time.Time
	// Opened is told of every session that is opened for writing in this process, once
	// for as long as it stays open; nil tells nobody. It must not block.
	Opened func(ID)
}

// Library opens sessions. It holds each one once in the process, however many
// handles are given out.
type Library struct {
	opt   Options
	names names
	// payloads holds scratch buffers for encoding.
	payloads sync.Pool

	mu     sync.Mutex
	opened map[ID]*shelf
	listed map[ID]listed
}

// shelf is the place of one session in the library. Its lock is held while the
// session is being opened or closed.
type shelf struct {
	mu      sync.Mutex
	core    *core
	holders int
}

// NewLibrary makes a library.
func NewLibrary(opt Options) *Library {
	if opt.Kinds == nil {
		opt.Kinds = NewKindTable(Kinds())
	}
	if opt.Migrations == nil {
		opt.Migrations = migrations()
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Projections = append([]AnyProjection{Meta, openTurns}, opt.Projections...)
	seen := map[string]bool{}
	for _, p := range opt.Projections {
		if seen[p.name()] {
			panic("session: projection " + p.name() + " is registered twice")
		}
		seen[p.name()] = true
	}
	known := names{}
	for name := range opt.Kinds {
		known[name] = name
	}
	return &Library{opt: opt, names: known, opened: map[ID]*shelf{}, listed: map[ID]listed{}}
}

// format is the one that is written.
func (lib *Library) format() int { return 1 + len(lib.opt.Migrations) }

// Kinds are the event kinds this library knows.
func (lib *Library) Kinds() KindTable { return lib.opt.Kinds }

func (lib *Library) shelf(id ID) *shelf {
	lib.mu.Lock()
	defer lib.mu.Unlock()
	s := lib.opened[id]
	if s == nil {
		s = &shelf{}
		lib.opened[id] = s
	}
	return s
}

// Create begins a session and writes its first event. A missing id is made; format
// and version are filled in.
func (lib *Library) Create(ctx context.Context, d CreatedData) (*Log, error) {
	if d.ID == "" {
		d.ID = NewID()
	}
	if err := valid(d.ID); err != nil {
		return nil, err
	}
	d.Format, d.Version = lib.format(), cmp.Or(d.Version, lib.opt.Version)
	return lib.start(ctx, d.ID, lib.begin(d.ID), nil, Created.New(0, 0, d))
}

// start makes a record with its first events, going on from a state and the
// segments before it.
func (lib *Library) start(ctx context.Context, id ID, state *folded, before []segment, drafts ...Draft) (*Log, error) {
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core != nil {
		return nil, fault.New(fault.Conflict, "session.create", "A session with the id %s exists already. Nothing was changed.", id)
	}
	w, err := lib.opt.Store.Create(ctx, id)
	if err != nil {
		return nil, err
	}
	c := lib.newCore(id, w, &loaded{state: state, src: &source{segments: append(slices.Clone(before), segment{id: id, r: w})}})
	// The chain of every log begins with its session's id.
	c.state.hash = string(id)
	if _, err := c.add(ctx, drafts); err != nil {
		return nil, errors.Join(err, w.Close(), lib.opt.Store.Delete(ctx, id))
	}
	s.core = c
	lib.tell(id)
	return s.hand(), nil
}

func (lib *Library) tell(id ID) {
	if lib.opt.Opened != nil {
		lib.opt.Opened(id)
	}
}

func (lib *Library) newCore(id ID, w Writer, l *loaded) *core {
	l.src.reading.steps = lib.opt.Migrations
	l.src.reading.learn(l.state.formats)
	return &core{lib: lib, id: id, w: w, src: l.src, state: l.state, size: l.size, lines: l.lines, damage: l.damage,
		chain: newChainer(), watchers: map[*watcher]struct{}{}, saving: saving{last: l.checkpoint, kept: l.kept}}
}

func (s *shelf) hand() *Log {
	s.holders++
	return &Log{core: s.core, writes: true}
}

// Open opens a session for writing. Where it is open in this process already, the
// handle is another one on the same session. Otherwise the lease is taken (Conflict
// with code [CodeHeld] names another process that holds it), a damaged end is set
// aside, damage becomes incidents, and what a dead host left open is settled.
func (lib *Library) Open(ctx context.Context, id ID) (*Log, error) {
	if err := valid(id); err != nil {
		return nil, err
	}
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core != nil {
		return s.hand(), nil
	}
	w, err := lib.opt.Store.Acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	c, err := lib.openCore(ctx, id, w)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	s.core = c
	lib.tell(id)
	return s.hand(), nil
}

func (lib *Library) openCore(ctx context.Context, id ID, w Writer) (*core, error) {
	l, err := lib.load(ctx, id, w)
	if err != nil {
		return nil, err
	}
	c := lib.newCore(id, w, l)
	return c, c.settle(ctx, l)
}

// Read opens a session for looking. It takes no lock and changes nothing. Where
// the session is open in this process the handle sees it live.
func (lib *Library) Read(ctx context.Context, id ID) (*Log, error) {
	if err := valid(id); err != nil {
		return nil, err
	}
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core != nil {
		return &Log{core: s.core}, nil
	}
	r, err := lib.opt.Store.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := lib.load(ctx, id, r)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &Log{core: lib.newCore(id, nil, l)}, nil
}

// release takes a handle back.
func (lib *Library) release(ctx context.Context, l *Log) error {
	if !l.writes {
		if l.w == nil {
			return l.src.close()
		}
		return nil
	}
	s := lib.shelf(l.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holders--; s.holders > 0 {
		return l.Flush(ctx)
	}
	s.core = nil
	return l.close(ctx)
}

// close ends a session in this process: streams are packed, the log is flushed, a
// checkpoint is left, watchers end.
func (c *core) close(ctx context.Context) error {
	c.mu.Lock()
	c.flushDeltas()
	c.closed = true
	for w := range c.watchers {
		w.notify()
	}
	state, size, lines := c.state, c.size, c.lines
	c.mu.Unlock()
	c.saving.wait.Wait()
	err := c.w.Sync(ctx)
	if err == nil && size != c.saving.last {
		if err := c.saveCheckpoint(ctx, state, size, lines); err != nil {
			c.lib.opt.Log.Warn("a checkpoint was not saved; opening the session will take longer", "session", c.id, "error", err)
		}
	}
	return errors.Join(err, c.src.close())
}

// Opened names the sessions that are open in this process for writing.
func (lib *Library) Opened() []ID {
	lib.mu.Lock()
	shelves := make(map[ID]*shelf, len(lib.opened))
	for id, s := range lib.opened {
		shelves[id] = s
	}
	lib.mu.Unlock()
	var ids []ID
	for id, s := range shelves {
		s.mu.Lock()
		if s.core != nil {
			ids = append(ids, id)
		}
		s.mu.Unlock()
	}
	slices.Sort(ids)
	return ids
}

// Close closes every session that is open, whoever holds it.
func (lib *Library) Close(ctx context.Context) error {
	var errs []error
	for _, id := range lib.Opened() {
		s := lib.shelf(id)
		s.mu.Lock()
		if s.core != nil {
			errs = append(errs, s.core.close(ctx))
			s.core, s.holders = nil, 0
		}
		s.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Resolve finds the session whose id begins with prefix; Invalid where several do.
func (lib *Library) Resolve(ctx context.Context, prefix string) (ID, error) {
	if ID(prefix).Valid() {
		return ID(prefix), nil
	}
	stored, err := lib.opt.Store.List(ctx)
	if err != nil {
		return "", err
	}
	var fits []ID
	for _, s := range stored {
		if prefix != "" && strings.HasPrefix(string(s.ID), prefix) {
			fits = append(fits, s.ID)
		}
	}
	switch len(fits) {
	case 0:
		return "", fault.New(fault.NotFound, "session.resolve", "No session has an id that begins with %q. List them with: fairlead session list", prefix)
	case 1:
		return fits[0], nil
	}
	return "", fault.New(fault.Invalid, "session.resolve", "%d sessions have an id that begins with %q. Give more of it.", len(fits), prefix)
}

func valid(id ID) error {
	if id.Valid() {
		return nil
	}
	return fault.New(fault.Invalid, "session.open", "%q is not the id of a session. Nothing was touched. List them with: fairlead session list", string(id))
}
