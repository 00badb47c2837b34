package session

import (
	"io"
	"sort"

	"fairlead/fault"
	"fairlead/llm"
)

// Entry is one model-visible event. Span is what it stands for: itself, or the
// events that it hides. Entries are ordered by Span.
type Entry struct {
	Seq     int64
	Span    Span
	Message llm.Message
}

// ref is an entry whose message is still in the log, at a byte offset.
type ref struct {
	seq  int64
	span Span
	off  int64
}

// surface is the ordered model-visible events after shadows. Until the messages
// are asked for it only knows where they are. Both slices are replaced, never
// changed, below their length, so a slice that was given out stays as it was.
type surface struct {
	refs    []ref
	entries []Entry // one for each ref, once loaded
	loaded  bool
	// lastShadow is the number of the last event that hid others.
	lastShadow int64
}

// add puts an event at the end. m is its message where the surface is loaded.
func (s *surface) add(e Event, off int64, m *llm.Message) {
	if s.loaded && m == nil {
		return
	}
	span := Span{e.Seq, e.Seq}
	s.refs = append(s.refs, ref{e.Seq, span, off})
	if s.loaded {
		s.entries = append(s.entries, Entry{e.Seq, span, *m})
	}
}

// shadow hides the entries inside span and puts the event in their place.
func (s *surface) shadow(e Event, off int64, span Span, m *llm.Message) {
	s.lastShadow = e.Seq
	at, hidden := len(s.refs), 0
	whole := span
	for i, r := range s.refs {
		if r.span.From >= span.From && r.span.From <= span.To {
			if hidden == 0 {
				at = i
			}
			hidden++
			whole.To = max(whole.To, r.span.To)
		} else if hidden == 0 && r.span.From > span.To && at == len(s.refs) {
			at = i
		}
	}
	refs := make([]ref, 0, len(s.refs)+1)
	var entries []Entry
	if s.loaded {
		entries = make([]Entry, 0, len(s.refs)+1)
	}
	put := func() {
		if s.loaded && m == nil {
			return
		}
		refs = append(refs, ref{e.Seq, whole, off})
		if s.loaded {
			entries = append(entries, Entry{e.Seq, whole, *m})
		}
	}
	for i, r := range s.refs {
		if i == at {
			put()
		}
		if r.span.From >= span.From && r.span.From <= span.To {
			continue
		}
		refs = append(refs, r)
		if s.loaded {
			entries = append(entries, s.entries[i])
		}
	}
	if at == len(s.refs) {
		put()
	}
	s.refs, s.entries = refs, entries
}

// list gives the entries, which stay as they are whatever is added later.
func (s *surface) list() []Entry { return s.entries[:len(s.entries):len(s.entries)] }

// fork gives a surface that grows on its own from here.
func (s *surface) fork() surface {
	return surface{refs: s.refs[:len(s.refs):len(s.refs)], entries: s.list(), loaded: s.loaded, lastShadow: s.lastShadow}
}

// loadSurface reads the messages of the surface. The caller holds the lock, or is
// the only one who knows the session.
func (c *core) loadSurface() error { return c.src.load(c.state, c.size) }

// load reads the messages that a surface only knows the places of. An event whose
// message cannot be read is left out.
func (s *source) load(f *folded, size int64) error {
	v := &f.surface
	refs := v.refs
	v.refs, v.entries, v.loaded = make([]ref, 0, len(refs)), make([]Entry, 0, len(refs)), true
	w := window{}
	for _, r := range refs {
		e, err := s.eventAt(&w, r, size)
		if err != nil {
			return err
		}
		m, err := f.messageOf(e)
		if err != nil {
			f.log.Warn("an event is left out of what the model sees", "session", f.header.ID, "seq", r.seq, "error", err)
			continue
		}
		if m != nil {
			v.refs = append(v.refs, r)
			v.entries = append(v.entries, Entry{r.seq, r.span, *m})
		}
	}
	return nil
}

func (f *folded) messageOf(e Event) (*llm.Message, error) {
	kind := f.kinds[e.Type]
	if kind == nil || !kind.visible() {
		return nil, fault.New(fault.NotFound, "session.surface", "The event cannot be read any more.")
	}
	return kind.message(e)
}

// window is the block of a log that was read last.
type window struct {
	segment int
	base    int64
	buf     []byte
}

// eventAt reads the event a ref points at; the zero Event where there is none.
func (s *source) eventAt(w *window, r ref, size int64) (Event, error) {
	i := s.own()
	for i > 0 && r.seq <= s.segments[i-1].last {
		i--
	}
	limit := s.limit(i, size)
	skip := r.off - w.base
	if w.buf == nil || w.segment != i || skip < 0 || skip >= int64(len(w.buf)) {
		*w, skip = window{segment: i, base: r.off}, 0
	}
	sc := &lineScanner{r: s.segments[i].r, buf: w.buf[skip:], base: r.off, end: limit, block: 4 * firstBlock}
	l, err := sc.next()
	if err == io.EOF {
		return Event{}, nil
	}
	if err != nil {
		return Event{}, err
	}
	w.base, w.buf = sc.base, sc.buf
	for _, f := range l.events(nil, nil) {
		return f.Event, s.fill(&f.Event)
	}
	return Event{}, nil
}

// SurfaceAt gives the surface as it was after an earlier event.
func (l *Log) SurfaceAt(seq int64) ([]Entry, error) {
	l.mu.Lock()
	if !l.state.surface.loaded {
		if err := l.loadSurface(); err != nil {
			l.mu.Unlock()
			return nil, err
		}
	}
	now, size, kinds := l.state.surface.fork(), l.size, l.state
	l.mu.Unlock()
	if seq >= now.lastShadow {
		n := sort.Search(len(now.entries), func(i int) bool { return now.entries[i].Seq > seq && now.entries[i].Span.From > seq })
		return now.entries[:n:n], nil
	}
	then := &folded{kinds: kinds.kinds, log: kinds.log, header: kinds.header}
	w := place{}
	for f, err := range l.src.walk(&w, size) {
		if err != nil {
			return nil, err
		}
		if f.Seq > seq {
			break
		}
		if kind := then.kinds[f.Type]; kind != nil && kind.visible() {
			then.show(kind, f.Event, f.start)
		}
	}
	if err := l.src.load(then, size); err != nil {
		return nil, err
	}
	return then.surface.list(), nil
}
