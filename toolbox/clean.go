package toolbox

import (
	"strings"
	"unicode/utf8"
)

// cleaner takes out of a stream what is meant for a terminal and not for a reader
// (ECMA-48): escape sequences, titles, clipboard writes, cursor moves, other control
// characters. It keeps its place between writes, so that a sequence may be cut
// anywhere. Bytes that are no UTF-8 become one replacement character a run.
type cleaner struct {
	state   cleanState
	pending []byte // the beginning of a character
	bad     bool   // the last thing written was a replacement
	cr      bool   // a carriage return waits to see whether a newline follows
}

type cleanState uint8

const (
	plainText     cleanState = iota
	escaped                  // after ESC
	inCSI                    // after ESC [ : up to a final byte
	inString                 // OSC, DCS, SOS, PM, APC: up to BEL or ST
	stringEscaped            // ESC inside a string
	oneMore                  // a sequence of two bytes after ESC
)

// text gives the readable part of the next bytes.
func (c *cleaner) text(p []byte) string {
	var b strings.Builder
	if len(c.pending) > 0 {
		p = append(c.pending, p...)
		c.pending = nil
	}
	for len(p) > 0 {
		if c.state != plainText {
			c.sequence(p[0])
			p = p[1:]
			continue
		}
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 && !utf8.FullRune(p) {
			c.pending = append([]byte(nil), p...)
			break
		}
		p = p[size:]
		c.character(&b, r, r == utf8.RuneError && size == 1)
	}
	return b.String()
}

// rest gives what still waits at the end of the stream.
func (c *cleaner) rest() string {
	var b strings.Builder
	if len(c.pending) > 0 {
		c.character(&b, utf8.RuneError, true)
		c.pending = nil
	}
	if c.cr {
		b.WriteByte('\n')
		c.cr = false
	}
	return b.String()
}

func (c *cleaner) character(b *strings.Builder, r rune, broken bool) {
	if c.cr {
		c.cr = false
		if r != '\n' {
			b.WriteByte('\n') // a progress bar's next state is a line of its own
		}
	}
	switch {
	case broken:
		if !c.bad {
			b.WriteRune(utf8.RuneError)
		}
		c.bad = true
		return
	case r == 0x1b:
		c.state = escaped
	case r == 0x9b:
		c.state = inCSI
	case r == 0x90 || r == 0x98 || r == 0x9d || r == 0x9e || r == 0x9f:
		c.state = inString
	case r == '\r':
		c.cr = true
	case r == '\n' || r == '\t':
		b.WriteRune(r)
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		// bell, backspace and the like say nothing to a reader
	default:
		b.WriteRune(r)
	}
	c.bad = false
}

// sequence follows an escape sequence byte by byte.
func (c *cleaner) sequence(x byte) {
	switch c.state {
	case escaped:
		switch {
		case x == '[':
			c.state = inCSI
		case x == ']' || x == 'P' || x == 'X' || x == '^' || x == '_':
			c.state = inString
		case x >= 0x20 && x <= 0x2f:
			c.state = oneMore
		default:
			c.state = plainText
		}
	case inCSI:
		if x >= 0x40 && x <= 0x7e || x < 0x20 && x != 0x1b {
			c.state = plainText
		}
	case inString:
		if x == 0x07 || x == 0x18 {
			c.state = plainText
		} else if x == 0x1b {
			c.state = stringEscaped
		}
	case stringEscaped:
		if x == '\\' {
			c.state = plainText
		} else {
			c.state = inString
		}
	case oneMore:
		if x < 0x20 || x > 0x2f {
			c.state = plainText
		}
	}
}
