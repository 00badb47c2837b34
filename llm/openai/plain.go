package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// plainChunk is the event that streams consist of almost entirely: one choice with
// a piece of text or thinking, and nothing else that means anything.
type plainChunk struct {
	content, reasoningContent, reasoning string
}

// readPlain reads a plain event several times faster than the general decoder. It
// takes only what it knows to the last byte; ok is false for everything else, which
// the general decoder then reads.
func readPlain(data []byte) (c plainChunk, ok bool) {
	s := scanner{b: data}
	chosen := false
	ok = s.object(func(key []byte) bool {
		switch string(key) {
		case "id", "object", "created", "model", "system_fingerprint", "service_tier", "provider":
			word := s.scalar()
			return word != nil && string(word) != `"error"`
		case "usage", "error", "timings", "prompt_progress":
			return s.null()
		case "choices":
			if chosen {
				return false
			}
			chosen = true
			return s.token('[') && s.object(func(key []byte) bool { return c.choice(&s, key) }) && s.token(']')
		}
		return false
	})
	return c, ok && s.end()
}

func (c *plainChunk) choice(s *scanner, key []byte) bool {
	switch string(key) {
	case "index":
		return bytes.Equal(s.scalar(), []byte("0"))
	case "finish_reason", "logprobs", "native_finish_reason", "stop_reason", "token_ids":
		return s.null()
	case "delta":
		return s.object(func(key []byte) bool {
			switch string(key) {
			case "content":
				return s.text(&c.content)
			case "reasoning_content":
				return s.text(&c.reasoningContent)
			case "reasoning":
				return s.text(&c.reasoning)
			case "role":
				return s.scalar() != nil
			case "tool_calls", "function_call", "refusal":
				return s.null()
			}
			return false
		})
	}
	return false
}

// scanner walks through JSON without a copy. Its methods report false on anything
// they do not expect; the position is of no use then.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) blank() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

func (s *scanner) token(c byte) bool {
	s.blank()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *scanner) end() bool {
	s.blank()
	return s.i == len(s.b)
}

// object calls member for each key, at its value.
func (s *scanner) object(member func(key []byte) bool) bool {
	if !s.token('{') {
		return false
	}
	for first := true; !s.token('}'); first = false {
		if !first && !s.token(',') {
			return false
		}
		key := s.quoted()
		if key == nil || !s.token(':') || !member(key) {
			return false
		}
	}
	return true
}

// quoted gives the inside of a string without escapes; nil where there is none.
func (s *scanner) quoted() []byte {
	if !s.token('"') {
		return nil
	}
	from := s.i
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[from : s.i-1 : s.i-1]
		case c == '\\' || c < ' ':
			return nil
		}
	}
	return nil
}

// scalar gives a string without escapes, a number, true, false or null as it stands.
func (s *scanner) scalar() []byte {
	s.blank()
	from := s.i
	if from < len(s.b) && s.b[from] == '"' {
		if s.quoted() == nil {
			return nil
		}
		return s.b[from:s.i]
	}
	for s.i < len(s.b) && bytes.IndexByte([]byte(",]} \n\t\r"), s.b[s.i]) < 0 {
		s.i++
	}
	word := s.b[from:s.i]
	if !json.Valid(word) {
		return nil
	}
	return word
}

func (s *scanner) null() bool { return bytes.Equal(s.scalar(), []byte("null")) }

// text reads a string into v; null is the empty one. A key that comes twice is not
// plain.
func (s *scanner) text(v *string) bool {
	s.blank()
	if *v != "" {
		return false
	}
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return s.null()
	}
	from := s.i
	if inside := s.quoted(); inside != nil && utf8.Valid(inside) {
		*v = string(inside)
		return true
	}
	s.i = from + 1
	for s.i < len(s.b) && s.b[s.i] != '"' {
		if s.b[s.i] == '\\' {
			s.i++
		}
		s.i++
	}
	if s.i >= len(s.b) {
		return false
	}
	s.i++
	return json.Unmarshal(s.b[from:s.i], v) == nil
}
