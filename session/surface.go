package session

import (
	"io"
	"sort"

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
	entries []Entry // one for each ref, once loaded, but for the last ones:
	fresh   []Event // those of the last refs, whose messages nobody asked for yet
	loaded  bool
	// lastShadow is the number of the last event that hid others.
	lastShadow int64
}

// mostFresh bounds what is kept in memory for a surface that nobody asks for.
const mostFresh = 256

// add puts an event at the end.
func (s *surface) add(e Event, off int64) {
	s.refs = append(s.refs, ref{e.Seq, Span{e.Seq, e.Seq}, off})
	if s.loaded {
		e.decoded = nil
		s.fresh = append(s.fresh, e)
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

// forget drops the messages of a surface that nobody asks for; they are in the log.
func (s *surface) forget() { s.entries, s.fresh, s.loaded = nil, nil, false }

// load reads the messages that a surface only knows the places of. An event whose
// message cannot be read is left out.
func (s *source) load(f *folded, size int64) error {
	v := &f.surface
	refs, entries := make([]ref, 0, len(v.refs)), make([]Entry, 0, len(v.refs))
	w := window{}
	for _, r := range v.refs {
		e, err := s.eventAt(&w, r, size)
		if err != nil {
			return err
		}
		if m := f.messageOf(e); m != nil {
			refs = append(refs, r)
			entries = append(entries, Entry{r.seq, r.span, *m})
		}
	}
	v.refs, v.entries, v.loaded = refs, entries, true
	return nil
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
		err := s.fill(&f.Event)
		return s.reading.event(f.Event), err
	}
	return Event{}, nil
}

// Reshaped is the number of the last event that hid others on the surface, 0 where
// none did. Until it changes the surface only grows at its end.
func (l *Log) Reshaped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.surface.lastShadow
}

// SurfaceAt gives the surface as it was after an earlier event.
func (l *Log) SurfaceAt(seq int64) ([]Entry, error) {
	l.mu.Lock()
	if _, err := l.surface(); err != nil {
		l.mu.Unlock()
		return nil, err
	}
	now, size := l.state.surface.fork(), l.size
	l.mu.Unlock()
	if seq >= now.lastShadow {
		n := sort.Search(len(now.entries), func(i int) bool { return now.entries[i].Seq > seq && now.entries[i].Span.From > seq })
		return now.entries[:n:n], nil
	}
	past, err := l.src.seek(size, seq+1)
	if err != nil {
		return nil, err
	}
	then, at := l.lib.nearest(l.src, past)
	for f, err := range l.src.walk(&at, size) {
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
