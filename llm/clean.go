package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// visibleNUL stands for a NUL character, which providers and the databases behind
// them refuse.
const visibleNUL = "␀"

// nothing is the content of a result that has none.
const nothing = "(empty)"

// cleanMessage makes one message fit to be sent, whatever stands around it. The
// message it is given is not changed.
func cleanMessage(m Message, opt NormaliseOptions) (out Message, dropped bool, repairs []string) {
	c := cleaner{opt: opt, where: place(m)}
	out = m
	out.Content = c.parts(m.Content)
	out.Reasoning = c.reasoning(m.Reasoning)
	out.Calls = c.calls(m.Calls)
	switch {
	case m.Role == ToolRole && len(out.Content) == 0:
		out.Content = Text(nothing)
	case m.Role == Assistant && len(out.Calls) > 0:
	case m.Role != ToolRole && len(out.Content) == 0:
		return out, true, append(c.repairs, c.where+" has no content; it was left out")
	}
	return out, false, c.repairs
}

func place(m Message) string {
	switch m.Role {
	case Assistant:
		return "a reply"
	case ToolRole:
		return "the result of " + m.CallID
	}
	return "a message of the user's side"
}

type cleaner struct {
	opt     NormaliseOptions
	where   string
	repairs []string
}

func (c *cleaner) note(format string, args ...any) {
	c.repairs = append(c.repairs, c.where+fmt.Sprintf(format, args...))
}

// text makes a string valid UTF-8 without NUL.
func (c *cleaner) text(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
		c.note(" held bytes that are not text; they were sent as \ufffd")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", visibleNUL)
		c.note(" held NUL characters; they were sent as %s", visibleNUL)
	}
	return s
}

func (c *cleaner) parts(list []Part) []Part {
	changed := false
	clean := func(p Part) (Part, bool) {
		if p.MIME != "" {
			return c.picture(p), true
		}
		p.Text = c.text(p.Text)
		return p, strings.TrimSpace(p.Text) != ""
	}
	out := list
	for i, p := range list {
		q, keep := clean(p)
		if !changed && (!keep || q.Text != p.Text || q.MIME != p.MIME || len(q.Bytes) != len(p.Bytes)) {
			changed = true
			out = append([]Part(nil), list[:i]...)
		}
		if changed && keep {
			out = append(out, q)
		}
	}
	return out
}

// reasoning leaves out empty thoughts. Signed ones keep their bytes and their
// order, since a provider checks them.
func (c *cleaner) reasoning(list []Reasoning) []Reasoning {
	bad := func(r Reasoning) bool {
		return r.Signature == "" && r.Opaque == nil && (strings.TrimSpace(r.Text) == "" || strings.IndexByte(r.Text, 0) >= 0 || !utf8.ValidString(r.Text))
	}
	if !slices.ContainsFunc(list, bad) {
		return list
	}
	var out []Reasoning
	for _, r := range list {
		if bad(r) {
			if r.Text = c.text(r.Text); strings.TrimSpace(r.Text) == "" {
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

func (c *cleaner) calls(list []Call) []Call {
	out := list
	for i, call := range list {
		fixed := call
		fixed.Name = safeName(call.Name)
		fixed.Arguments = c.arguments(call)
		if fixed == call {
			continue
		}
		if &out[0] == &list[0] {
			out = slices.Clone(list)
		}
		out[i] = fixed
	}
	return out
}

func (c *cleaner) arguments(call Call) string {
	text := call.Arguments
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	if isObject(text) {
		if safe := safeEscapes(text); safe != call.Arguments {
			c.note(": the arguments of %s held characters that are no text; they were sent as marks", call.Name)
			return safe
		}
		return text
	}
	if strings.TrimSpace(text) != "" {
		c.note(": the arguments of %s were not a JSON object; they were sent as one", call.Name)
	}
	return safeEscapes(replayable(text))
}

// safeEscapes replaces the escapes in a JSON text that decode to no character:
// halves of surrogate pairs, and NUL.
func safeEscapes(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		unit, ok := escaped(text[i:])
		switch {
		case !ok:
			b.WriteString(text[i : i+2])
			i += 2
			continue
		case unit == 0:
			b.WriteString(`\u2400`)
		case unit >= 0xD800 && unit < 0xDC00:
			if low, ok := escaped(text[i+6:]); ok && low >= 0xDC00 && low < 0xE000 {
				b.WriteString(text[i : i+12])
				i += 12
				continue
			}
			b.WriteString(`\ufffd`)
		case unit >= 0xDC00 && unit < 0xE000:
			b.WriteString(`\ufffd`)
		default:
			b.WriteString(text[i : i+6])
		}
		i += 6
	}
	return b.String()
}

// escaped reads a \uXXXX escape at the beginning of s.
func escaped(s string) (uint16, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var b [2]byte
	if _, err := hex.Decode(b[:], []byte(s[2:6])); err != nil {
		return 0, false
	}
	return uint16(b[0])<<8 | uint16(b[1]), true
}

const (
	longestID   = 64
	longestName = 64
	shortID     = 9
)

// safeID gives an id of letters, digits, "_" and "-", at most 64 long, that is the
// same for the same id and differs for another one.
func safeID(id string, short bool) string {
	if short {
		sum := sha256.Sum256([]byte(id))
		return hex.EncodeToString(sum[:])[:shortID]
	}
	safe := safeWord(id)
	if safe == id && id != "" && len(id) <= longestID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	mark := "_" + hex.EncodeToString(sum[:6])
	return "c" + safe[:min(len(safe), longestID-1-len(mark))] + mark
}

// safeName gives a tool's name as every provider takes it.
func safeName(name string) string {
	safe := safeWord(name)
	if safe == "" {
		return "unnamed"
	}
	return safe[:min(len(safe), longestName)]
}

func safeWord(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
