package toolbox

import "bytes"

// cleaner takes out of a program's output what is meant for a terminal and not for
// reading: escape sequences, overwritten parts of a line, control characters. What
// it passes on it never takes back, so a line that is being overwritten is held
// until it ends.
type cleaner struct {
	emit func([]byte)

	state   cleanState
	length  int    // of the control string being skipped
	text    []byte // what was not passed on yet
	rewound bool   // after a carriage return: the next character starts the line anew
	held    bool   // the line was overwritten before and may be again
	begun   bool   // a part of the line was passed on

	total int64 // bytes seen
	odd   int64 // of them those that no text holds
	zeros int64 // NUL bytes between others: they separate names
	last  byte
}

type cleanState byte

const (
	plainText     cleanState = iota
	escape                   // after ESC
	sequence                 // after ESC [, until its final byte
	extended                 // after ESC and an intermediate byte
	controlString            // after ESC ], P, X, ^ or _, until BEL or ESC \
	stringEscape             // ESC within one
	c1Lead                   // after 0xC2, which begins the two-byte form of an 8-bit control
)

// A control string that does not end is taken for text again at its line's end or
// after this many bytes, so that nothing can hide the rest of an output.
const longestString = 4096

// longestHeld is how much of a line is held at most.
const longestHeld = 8 << 10

// Write takes a part of the output; it never fails.
func (c *cleaner) Write(p []byte) (int, error) {
	c.total += int64(len(p))
	for i := 0; i < len(p); {
		if n := c.plainRun(p[i:]); n > 0 {
			c.add(p[i : i+n])
			i += n
			c.last = p[i-1]
			continue
		}
		c.step(p[i])
		i++
	}
	c.flush(c.settled())
	return len(p), nil
}

// end passes on what was held.
func (c *cleaner) end() { c.flush(len(c.text)) }

// plainRun counts the bytes that need no look of their own: printable ASCII, line
// ends, tabs and all of UTF-8 but the lead of C1 controls.
func (c *cleaner) plainRun(p []byte) int {
	if c.state != plainText {
		return 0
	}
	for i, b := range p {
		if b < ' ' && b != '\n' && b != '\t' || b == 0x7f || b == 0xC2 {
			return i
		}
	}
	return len(p)
}

func (c *cleaner) step(b byte) {
	switch {
	case b == 0 && c.last != 0:
		c.zeros++
	case b < ' ' && b != '\n' && b != '\t' && b != '\r' && b != 0x1B && (b < 0x07 || b > 0x0C):
		c.odd++
	}
	c.last = b
	switch c.state {
	case plainText:
		c.control(b)
	case escape:
		c.afterEscape(b)
	case sequence:
		if b >= 0x40 && b <= 0x7E || b == '\n' {
			c.state = plainText
		}
		if b == 0x1B {
			c.state = escape
		}
		if b == '\n' {
			c.control(b)
		}
	case extended:
		if b >= 0x30 {
			c.state = plainText
		}
	case controlString, stringEscape:
		c.inString(b)
	case c1Lead:
		c.afterLead(b)
	}
}

func (c *cleaner) control(b byte) {
	switch b {
	case '\n', '\t':
		c.add([]byte{b})
	case 0:
		c.add([]byte{'\n'})
	case '\r':
		c.rewound = true
	case '\b':
		if n := len(c.text); n > c.line() {
			c.text = c.text[:n-1]
		}
	case 0x1B:
		c.state = escape
	case 0xC2:
		c.state = c1Lead
	}
}

func (c *cleaner) afterEscape(b byte) {
	switch {
	case b == '[':
		c.state = sequence
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		c.state, c.length = controlString, 0
	case b >= 0x20 && b <= 0x2F:
		c.state = extended
	case b == '\n':
		c.state = plainText
		c.control(b)
	default:
		c.state = plainText
	}
}

func (c *cleaner) inString(b byte) {
	c.length++
	switch {
	case b == 0x07, c.state == stringEscape && b == '\\', c.length > longestString:
		c.state = plainText
	case b == '\n':
		c.state = plainText
		c.control(b)
	case b == 0x1B:
		c.state = stringEscape
	default:
		c.state = controlString
	}
}

// afterLead handles the byte after 0xC2: U+0080 to U+009F are controls.
func (c *cleaner) afterLead(b byte) {
	c.state = plainText
	switch {
	case b == 0x9B:
		c.state = sequence
	case b == 0x9D, b == 0x90, b == 0x98, b == 0x9E, b == 0x9F:
		c.state, c.length = controlString, 0
	case b >= 0x80 && b <= 0x9F:
	case b >= 0xA0:
		c.add([]byte{0xC2, b})
	default:
		c.add([]byte{0xC2})
		c.step(b)
	}
}

// add puts characters behind the text.
func (c *cleaner) add(p []byte) {
	if len(p) == 0 {
		return
	}
	if c.rewound && p[0] != '\n' { // before a line end it is one half of that
		c.held = true
		start := c.line()
		c.text = c.text[:start]
		if start == 0 && c.begun { // what is out cannot be overwritten
			c.text = append(c.text, '\n')
		}
	}
	c.rewound = false
	c.text = append(c.text, p...)
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		c.held = false
	}
	if c.held && len(c.text)-c.line() > longestHeld {
		c.held = false
	}
}

// line is where the current line starts in the text.
func (c *cleaner) line() int { return bytes.LastIndexByte(c.text, '\n') + 1 }

// settled is how much of the text will not be overwritten.
func (c *cleaner) settled() int {
	if c.rewound || c.held {
		return c.line()
	}
	return len(c.text)
}

func (c *cleaner) flush(n int) {
	if n == 0 {
		return
	}
	c.emit(c.text[:n])
	c.begun = c.text[n-1] != '\n'
	c.text = append(c.text[:0], c.text[n:]...)
}

// binary reports whether the output is no text.
func (c *cleaner) binary() bool {
	const (
		share     = 20 // one odd byte in so many
		zeroShare = 3  // and one NUL: names are longer
	)
	return c.odd > 0 && c.odd*share >= c.total || c.zeros > 0 && c.zeros*zeroShare >= c.total
}
