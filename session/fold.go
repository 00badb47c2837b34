package session

import (
	"log/slog"
	"maps"
	"slices"

	"fairlead/fault"
	"fairlead/llm"
)

// Header says what a session is. For a fork it is the parent's with the fork's
// own id, working for nobody unless the fork was made for that; Lineage names what it
// goes on from, the oldest first.
type Header struct {
	CreatedData
	// Created is Unix milliseconds; of a fork, when it was forked.
	Created int64        `json:"created"`
	Lineage []ForkedData `json:"lineage,omitempty"`
}

// folded is everything that is a function of the events so far.
type folded struct {
	kinds KindTable
	steps []Migration
	log   *slog.Logger

	seq  int64
	hash string
	// turn and step are those of the last event that was in one.
	turn, step int
	header     Header
	formats    formats
	// needed are the kinds a reader of these events must know.
	needed      map[string]bool
	surface     surface
	projections projections
	shared      any // the decoded payload of the event being folded
}

func (lib *Library) begin(id ID) *folded {
	f := &folded{kinds: lib.opt.Kinds, steps: lib.opt.Migrations, log: lib.opt.Log, hash: string(id), needed: map[string]bool{}, projections: beginAll(lib.opt.Projections)}
	f.header.ID = id
	return f
}

// admit says why this build must not go on at e: it is of a kind or in a format
// that this build has to know and does not.
func (f *folded) admit(e Event) error {
	if f.kinds[e.Type] == nil && !e.Ignorable {
		return unknownKind(f.header.Version, e.Type)
	}
	switch e.Type {
	case Created.Name:
		if d, err := Created.Decode(e); err == nil {
			return f.newer(d.Format, d.Version)
		}
	case Forked.Name:
		if d, err := Forked.Decode(e); err == nil {
			return f.newer(d.Format, d.Version)
		}
	case Upgraded.Name:
		if d, err := Upgraded.Decode(e); err == nil {
			return f.newer(d.Format, d.Version)
		}
	}
	return nil
}

// fold takes in the next event, whose line begins at off.
func (f *folded) fold(e Event, off int64) {
	kind := f.kinds[e.Type]
	if !e.Ignorable && !f.needed[e.Type] {
		// Replaced, not changed: forks of this state share it.
		f.needed = maps.Clone(f.needed)
		f.needed[e.Type] = true
	}
	f.seq, f.hash = max(f.seq, e.Seq), e.Hash
	if e.Turn != 0 {
		f.turn, f.step = e.Turn, e.Step
	}
	f.shared = nil
	e.decoded = &f.shared
	switch e.Type {
	case Created.Name, Forked.Name:
		f.begins(e)
	case Upgraded.Name:
		if d, err := Upgraded.Decode(e); err == nil {
			f.formats = f.formats.from(e.Seq, d.Format)
		}
	}
	if kind != nil && kind.visible() {
		f.show(kind, e, off)
	}
	f.projections.fold(e, f.log)
	f.shared = nil
}

func (f *folded) begins(e Event) {
	if Created.Of(e) {
		d, err := Created.Decode(e)
		if err != nil {
			f.log.Warn("the first event of a session cannot be read", "session", f.header.ID, "error", err)
			return
		}
		f.header, f.formats = Header{CreatedData: d, Created: e.At}, f.formats.from(e.Seq, d.Format)
		return
	}
	d, err := Forked.Decode(e)
	if err != nil {
		f.log.Warn("the event that makes a fork cannot be read", "session", f.header.ID, "error", err)
		return
	}
	lineage := append(f.header.Lineage[:len(f.header.Lineage):len(f.header.Lineage)], d)
	f.header.ID, f.header.Parent, f.header.Created, f.header.Lineage = d.ID, d.For, e.At, lineage
	f.formats = f.formats.from(e.Seq, d.Format)
}

// show puts a visible event on the surface. One that hides others is looked at at
// once; the messages of the rest are made when somebody asks for them.
func (f *folded) show(kind AnyKind, e Event, off int64) {
	if kind.shadows() {
		span, ok, err := kind.span(e)
		if err != nil {
			f.log.Warn("an event hides nothing because it cannot be read", "session", f.header.ID, "seq", e.Seq, "error", err)
		}
		if err == nil && ok {
			f.level()
			var m *llm.Message
			if f.surface.loaded {
				m = f.messageOf(e)
			}
			f.surface.shadow(e, off, span, m)
			return
		}
	}
	f.surface.add(e, off)
	if len(f.surface.fresh) > mostFresh {
		f.surface.forget()
	}
}

// messageOf gives what the model sees of an event. One that cannot be read is left
// out: nothing stored may brick a session.
func (f *folded) messageOf(e Event) *llm.Message {
	kind := f.kinds[e.Type]
	if kind == nil || !kind.visible() {
		return nil
	}
	m, err := kind.message(e)
	if err != nil {
		f.log.Warn("an event is left out of what the model sees", "session", f.header.ID, "seq", e.Seq, "error", err)
		return nil
	}
	return m
}

// level makes the messages of the events that were added since the last time.
func (f *folded) level() {
	s := &f.surface
	fresh, known := s.fresh, len(s.entries)
	s.fresh = nil
	refs := s.refs[:known]
	for i, e := range fresh {
		m := f.messageOf(e)
		if m == nil {
			if len(refs) == known+i {
				refs = slices.Clip(refs) // what was given out stays as it was
			}
			continue
		}
		refs = append(refs, s.refs[known+i])
		s.entries = append(s.entries, Entry{e.Seq, s.refs[known+i].span, *m})
	}
	if s.loaded {
		s.refs = refs
	}
}

// fork gives a state that goes on from here on its own.
func (f *folded) fork() *folded {
	f.level()
	c := *f
	c.surface, c.projections, c.shared = f.surface.fork(), f.projections.fork(), nil
	return &c
}

// Codes of the faults that refuse a log this build cannot read.
const (
	CodeNewer   = "newer-version"
	CodeForeign = "foreign-log"
)

func unknownKind(version, kind string) error {
	return fault.New(fault.Unavailable, "session.open",
		"This session holds %q, which this version does not know. Nothing was changed. Open it with the version that wrote it (%s) or a newer one, or turn the plugin on that wrote it.",
		kind, orUnknown(version)).WithCode(CodeNewer)
}

func (f *folded) newer(format int, version string) error {
	most := 1 + len(f.steps)
	if format <= most {
		return nil
	}
	return fault.New(fault.Unavailable, "session.open",
		"This session was written in log format %d by version %s; this version reads up to format %d. Nothing was changed. Upgrade Fairlead to open it.",
		format, orUnknown(version), most).WithCode(CodeNewer)
}

func orUnknown(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}
