package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"fairlead/fault"
)

// RepairReport says what a repair did.
type RepairReport struct {
	ID ID `json:"id"`
	// Kept is the name of the old log beside the new one; empty where nothing was
	// wrong and nothing was done.
	Kept      string         `json:"kept,omitempty"`
	Events    int64          `json:"events"`
	Incidents []IncidentData `json:"incidents,omitempty"`
	// Renumbered counts events whose number had to change because numbers ran back.
	Renumbered int64 `json:"renumbered,omitempty"`
}

// Repair makes a new valid log of everything that can be read and keeps the old
// one beside it. Numbers stay: where events are missing an incident stands for
// them. Conflict where the session is open. Forks get their own copy of what they
// share first.
func (lib *Library) Repair(ctx context.Context, id ID) (*RepairReport, error) {
	if err := valid(id); err != nil {
		return nil, err
	}
	report, err := lib.rewrite(ctx, id)
	if err != nil || report.Kept == "" {
		return report, err
	}
	// Opening settles what the old log left open, and leaves a checkpoint.
	l, err := lib.Open(ctx, id)
	if err != nil {
		return report, err
	}
	return report, l.Close(ctx)
}

func (lib *Library) rewrite(ctx context.Context, id ID) (*RepairReport, error) {
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core != nil {
		return nil, fault.New(fault.Conflict, "session.repair", "The session is open. Nothing was changed; stop it first.").WithCode(CodeHeld)
	}
	w, err := lib.opt.Store.Acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := lib.loadInto(ctx, &loaded{src: &source{segments: []segment{{id: id, r: w}}}, repairing: true})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	report, err := lib.repair(ctx, id, w, l)
	return report, errors.Join(err, l.src.close())
}

func (lib *Library) repair(ctx context.Context, id ID, w Writer, l *loaded) (*RepairReport, error) {
	check, err := lib.verify(ctx, id, -1, nil)
	if err != nil {
		return nil, err
	}
	report := &RepairReport{ID: id, Events: check.Events}
	if check.Valid() {
		return report, nil
	}
	forks, err := lib.forksOf(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, fork := range forks {
		if err := lib.keepHistory(ctx, fork); err != nil {
			return nil, err
		}
	}
	before, err := l.src.lastShared()
	if err != nil {
		return nil, err
	}
	old, err := lib.opt.Store.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	err = keepUnder("log.damaged-"+lib.stamp(), func(keep string) error {
		report.Kept = keep
		b := &rebuild{lib: lib, id: id, l: l, report: report, chain: newChainer(), told: map[string]bool{}, before: before, last: Mark{before.Seq, string(id)}}
		r, wr := io.Pipe()
		defer r.CloseWithError(io.ErrClosedPipe)
		go func() { wr.CloseWithError(b.run(ctx, old, wr)) }()
		return w.Replace(ctx, 0, r, keep)
	})
	if err != nil {
		return nil, err
	}
	// The old checkpoint describes the old log.
	return report, errors.Join(w.PutPart(PartCheckpoint, strings.NewReader("{}")), w.Sync(ctx))
}

func (lib *Library) stamp() string { return lib.opt.Now().UTC().Format("20060102T150405Z") }

// rebuild writes a new log from what can be read of an old one.
type rebuild struct {
	lib    *Library
	id     ID
	l      *loaded
	report *RepairReport
	chain  *chainer
	out    []byte
	// before is the end of the history that stands in other logs, last that of the new log.
	before, last Mark
	// hole is damage that nothing usable has followed yet; skipped counts the numbers
	// of events in it that could be read but not be used.
	hole    *IncidentData
	skipped int64
	// later are incidents that stand for no number and go to the end.
	later []IncidentData
	// told are the incidents that were in the old log already.
	told map[string]bool
	at   int64 // of the event before
}

func (b *rebuild) run(ctx context.Context, r Reader, to io.Writer) error {
	size, err := r.Size()
	if err != nil {
		return err
	}
	b.report.Events = 0
	for f, err := range b.lib.survey(ctx, r, 0, size, 0, b.before) {
		if err != nil {
			return err
		}
		b.take(f)
		if len(b.out) >= largeBlock {
			if _, err := to.Write(b.out); err != nil {
				return err
			}
			b.out = b.out[:0]
		}
	}
	if b.hole != nil {
		b.bridge(nil)
	}
	for _, d := range b.l.damage {
		if d.What == FoundShorter { // nothing in the log itself tells of it
			b.later = append(b.later, d)
		}
	}
	for _, d := range b.later {
		if !b.told[d.place()] {
			b.incident(d, b.last.Seq+1)
		}
	}
	_, err = to.Write(b.out)
	return err
}

func (b *rebuild) take(f finding) {
	owner, _, isRoot := root(f.found)
	switch {
	case f.what == FoundHole:
		b.damaged(f, FoundHole, 0)
		return
	case f.what == FoundRepeated:
		b.later = append(b.later, *f.incident(f.what, b.last.Seq))
		return
	case f.what == FoundChanged && (b.l.state.admit(b.l.state.modern(f.Event)) != nil || !isName(f.Type) || isRoot && ID(owner) != b.id):
		b.damaged(f, FoundChanged, 1)
		return
	case f.Blob != nil:
		if _, err := b.l.src.blob(f.Blob.SHA256); err != nil {
			b.damaged(f, FoundBlobMissing, 1)
			return
		}
	}
	if Incident.Of(f.Event) {
		if d, err := Incident.Decode(f.Event); err == nil {
			b.told[d.place()] = true
		}
	}
	if f.what != "" && f.what != FoundGap {
		b.later = append(b.later, *f.incident(f.what, b.last.Seq))
	}
	if b.hole != nil || f.lost != nil {
		b.bridge(&f)
	}
	e, prev := b.plain(f.Event), b.last.Hash
	e.Seq = b.last.Seq + 1
	if e.Seq != f.judgement.seq {
		b.report.Renumbered++
	}
	if isRoot {
		prev = string(b.id)
	}
	b.write(e, prev)
}

// plain gives an event as this room writes it, whatever hand wrote the line it came from.
func (b *rebuild) plain(e Event) Event {
	if e.At < 0 || e.At > 1<<52 {
		e.At = b.at
	}
	b.at = e.At
	e.Turn, e.Step = max(e.Turn, 0), max(e.Step, 0)
	var data bytes.Buffer
	if len(e.Data) > 0 && json.Compact(&data, e.Data) == nil {
		e.Data = data.Bytes()
	}
	return e
}

// damaged notes something that must be left out, with how many numbers of its own.
func (b *rebuild) damaged(f finding, what string, numbers int64) {
	if b.hole == nil {
		b.hole = f.incident(what, b.last.Seq)
	}
	b.hole.Bytes = f.end - b.hole.Offset
	b.skipped += numbers
	if f.lost != nil {
		b.skipped += f.lost.To - f.lost.From + 1
	}
}

// bridge puts an incident in place of the numbers missing before next, or at the
// end where next is nil. Damage that took no number goes to the end.
func (b *rebuild) bridge(next *finding) {
	missing := b.skipped
	d := b.hole
	if next != nil {
		if d == nil {
			d = next.incident(FoundGap, b.last.Seq)
		}
		if next.lost != nil {
			missing += next.lost.To - next.lost.From + 1
		}
	}
	b.hole, b.skipped = nil, 0
	if missing > 0 {
		d.Lost = &Span{b.last.Seq + 1, b.last.Seq + missing}
	}
	if b.last.Seq == 0 && missing > 0 && (next == nil || next.Type != Forked.Name) {
		// A log begins with its first event, also where that was lost.
		b.record(Created.New(0, 0, b.header()), 1, string(b.id))
		missing--
	}
	if missing == 0 {
		b.later = append(b.later, *d)
		return
	}
	d.Lost.From = b.last.Seq + 1
	b.incident(*d, d.Lost.To)
}

// header is the first event as far as it is known.
func (b *rebuild) header() CreatedData {
	d := b.l.state.header.CreatedData
	if b.l.saved != nil && d.Format == 0 {
		d = b.l.saved.Header.CreatedData
	}
	d.ID = b.id
	if d.Format = b.l.state.formats.at(b.last.Seq + 1); d.Format == 0 {
		d.Format = b.lib.format()
	}
	return d
}

func (b *rebuild) incident(d IncidentData, seq int64) {
	d.Text = d.sentence()
	b.report.Incidents = append(b.report.Incidents, d)
	b.record(Incident.New(0, 0, d), seq, b.last.Hash)
}

func (b *rebuild) record(d Draft, seq int64, prev string) {
	data, err := b.lib.encodePayload(d.Data)
	if err != nil {
		b.lib.opt.Log.Error("a repair could not write an event of its own", "type", d.Type, "error", err)
		return
	}
	b.write(Event{Seq: seq, At: b.lib.opt.Now().UnixMilli(), Type: d.Type, Ignorable: d.Ignorable, Data: data}, prev)
}

func (b *rebuild) write(e Event, prev string) {
	b.out = b.chain.appendLine(b.out, &e, prev)
	b.last = Mark{e.Seq, e.Hash}
	b.report.Events++
}
