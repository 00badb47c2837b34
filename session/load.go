package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"fairlead/fault"
)

// loaded is a session as it was found.
type loaded struct {
	state *folded
	src   *source
	// size is the offset behind the last event that counts; what follows up to end
	// could not be read.
	size, end int64
	// checkpoint is the offset that a checkpoint allowed to go on from.
	checkpoint int64
	// kept is the offset of the last one that is kept for looking back.
	kept   int64
	lines  int64
	damage []IncidentData
	// unfinished is true where only the newline of the last line is missing.
	unfinished bool
	// repairing is true where what was changed is going to be put right.
	repairing bool
	// claimed is the session that the log says it is of.
	claimed ID
	// saved is the last checkpoint where it is of no use for going on from.
	saved *checkpoint
}

// load reads a session: the last checkpoint and what follows it, or everything. It
// changes nothing. r is used further by the source it returns.
func (lib *Library) load(ctx context.Context, id ID, r Reader) (*loaded, error) {
	return lib.loadInto(ctx, &loaded{src: &source{segments: []segment{{id: id, r: r}}}})
}

func (lib *Library) loadInto(ctx context.Context, l *loaded) (*loaded, error) {
	id, r := l.src.segments[0].id, l.src.segments[0].r
	size, err := r.Size()
	if err != nil {
		return nil, err
	}
	l.end = size
	first, ok, err := firstEvent(r, 0, size)
	if err != nil {
		return nil, err
	}
	if !ok {
		if err := mustBeTorn(id, r, size); err != nil {
			return nil, err
		}
	}
	cp, bad := lib.readCheckpoint(id, r, size)
	if parent, ok := forkedFrom(id, first.Event, cp, bad); ok {
		if err := lib.openShared(ctx, l, parent); err != nil {
			return nil, err
		}
	}
	from := int64(0)
	switch {
	case cp != nil:
		l.state, from, l.lines, l.kept = cp.state, cp.Offset, cp.Lines, cp.Kept
		l.src.disorder = cp.Disorder
	case l.src.own() > 0:
		if l.state, err = lib.foldShared(ctx, l.src); err != nil {
			return nil, err
		}
	default:
		l.state = lib.begin(id)
	}
	l.saved, l.size, l.checkpoint = bad, from, from
	if err := lib.scan(ctx, l, r, from); err != nil {
		return nil, err
	}
	if l.claimed != "" && l.claimed != id {
		return nil, foreign(id, "it belongs to the session "+string(l.claimed))
	}
	l.state.header.ID = id
	return l, nil
}

// scan folds a log from an offset on and notes what is wrong with it.
func (lib *Library) scan(ctx context.Context, l *loaded, r Reader, from int64) error {
	s := &scanning{loaded: l, told: map[string]bool{}}
	for f, err := range lib.survey(ctx, r, from, l.end, l.lines, Mark{l.state.seq, l.state.hash}) {
		if err != nil {
			return err
		}
		if err := s.take(f); err != nil {
			return err
		}
	}
	if s.holds && s.claimsNewer(s.held.found) {
		return s.state.admit(s.held.Event)
	}
	s.finish()
	return nil
}

// scanning is a scan under way.
type scanning struct {
	*loaded
	// open is the hole being read: nothing usable has followed it yet.
	open *IncidentData
	// held is a changed event, where holds, that is only believed if something
	// follows it.
	held  finding
	holds bool
	told  map[string]bool // incidents that are in the log already
}

func (s *scanning) take(f finding) error {
	if s.holds {
		s.holds = false
		if err := s.accept(s.held); err != nil {
			return err
		}
	}
	s.lines = f.line
	switch f.what {
	case FoundHole:
		if s.open == nil {
			s.open = f.incident(FoundHole, s.state.seq)
		}
		s.open.Bytes = f.end - s.open.Offset
	case FoundRepeated:
		s.note(f.incident(f.what, s.state.seq))
		s.size = f.end
	case FoundChanged:
		s.held, s.holds = f, true
	default:
		return s.accept(f)
	}
	return nil
}

// incident describes a finding.
func (f finding) incident(what string, after int64) *IncidentData {
	return &IncidentData{What: what, AfterSeq: after, Line: f.line, Offset: f.start, Bytes: f.end - f.start, Lost: f.lost}
}

func (s *scanning) accept(f finding) error {
	if s.open != nil {
		s.open.Lost = f.lost
		s.note(s.open)
		s.open = nil
	}
	if f.what != "" {
		s.note(f.incident(f.what, s.state.seq))
		s.src.disorder = s.src.disorder || f.what == FoundOrder || f.Event.Seq != f.judgement.seq
	}
	if owner, _, ok := root(f.found); ok && f.what != FoundChanged {
		s.claimed = ID(owner)
	}
	f.Event.Seq = f.judgement.seq
	unfilled := s.src.fill(&f.Event)
	e := s.state.modern(f.Event)
	if err := s.state.admit(e); err != nil {
		if f.what != FoundChanged || s.claimsNewer(f.found) {
			return err
		}
		// What was changed is passed over where it cannot be used.
		s.state.seq, s.state.hash, s.size = max(s.state.seq, f.seq), f.Hash, f.end
		return nil
	}
	if unfilled != nil || f.Blob != nil && len(f.Data) == 0 {
		s.note(f.incident(FoundBlobMissing, f.judgement.seq-1))
	}
	if f.Type == Incident.Name {
		if d, err := Incident.Decode(f.Event); err == nil {
			s.told[d.place()] = true
		}
	}
	s.state.fold(e, f.start)
	s.size, s.unfinished = f.end, !f.whole && f.end == s.end
	if s.saved != nil && s.saved.Seq == f.judgement.seq && s.saved.Hash != f.Hash {
		s.note(f.incident(FoundChanged, f.judgement.seq-1))
	}
	return nil
}

// claimsNewer reports whether an event that was changed must be believed when it says
// that a newer version wrote the log: that version may chain its lines otherwise, and
// what it wrote is not ours to cut off. A repair is told where the hash proves that a
// format of ours stood there.
func (s *scanning) claimsNewer(f found) bool {
	if _, _, ok := root(f); !ok {
		return false
	}
	format := formatOf(f.Event)
	return format > 1+len(s.state.steps) && !(s.repairing && wroteFormat(f, 1+len(s.state.steps), format))
}

// finish decides what the end of the log is.
func (s *scanning) finish() {
	if s.holds {
		s.open = s.held.incident(FoundTail, s.state.seq)
	}
	if s.open != nil {
		s.open.What, s.open.Bytes = FoundTail, s.end-s.open.Offset
		s.size = s.open.Offset
	}
	if s.saved != nil && s.saved.Seq > s.state.seq {
		s.note(&IncidentData{What: FoundShorter, AfterSeq: s.state.seq, Offset: s.size, Lost: &Span{s.state.seq + 1, s.saved.Seq}})
	}
	switch {
	case s.state.seq == 0 && s.open == nil:
		s.note(&IncidentData{What: FoundFirst})
	case s.open != nil:
		if s.state.seq == 0 {
			s.open.What = FoundFirst
		}
		s.note(s.open)
	}
	s.damage = slices.DeleteFunc(s.damage, func(d IncidentData) bool { return s.told[d.place()] })
}

func (s *scanning) note(d *IncidentData) {
	d.Text = d.sentence()
	s.damage = append(s.damage, *d)
}

// place tells incidents apart.
func (d IncidentData) place() string { return fmt.Sprintf("%s@%d", d.What, d.Offset) }

// sentence says in plain words what was found.
func (d IncidentData) sentence() string {
	lost := ""
	if d.Lost != nil {
		lost = fmt.Sprintf(" The events %d to %d are missing.", d.Lost.From, d.Lost.To)
		if d.Lost.From == d.Lost.To {
			lost = fmt.Sprintf(" Event %d is missing.", d.Lost.From)
		}
	}
	switch d.What {
	case FoundTail:
		return fmt.Sprintf("The end of the log could not be read (%d bytes after event %d). It was set aside; everything before it is here.", d.Bytes, d.AfterSeq)
	case FoundFirst:
		return "Nothing could be read from the log. The session begins anew; what was there was set aside."
	case FoundHole:
		return fmt.Sprintf("Line %d of the log cannot be read (%d bytes after event %d).%s Everything else is here.", d.Line, d.Bytes, d.AfterSeq, lost)
	case FoundChanged:
		return fmt.Sprintf("Event %d is not the one that was written (line %d).", d.AfterSeq+1, d.Line)
	case FoundGap:
		return fmt.Sprintf("Numbers are missing in the log at line %d.%s", d.Line, lost)
	case FoundOrder:
		return fmt.Sprintf("The numbers of the log run back at line %d, after event %d. The events are shown in the order of the file.", d.Line, d.AfterSeq)
	case FoundRepeated:
		return fmt.Sprintf("Event %d stands twice in the log (line %d). It counts once.", d.AfterSeq, d.Line)
	case FoundShorter:
		return "The log ends before the place it was known to reach." + lost
	case FoundBlobMissing:
		return fmt.Sprintf("The payload of event %d, which is kept beside the log, is missing or changed.", d.AfterSeq+1)
	case FoundHistory:
		return fmt.Sprintf("The history shared with the parent session is missing or changed before event %d.", d.AfterSeq+1)
	}
	return d.What
}

func foreign(id ID, why string) error {
	return fault.New(fault.Invalid, "session.open",
		"The file log.jsonl in the folder of session %s is no log of this session: %s. Nothing was touched. Move the folder away, or put the right file back.", id, why).WithCode(CodeForeign)
}

// mustBeTorn refuses a file without any readable event, unless it can be the torn
// beginning of a log.
func mustBeTorn(id ID, r io.ReaderAt, size int64) error {
	head := make([]byte, min(size, 512))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return fault.Wrap(fault.Unavailable, "session.open", err, "The session's log could not be read. Nothing was changed; check the disk and try again.").WithCode(CodeDiskError)
	}
	start := []byte(`{"seq":`)
	n := min(len(head), len(start))
	if bytes.Equal(head[:n], start[:n]) || len(bytes.Trim(head, "\x00")) == 0 {
		return nil
	}
	return foreign(id, "no line of it is an event")
}
