package proof

import "strings"

// sedLooks reads a sed script (GNU sed 4.8, info page "sed scripts") and passes it
// where every command only prints, deletes or edits the stream. w, W and e write
// and run; r and R read another file; b and t may loop for ever.
func sedLooks(_ *judgement, script string) error {
	s := sedReader{text: script}
	for {
		s.skip(" \t\n;")
		if s.end() {
			if s.open != 0 {
				return doubtf("the sed script does not parse")
			}
			return nil
		}
		if err := s.command(); err != nil {
			return err
		}
	}
}

type sedReader struct {
	text string
	at   int
	open int // blocks
}

func (s *sedReader) end() bool { return s.at >= len(s.text) }

func (s *sedReader) peek() byte {
	if s.end() {
		return 0
	}
	return s.text[s.at]
}

func (s *sedReader) skip(set string) {
	for !s.end() && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *sedReader) take() byte {
	c := s.peek()
	s.at++
	return c
}

// until skips to an unescaped delimiter and past it.
func (s *sedReader) until(delimiter byte) bool {
	for !s.end() {
		switch c := s.take(); c {
		case '\\':
			s.at++
		case delimiter:
			return true
		case '\n':
			return false // no regular expression or replacement needs one here
		}
	}
	return false
}

// address skips one address and reports whether there was one.
func (s *sedReader) address() (bool, error) {
	switch c := s.peek(); {
	case c >= '0' && c <= '9':
		s.skip("0123456789")
		if s.peek() == '~' {
			s.at++
			s.skip("0123456789")
		}
	case c == '$':
		s.at++
	case c == '/' || c == '\\':
		s.at++
		if c == '\\' {
			c = s.take()
		}
		if c == 0 || c == '\n' || !s.until(c) {
			return false, doubtf("the sed script does not parse")
		}
		s.skip("IM")
	default:
		return false, nil
	}
	return true, nil
}

func (s *sedReader) command() error {
	has, err := s.address()
	if err != nil {
		return err
	}
	s.skip(" \t")
	if has && s.peek() == ',' {
		s.at++
		s.skip(" \t")
		if c := s.peek(); c == '+' || c == '~' {
			s.at++
		}
		if has, err = s.address(); err != nil || !has {
			return doubtf("the sed script does not parse")
		}
		s.skip(" \t")
	}
	s.skip("! \t")
	c := s.take()
	switch c {
	case '#':
		for !s.end() && s.take() != '\n' {
		}
		return nil
	case '{':
		s.open++
		return nil
	case '}':
		s.open--
		if s.open < 0 {
			return doubtf("the sed script does not parse")
		}
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	case 'l', 'L', 'q', 'Q':
		s.skip(" \t")
		s.skip("0123456789")
	case 'a', 'i', 'c':
		return s.textBlock()
	case 's':
		return s.substitute()
	case 'y':
		d := s.take()
		if d == 0 || d == '\n' || d == '\\' || !s.until(d) || !s.until(d) {
			return doubtf("the sed script does not parse")
		}
	case 'w', 'W', 'e':
		return doubtf("the sed command %c writes or runs something", c)
	case 'r', 'R':
		return doubtf("the sed command %c reads another file", c)
	default:
		return doubtf("the sed script is not proved")
	}
	return s.over()
}

// over wants the end of a command.
func (s *sedReader) over() error {
	s.skip(" \t")
	switch s.peek() {
	case 0, ';', '\n', '}', '#':
		return nil
	}
	return doubtf("the sed script is not proved")
}

// textBlock skips the text of a, i and c: to the end of the line, going on after a
// backslash.
func (s *sedReader) textBlock() error {
	for !s.end() {
		switch s.take() {
		case '\\':
			s.at++
		case '\n':
			return nil
		}
	}
	return nil
}

func (s *sedReader) substitute() error {
	d := s.take()
	if d == 0 || d == '\n' || d == '\\' || !s.until(d) || !s.until(d) {
		return doubtf("the sed script does not parse")
	}
	for {
		switch c := s.peek(); {
		case c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M' || c >= '0' && c <= '9':
			s.at++
		case c == 'w' || c == 'e':
			return doubtf("the flag %c of the sed command s writes or runs something", c)
		default:
			return s.over()
		}
	}
}
