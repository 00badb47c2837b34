package wire

import "strings"

// Piece is a part of what came as answer text.
type Piece struct {
	Kind PieceKind
	Text string
	Call Delta // of a call in text form
}

// PieceKind says what a piece is.
type PieceKind uint8

// The kinds of piece. Rethink has no text: all answer pieces so far were thinking,
// whose opening tag stood in the prompt.
const (
	Answer PieceKind = iota
	Thought
	Rethink
	TextCall
)

// Split takes apart what some servers send as one answer text: thinking between
// tags, and calls in text form. The zero value looks for thinking only.
//
// Thinking counts only at the beginning of a reply or right behind other thinking,
// so that an answer may speak about the tags. A closing tag that nothing opened
// counts once, at the end of a line and outside of code.
type Split struct {
	// Calls gives the parameters of a tool that may be called in text form, each
	// with its JSON type, and whether there is such a tool. Nil: no call is read
	// from text.
	Calls func(name string) (parameters map[string]string, ok bool)
	// Thinking is set where the prompt's template has opened the thinking.
	Thinking bool

	begun   bool
	state   splitState
	held    string // not yet clear what it is
	closer  string // of the open thinking
	thought bool   // some thinking came: a lone closing tag is just text
	ticks   int    // code fences and backticks in the answer so far
	out     []Piece
}

type splitState uint8

const (
	atStart splitState = iota
	inThought
	inAnswer
	inCall
)

// tags are the ways in which models open and close their thinking.
var tags = []struct{ open, close string }{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"},
	{"[THINK]", "[/THINK]"}, {"<seed:think>", "</seed:think>"},
}

const (
	callOpen  = "<tool_call>"
	callClose = "</tool_call>"
	loneClose = "</think>"
	// longestCall bounds a call in text form; longer ones are text.
	longestCall = 4 << 20
)

// Add takes the next piece of text. The pieces it gives are valid until the next
// call.
func (s *Split) Add(text string) []Piece {
	s.out = s.out[:0]
	if !s.begun {
		s.begun = true
		if s.Thinking {
			s.state, s.closer = inThought, loneClose
		}
	}
	if s.state == inAnswer && s.held == "" && strings.IndexByte(text, '<') < 0 {
		s.emit(Answer, text)
		return s.out
	}
	s.held += text
	for s.step(false) {
	}
	return s.out
}

// End gives what was held back.
func (s *Split) End() []Piece {
	s.out = s.out[:0]
	for s.step(true) {
	}
	if s.held != "" {
		kind := Answer
		if s.state == inThought {
			kind = Thought
		}
		s.emit(kind, s.held)
		s.held = ""
	}
	return s.out
}

// step takes a part of what is held whose meaning is clear; it reports whether
// there may be more. Last says that nothing will follow.
func (s *Split) step(last bool) bool {
	if s.held == "" {
		return false
	}
	switch s.state {
	case atStart:
		return s.start(last)
	case inThought:
		return s.think(last)
	case inCall:
		return s.call(last)
	}
	return s.answer(last)
}

func (s *Split) start(last bool) bool {
	text := strings.TrimLeft(s.held, " \t\r\n")
	for _, t := range tags {
		if rest, ok := strings.CutPrefix(text, t.open); ok {
			s.state, s.closer, s.thought = inThought, t.close, true
			s.held = rest
			return true
		}
		if !last && strings.HasPrefix(t.open, text) {
			return false
		}
	}
	s.state = inAnswer
	if s.thought {
		s.held = text // blank lines between thinking and answer belong to neither
	}
	return true
}

func (s *Split) think(last bool) bool {
	if i := strings.Index(s.held, s.closer); i >= 0 {
		s.emit(Thought, s.held[:i])
		s.held = s.held[i+len(s.closer):]
		s.state, s.thought = atStart, true
		return true
	}
	keep := 0
	if !last {
		keep = overlap(s.held, s.closer)
	}
	s.emit(Thought, s.held[:len(s.held)-keep])
	s.held = s.held[len(s.held)-keep:]
	return false
}

func (s *Split) answer(last bool) bool {
	i := strings.IndexByte(s.held, '<')
	if i < 0 {
		s.emit(Answer, s.held)
		s.held = ""
		return false
	}
	s.emit(Answer, s.held[:i])
	s.held = s.held[i:]
	if s.Calls != nil {
		if strings.HasPrefix(s.held, callOpen) {
			s.state = inCall
			return true
		}
		if !last && strings.HasPrefix(callOpen, s.held) {
			return false
		}
	}
	if !s.thought && s.ticks%2 == 0 {
		if rest, ok := strings.CutPrefix(s.held, loneClose); ok {
			if rest == "" && !last {
				return false
			}
			if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
				s.out = append(s.out, Piece{Kind: Rethink})
				s.held, s.thought, s.state = rest, true, atStart
				return true
			}
		} else if !last && strings.HasPrefix(loneClose, s.held) {
			return false
		}
	}
	s.emit(Answer, s.held[:1])
	s.held = s.held[1:]
	return true
}

func (s *Split) call(last bool) bool {
	i := strings.Index(s.held, callClose)
	if i < 0 && !last && len(s.held) < longestCall {
		return false
	}
	if i >= 0 {
		if d, ok := s.parseCall(s.held[len(callOpen):i]); ok {
			s.out = append(s.out, Piece{Kind: TextCall, Call: d})
			s.held = s.held[i+len(callClose):]
			s.state = inAnswer
			return true
		}
	}
	s.state = inAnswer
	s.emit(Answer, s.held[:1])
	s.held = s.held[1:]
	return true
}

// emit adds text to the last piece where it is of the same kind.
func (s *Split) emit(kind PieceKind, text string) {
	if text == "" {
		return
	}
	if kind == Answer && !s.thought {
		s.ticks += strings.Count(text, "`")
	}
	if n := len(s.out); n > 0 && s.out[n-1].Kind == kind {
		s.out[n-1].Text += text
		return
	}
	s.out = append(s.out, Piece{Kind: kind, Text: text})
}

// overlap gives the length of the longest end of text with which word could begin.
func overlap(text, word string) int {
	for n := min(len(text), len(word)-1); n > 0; n-- {
		if strings.HasPrefix(word, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
