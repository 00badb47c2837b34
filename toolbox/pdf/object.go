package pdf

import (
	"bytes"
	"strconv"
)

// The values of a PDF file (ISO 32000-1 section 7.3). Numbers are float64, strings
// of either kind are str, null is nil, booleans are bool.
type (
	name string
	str  string
	ref  int // number of an object; generations are not told apart
	list []any
	dict map[name]any
	// operator is a word of a content stream, or of an object's frame.
	operator string
)

// mostNested bounds how deep values are nested.
const mostNested = 64

// scanner reads values from bytes.
type scanner struct {
	data []byte
	at   int
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

func (s *scanner) skipSpace() {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case isSpace(c):
			s.at++
		case c == '%':
			for s.at < len(s.data) && s.data[s.at] != '\n' && s.data[s.at] != '\r' {
				s.at++
			}
		default:
			return
		}
	}
}

// next reads a value or an operator; false at the end and where nothing can be read.
func (s *scanner) next(depth int) (any, bool) {
	s.skipSpace()
	if s.at >= len(s.data) || depth > mostNested {
		return nil, false
	}
	switch c := s.data[s.at]; {
	case c == '/':
		s.at++
		return name(s.name()), true
	case c == '(':
		return s.literal(), true
	case c == '<' && s.at+1 < len(s.data) && s.data[s.at+1] == '<':
		s.at += 2
		return s.dict(depth)
	case c == '<':
		return s.hex(), true
	case c == '[':
		s.at++
		return s.list(depth)
	case c == ']' || c == '>' || c == ')' || c == '{' || c == '}':
		s.at++
		return operator(c), true
	}
	return s.word(), true
}

func (s *scanner) name() string {
	var b []byte
	for s.at < len(s.data) && !isSpace(s.data[s.at]) && !isDelimiter(s.data[s.at]) {
		c := s.data[s.at]
		if c == '#' && s.at+2 < len(s.data) {
			if v, err := strconv.ParseUint(string(s.data[s.at+1:s.at+3]), 16, 8); err == nil {
				c = byte(v)
				s.at += 2
			}
		}
		b = append(b, c)
		s.at++
	}
	return string(b)
}

// word reads a number, a boolean, null, a reference or an operator.
func (s *scanner) word() any {
	start := s.at
	for s.at < len(s.data) && !isSpace(s.data[s.at]) && !isDelimiter(s.data[s.at]) {
		s.at++
	}
	text := string(s.data[start:s.at])
	switch text {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return operator(text)
	}
	if number, ok := s.reference(text); ok {
		return number
	}
	return n
}

// reference reads the rest of "12 0 R".
func (s *scanner) reference(first string) (ref, bool) {
	number, err := strconv.Atoi(first)
	if err != nil || number < 0 {
		return 0, false
	}
	back := s.at
	s.skipSpace()
	digits := s.at
	for s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '9' {
		s.at++
	}
	if s.at > digits && s.at-digits < 6 {
		s.skipSpace()
		if s.at < len(s.data) && s.data[s.at] == 'R' && (s.at+1 == len(s.data) || isSpace(s.data[s.at+1]) || isDelimiter(s.data[s.at+1])) {
			s.at++
			return ref(number), true
		}
	}
	s.at = back
	return 0, false
}

func (s *scanner) list(depth int) (any, bool) {
	l := list{}
	for {
		v, ok := s.next(depth + 1)
		if !ok {
			return l, len(l) > 0
		}
		if v == operator("]") {
			return l, true
		}
		l = append(l, v)
	}
}

func (s *scanner) dict(depth int) (any, bool) {
	d := dict{}
	for {
		k, ok := s.next(depth + 1)
		if !ok {
			return d, len(d) > 0
		}
		if k == operator(">") {
			if s.at < len(s.data) && s.data[s.at] == '>' {
				s.at++
			}
			return d, true
		}
		key, isName := k.(name)
		if !isName {
			continue
		}
		v, ok := s.next(depth + 1)
		if !ok {
			return d, true
		}
		if v == operator(">") {
			s.at-- // a key without a value ends the dictionary
			continue
		}
		d[key] = v
	}
}

func (s *scanner) hex() str {
	s.at++
	var b []byte
	half, high := false, byte(0)
	for ; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		if c == '>' {
			s.at++
			break
		}
		v, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			continue
		}
		if half {
			b = append(b, high<<4|byte(v))
		}
		half, high = !half, byte(v)
	}
	if half {
		b = append(b, high<<4)
	}
	return str(b)
}

// literal reads a string in parentheses with its escapes.
func (s *scanner) literal() str {
	s.at++
	var b []byte
	for open := 1; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				s.at++
				return str(b)
			}
		case '\\':
			if s.at++; s.at >= len(s.data) {
				return str(b)
			}
			if c = s.data[s.at]; c >= '0' && c <= '7' {
				v := 0
				for n := 0; n < 3 && s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '7'; n++ {
					v = v*8 + int(s.data[s.at]-'0')
					s.at++
				}
				s.at--
				b = append(b, byte(v))
				continue
			}
			switch c {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case '\r':
				if s.at+1 < len(s.data) && s.data[s.at+1] == '\n' {
					s.at++
				}
				continue
			case '\n':
				continue
			}
		}
		b = append(b, c)
	}
	return str(b)
}
