package session

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"fairlead/fault"
)

// inlineLimit is the largest payload a line carries itself, in bytes.
const inlineLimit = 16 << 10

// Log is one holder's handle on the durable event log of a session. The handles
// of one process share the session; each is closed once. All methods may be
// called by several goroutines.
type Log struct {
	*core
	writes bool
	once   sync.Once
}

// core is a session opened in this process.
type core struct {
	lib *Library
	id  ID
	w   Writer // nil where the session is open for reading only
	src *source

	mu       sync.Mutex
	state    *folded
	turnEnd  *folded // the state at the end of the last turn
	size     int64   // of the own log, in bytes, appended lines included
	chain    *chainer
	line     []byte  // scratch for commit: the batch's bytes
	ends     []int64 // scratch for commit: where each line ends in line
	damage   []IncidentData
	lines    int64
	watchers map[*watcher]struct{}
	deltas   deltas
	saving   saving
	// unread is why the surface could not be read the last time somebody asked for it.
	unread error
	closed bool
}

// ID names the session.
func (l *Log) ID() ID { return l.id }

// Header says what the session is and what it was forked from.
func (l *Log) Header() Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.header
}

// Seq is the number of the last event, 0 where there is none.
func (l *Log) Seq() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.seq
}

// Mark is a place in a log: an event's number and its hash.
type Mark struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// Cut is one consistent look at a session: a Watch after Mark.Seq continues it
// without a gap.
type Cut struct {
	Mark
	Header Header
	Views  map[string]any // of the projections, by name
}

// Cut gives the last event's mark together with what the projections show of it.
func (l *Log) Cut() Cut {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Cut{Mark: Mark{l.state.seq, l.state.hash}, Header: l.state.header, Views: l.state.projections.views()}
}

// Snapshot gives the projections' views by name.
func (l *Log) Snapshot() map[string]any { return l.Cut().Views }

// StateOf gives a projection's value as of the last event.
func StateOf[S any](l *Log, p Projection[S]) (S, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return stateIn(&l.state.projections, p)
}

// StateAt gives a projection's value as it was after an earlier event. It reads the
// log from the nearest checkpoint before that, where the library knows the projection.
func StateAt[S any](ctx context.Context, l *Log, p Projection[S], seq int64) (S, error) {
	r, size := p.start(), l.end()
	at, err := l.src.seek(size, seq+1)
	if err != nil {
		return r.state, err
	}
	then, at := l.lib.nearest(l.src, at)
	if r.state, err = stateIn(&then.projections, p); err != nil {
		r, at = p.start(), place{}
	}
	for e, err := range l.src.from(&at, size) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return r.state, err
		}
		if e.Seq > seq {
			break
		}
		r.fold(e)
	}
	return r.state, nil
}

// Surface gives the model-visible events in order, after shadows. The slice stays
// as it is when events follow; it is not to be changed. The first time, and where
// nobody asked for long, messages are read from the log; if the disk fails at that
// there are none, and the next Flush fails with the reason: nothing is sent to a
// model that was not read whole.
func (l *Log) Surface() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries, err := l.surface()
	if err != nil {
		l.lib.opt.Log.Error("the surface of a session could not be read", "session", l.id, "error", err)
	}
	l.unread = err
	return entries
}

func (c *core) surface() ([]Entry, error) {
	if !c.state.surface.loaded {
		if err := c.src.load(c.state, c.size); err != nil {
			return nil, err
		}
	}
	c.state.level()
	return c.state.surface.list(), nil
}

// Damage lists what was found wrong with the log on opening and is not yet in an
// incident of its own: all of it where the log is open for reading only.
func (l *Log) Damage() []IncidentData {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.damage[:len(l.damage):len(l.damage)]
}

// Append adds events as one batch with contiguous numbers and returns them as
// written. It returns after the commit in memory: watchers see the events then,
// and [Log.Flush] puts them on disk. Where it fails nothing was added: a full disk
// has code [CodeDiskFull], and a later Append works once there is room.
func (l *Log) Append(ctx context.Context, drafts ...Draft) ([]Event, error) {
	if !l.writes {
		return nil, fault.New(fault.Denied, "session.append", "The session is open for reading only. Nothing was written.")
	}
	return l.add(ctx, drafts)
}

func (c *core) add(ctx context.Context, drafts []Draft) ([]Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.KindOf(err), "session.append", err, "Stopped before it was written.")
	}
	events, err := c.encodeAll(drafts)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.packDeltas(events); err != nil {
		return nil, err
	}
	if err := c.commit(events, c.w.Append); err != nil {
		return nil, err
	}
	return events, nil
}

func (c *core) encodeAll(drafts []Draft) ([]Event, error) {
	events := make([]Event, len(drafts))
	for i, d := range drafts {
		e, err := c.encode(d)
		if err != nil {
			return nil, err
		}
		events[i] = e
	}
	return events, nil
}

// encode makes an event of a draft, all but its place in the log. A large payload
// goes beside the log here, before the event that names it can exist.
func (c *core) encode(d Draft) (Event, error) {
	if c.lib.opt.Kinds[d.Type] == nil {
		return Event{}, fault.New(fault.Internal, "session.append", "The event kind %q is not declared. Nothing was written.", d.Type)
	}
	e := Event{Type: d.Type, At: d.At, Turn: d.Turn, Step: d.Step, Ignorable: d.Ignorable}
	if d.Data == nil {
		return e, nil
	}
	data, err := c.lib.encodePayload(d.Data)
	if err != nil {
		return e, fault.Wrap(fault.Internal, "session.append", err, "The payload of %s cannot be written as JSON. Nothing was written.", d.Type)
	}
	e.Data = data
	if len(e.Data) > inlineLimit {
		ref, err := c.putBlob(e.Data)
		if err != nil {
			return e, err
		}
		e.Blob = &ref
	}
	return e, nil
}

// encodePayload writes a payload as one line of JSON, in the characters themselves
// where JSON allows them.
func (lib *Library) encodePayload(v any) ([]byte, error) {
	b, ok := lib.payloads.Get().(*payloadBuffer)
	if !ok {
		b = &payloadBuffer{}
		b.enc = json.NewEncoder(&b.Buffer)
		b.enc.SetEscapeHTML(false)
	}
	defer lib.payloads.Put(b)
	b.Reset()
	if err := b.enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})), nil
}

// payloadBuffer is scratch for payloads: what is kept is a copy of the right size.
type payloadBuffer struct {
	bytes.Buffer
	enc *json.Encoder
}

// commit numbers and chains events, hands their lines to write, folds them and
// tells watchers. The caller holds the lock.
func (c *core) commit(events []Event, write func(lines []byte) error) error {
	if c.closed {
		return errClosed()
	}
	now := c.lib.opt.Now().UnixMilli()
	seq, hash := c.state.seq, c.state.hash
	c.line, c.ends = c.line[:0], c.ends[:0]
	for i := range events {
		seq++
		e := &events[i]
		e.Seq, e.At = seq, cmp.Or(e.At, now)
		c.line = c.chain.appendLine(c.line, e, hash)
		c.ends = append(c.ends, int64(len(c.line)))
		hash = e.Hash
	}
	if err := write(c.line); err != nil {
		return err
	}
	start := c.size
	for i := range events {
		c.state.fold(events[i], c.size)
		c.size = start + c.ends[i]
	}
	c.src.reading.learn(c.state.formats)
	c.lines += int64(len(events))
	if TurnEnd.Of(events[len(events)-1]) {
		c.turnEnd = c.state.fork()
	}
	c.announce(events)
	c.considerCheckpoint(events)
	return nil
}

// Flush returns when everything appended so far is on disk. Sessions that wait at
// the same time share the wait. After a failure it may be tried again.
func (l *Log) Flush(ctx context.Context) error {
	if l.w == nil {
		return nil
	}
	l.mu.Lock()
	unread := l.unread
	l.mu.Unlock()
	if unread != nil {
		return unread
	}
	return l.w.Sync(ctx)
}

// PutBlob keeps content beside the log under its SHA-256. It is on disk after the
// next Flush.
func (l *Log) PutBlob(_ context.Context, content []byte) (BlobRef, error) {
	if !l.writes {
		return BlobRef{}, fault.New(fault.Denied, "session.blob", "The session is open for reading only. Nothing was written.")
	}
	return l.putBlob(content)
}

func (c *core) putBlob(content []byte) (BlobRef, error) {
	sum := sha256.Sum256(content)
	ref := BlobRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content))}
	return ref, c.w.PutBlob(ref.SHA256, content)
}

// Blob gives content kept under a SHA-256 in this session or in one it was forked
// from. NotFound where it is missing, Internal where it is not what it was.
func (l *Log) Blob(sha256 string) ([]byte, error) { return l.src.blob(sha256) }

// Close gives the handle back. The last one flushes, leaves a checkpoint and lets
// the session go; watchers end. A second Close does nothing.
func (l *Log) Close(ctx context.Context) error {
	var err error
	l.once.Do(func() { err = l.lib.release(ctx, l) })
	return err
}

func errClosed() error {
	return fault.New(fault.Unavailable, "session.log", "The session was closed. Nothing was written; open it again.").WithCode(CodeClosed)
}
