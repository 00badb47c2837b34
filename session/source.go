package session

import (
	"context"
	"errors"
	"io"
	"iter"

	"fairlead/fault"
)

var errStopped = errors.New("stopped")

// source reads a session's history: the shared part of each log it was forked
// from, the oldest first, then its own log.
type source struct {
	segments []segment
	// disorder is true where numbers run back somewhere, so that places cannot be
	// found by halving.
	disorder bool
	reading  reading
}

// segment is one log as far as this session's history goes.
type segment struct {
	id ID
	r  Reader
	// end is the byte offset behind the shared part; unused for the own log, which grows.
	end int64
	// last is the number of the last shared event.
	last int64
}

// place is where reading goes on: a byte offset in one of the segments.
type place struct {
	segment int
	off     int64
}

func (s *source) own() int { return len(s.segments) - 1 }

// before reports whether there is anything between p and the end of the own log.
func (s *source) before(p place, size int64) bool {
	return p.segment < s.own() || p.off < size
}

func (s *source) limit(i int, size int64) int64 {
	if i == s.own() {
		return size
	}
	return s.segments[i].end
}

// seek finds the place of the first event whose number is at least seq, the own
// log being size bytes long.
func (s *source) seek(size, seq int64) (place, error) {
	for i := s.own(); i > 0; i-- {
		first, err := firstSeq(s.segments[i].r, s.limit(i, size))
		if err != nil {
			return place{}, err
		}
		if first != 0 && seq >= first {
			off, err := s.search(i, size, seq)
			return place{i, off}, err
		}
	}
	off, err := s.search(0, size, seq)
	return place{0, off}, err
}

func (s *source) search(i int, size, seq int64) (int64, error) {
	if s.disorder {
		return searchLinear(s.segments[i].r, s.limit(i, size), seq)
	}
	return searchSorted(s.segments[i].r, s.limit(i, size), seq)
}

// from yields the events from a place to the end of the own log, size bytes long.
// The place moves behind each event before it is yielded.
func (s *source) from(at *place, size int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for f, err := range s.walk(at, size) {
			if !yield(f.Event, err) {
				return
			}
		}
	}
}

// walk is from with where each event stands.
func (s *source) walk(at *place, size int64) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		for ; ; at.segment, at.off = at.segment+1, 0 {
			if !s.segment(at, size, yield) || at.segment >= s.own() {
				return
			}
		}
	}
}

func (s *source) segment(at *place, size int64, yield func(found, error) bool) bool {
	limit := s.limit(at.segment, size)
	sc := scanLines(s.segments[at.segment].r, at.off, limit)
	var scratch []found
	var last Event
	for {
		l, err := sc.next()
		if err == io.EOF {
			at.off = limit
			return true
		}
		if err != nil {
			yield(found{}, err)
			return false
		}
		scratch = l.events(scratch[:0], nil)
		for _, f := range scratch {
			at.off = f.end
			if f.Seq == last.Seq && f.Hash == last.Hash {
				continue
			}
			last = f.Event
			if err := s.fill(&f.Event); err != nil {
				yield(found{}, err)
				return false
			}
			f.Event = s.reading.event(f.Event)
			if !yield(f, nil) {
				return false
			}
		}
		at.off = l.end
	}
}

// lastShared gives the last event before the own log, the zero Mark where there is none.
func (s *source) lastShared() (Mark, error) {
	if s.own() == 0 {
		return Mark{}, nil
	}
	before := &source{segments: s.segments[:s.own()]}
	g := before.segments[before.own()]
	at, err := before.seek(g.end, g.last)
	if err != nil {
		return Mark{}, err
	}
	m := Mark{}
	for f, err := range before.walk(&at, g.end) {
		if err != nil {
			return m, err
		}
		m = Mark{f.Seq, f.Hash}
	}
	return m, nil
}

// fill reads the payload that stands beside the log. A missing one leaves Data
// empty: decoding the event says so.
func (s *source) fill(e *Event) error {
	if e.Blob == nil || len(e.Data) > 0 {
		return nil
	}
	b, err := s.blob(e.Blob.SHA256)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	e.Data = b
	return err
}

// blob looks in the own record first, then in those it was forked from.
func (s *source) blob(sha256 string) ([]byte, error) {
	var first error
	for i := s.own(); i >= 0; i-- {
		if s.segments[i].r == nil {
			continue // a fork that is being made has no record of its own yet
		}
		b, err := s.segments[i].r.Blob(sha256)
		if err == nil {
			return b, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func (s *source) close() error {
	var errs []error
	for _, g := range s.segments {
		errs = append(errs, g.r.Close())
	}
	return errors.Join(errs...)
}

// Events yields the events from a number on to the last one at the time the loop
// begins, payloads filled in. A failure to read is the last element. A log that was
// opened damaged gives what can be read, in the order of the file.
func (l *Log) Events(from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		size := l.end()
		at, err := l.src.seek(size, from)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for e, err := range l.src.from(&at, size) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Event gives one event; NotFound where there is none with this number.
func (l *Log) Event(_ context.Context, seq int64) (Event, error) {
	for e, err := range l.Events(seq) {
		if err != nil {
			return Event{}, err
		}
		if e.Seq == seq {
			return e, nil
		}
		break
	}
	return Event{}, fault.New(fault.NotFound, "session.event", "The session has no event %d.", seq)
}
