package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Event is one event of a stream: the type the server gave it, which is mostly
// empty, and its payload. Its bytes are valid until the next event is read.
type Event struct {
	Name string
	Data []byte
}

// Events reads server-sent events (WHATWG HTML, section 9.2) as servers really
// write them: lines that end in LF, CRLF or a bare CR, broken anywhere between two
// reads; lines of any length up to the limit; events that no blank line parts;
// and JSON lines without a field name, which count as data. Heartbeats in any
// form (comments, empty events, comments sent as data) are passed over.
type Events struct {
	r     io.Reader
	buf   []byte
	start int // of the unread part of buf
	end   int
	err   error
	skip  bool // the line before ended in CR: an LF right behind it belongs to it
	begun bool // the first line was read, so a byte order mark cannot follow

	name  []byte
	data  []byte
	ahead []byte // a data line that turned out to be an event of its own
	lines int    // of data in the event being read

	foreign []byte // the first line that belongs to no stream of events
}

const (
	firstBuffer = 16 << 10
	// LongestLine bounds one line of a stream, in bytes. A longer one is an error.
	LongestLine = 64 << 20
)

var errLineTooLong = errors.New("a line of the stream is longer than 64 MiB")

// NewEvents reads events from r.
func NewEvents(r io.Reader) *Events {
	return &Events{r: r, buf: make([]byte, firstBuffer)}
}

// Next gives the next event. The error is io.EOF at a clean end. An event that
// the end of the stream cuts short is given as far as it came.
func (e *Events) Next() (Event, error) {
	e.name, e.data, e.lines = e.name[:0], e.data[:0], 0
	if e.ahead != nil {
		e.add(e.ahead)
		e.ahead = nil
	}
	for {
		line, err := e.line()
		switch {
		case err == io.EOF && e.lines > 0:
			if ev, ok := e.event(); ok {
				return ev, nil
			}
			return Event{}, io.EOF
		case err != nil:
			return Event{}, err
		case len(line) == 0:
			if ev, ok := e.event(); ok {
				return ev, nil
			}
		case line[0] == '{':
			if e.lines > 0 {
				e.ahead = append([]byte(nil), line...)
			} else {
				e.add(line)
			}
			if ev, ok := e.event(); ok {
				return ev, nil
			}
		default:
			if ev, ok := e.field(line); ok {
				return ev, nil
			}
		}
	}
}

// field takes one line. It gives an event where the line shows that the one being
// read was over although no blank line said so.
func (e *Events) field(line []byte) (Event, bool) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if e.lines > 0 && json.Valid(e.data) {
			e.ahead = append([]byte{}, value...)
			return e.event()
		}
		e.add(value)
	case "event":
		e.name = append(e.name[:0], value...)
	case "", "id", "retry":
	default:
		if e.foreign == nil {
			e.foreign = bytes.Clone(line[:min(len(line), longestMessage)])
		}
	}
	return Event{}, false
}

// Foreign gives the first line that belongs to no stream of events, as where a
// server answers in plain words.
func (e *Events) Foreign() []byte { return e.foreign }

func (e *Events) add(value []byte) {
	if e.lines > 0 {
		e.data = append(e.data, '\n')
	}
	e.lines++
	e.data = append(e.data, value...)
}

// event gives the event read so far and forgets it, unless it is a heartbeat.
func (e *Events) event() (Event, bool) {
	data := bytes.TrimSpace(e.data)
	if len(data) > 0 && data[0] != ':' {
		return Event{Name: string(e.name), Data: data}, true
	}
	e.name, e.data, e.lines = e.name[:0], e.data[:0], 0
	return Event{}, false
}

// line gives the next line without its end. The last one needs no end.
func (e *Events) line() ([]byte, error) {
	scanned := 0
	for {
		if e.skip && e.start < e.end {
			e.skip = false
			if e.buf[e.start] == '\n' {
				e.start++
			}
		}
		unread := e.buf[e.start:e.end]
		if i := bytes.IndexByte(unread[scanned:], '\n'); i >= 0 {
			return e.cut(unread[:scanned+i]), nil
		}
		if i := bytes.IndexByte(unread[scanned:], '\r'); i >= 0 {
			return e.cut(unread[:scanned+i]), nil
		}
		scanned = len(unread)
		if e.err != nil {
			e.start = e.end
			if e.err == io.EOF && len(unread) > 0 {
				return unread, nil
			}
			return nil, e.err
		}
		if err := e.fill(); err != nil {
			return nil, err
		}
	}
}

// cut takes a line off the unread part. A CR before the LF that was found ends
// the line, too.
func (e *Events) cut(line []byte) []byte {
	if i := bytes.IndexByte(line, '\r'); i >= 0 {
		line = line[:i]
	}
	e.skip = e.buf[e.start+len(line)] == '\r'
	e.start += len(line) + 1
	if !e.begun {
		e.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line
}

// fill reads more behind the unread part, moving or growing the buffer.
func (e *Events) fill() error {
	if e.start > 0 {
		e.end = copy(e.buf, e.buf[e.start:e.end])
		e.start = 0
	}
	if e.end == len(e.buf) {
		if len(e.buf) >= LongestLine {
			return errLineTooLong
		}
		e.buf = append(e.buf, make([]byte, len(e.buf))...)
	}
	for range 100 {
		n, err := e.r.Read(e.buf[e.end:])
		e.end += n
		e.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	return io.ErrNoProgress
}
