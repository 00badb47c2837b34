package wire

import (
	"bytes"
	"io"
)

// Kind is what a body turned out to be.
type Kind string

// The kinds of body. Servers and the gateways before them often name the wrong
// content type, so the first bytes decide.
const (
	KindEvents Kind = "events" // server-sent events
	KindJSON   Kind = "json"   // one JSON value, or one a line
	KindMarkup Kind = "markup" // a page for people
	KindEmpty  Kind = "empty"
)

// peeked is a reader that has looked at its first bytes.
type peeked struct {
	r    io.Reader
	head []byte
	err  error
}

func (p *peeked) Read(b []byte) (int, error) {
	if len(p.head) > 0 {
		n := copy(b, p.head)
		p.head = p.head[n:]
		return n, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	return p.r.Read(b)
}

func (p *peeked) kind() Kind {
	for {
		text := bytes.TrimSpace(bytes.TrimPrefix(p.head, []byte("\ufeff")))
		if len(text) > 0 {
			switch text[0] {
			case '{', '[':
				return KindJSON
			case '<':
				return KindMarkup
			}
			return KindEvents
		}
		if p.err != nil || len(p.head) > 1<<20 {
			return KindEmpty
		}
		b := make([]byte, 4<<10)
		n, err := p.r.Read(b)
		p.head, p.err = append(p.head, b[:n]...), err
	}
}
