package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxEncoded is how often arguments may have been encoded as a JSON string.
const maxEncoded = 3

// maxDepth is how deep arguments may be nested.
const maxDepth = 200

// readArguments turns the text of a call's arguments into an object. It repairs
// only what loses nothing: no text at all, a text that is a JSON string of the
// real one, a code fence around it, closing marks after it, line breaks and tabs
// that were not escaped, a comma too many. Everything else is an error that tells
// the model what is wrong.
func readArguments(raw string) (map[string]any, error) {
	if !utf8.ValidString(raw) {
		return nil, errors.New("the arguments hold bytes that are not UTF-8, so they cannot be taken as they were meant")
	}
	text := unfence(strings.TrimSpace(raw))
	for range maxEncoded + 1 {
		if text == "" || text == "null" {
			return map[string]any{}, nil
		}
		value, rest, err := readValue(text)
		if err != nil {
			repaired, changed := escapeControls(text)
			if !changed {
				return nil, explainSyntax(text, err)
			}
			if value, rest, err = readValue(repaired); err != nil {
				return nil, explainSyntax(text, err)
			}
		}
		if !harmlessTail(rest) {
			return nil, fmt.Errorf("there is more text after the arguments, beginning with %s; send one JSON object and nothing else", quoteShort(strings.TrimSpace(rest)))
		}
		switch v := value.(type) {
		case map[string]any:
			return v, nil
		case string:
			text = unfence(strings.TrimSpace(v))
		default:
			return nil, fmt.Errorf("the arguments must be a JSON object, but are %s", describeValue(value))
		}
	}
	return nil, errors.New("the arguments are a JSON string inside a JSON string, too often; send a plain JSON object")
}

// unfence takes a Markdown code fence off.
func unfence(s string) string {
	body, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	first, rest, ok := strings.Cut(body, "\n")
	if !ok || strings.ContainsAny(first, "{}[]\"") {
		return s
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
}

// harmlessTail reports whether text after the arguments says nothing: blanks,
// closing brackets, the end of a fence, closing tags such as </tool_call>.
func harmlessTail(rest string) bool {
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		switch {
		case strings.HasPrefix(rest, "</") || strings.HasPrefix(rest, "<|"):
			end := strings.IndexByte(rest, '>')
			if end < 0 || strings.ContainsAny(rest[2:end], " \"{}=") {
				return false
			}
			rest = rest[end+1:]
		case strings.HasPrefix(rest, "```"):
			rest = rest[3:]
		case rest[0] == '}' || rest[0] == ']' || rest[0] == ';' || rest[0] == ',':
			rest = rest[1:]
		default:
			return false
		}
	}
	return true
}

// readValue reads the first JSON value of s and gives what follows it.
func readValue(s string) (value any, rest string, err error) {
	if at, ok := loneSurrogate(s); ok {
		return nil, "", fmt.Errorf("there is half a surrogate pair (%s) in the text; write the whole character", at)
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	value, err = readToken(d, 0)
	if err != nil {
		return nil, "", err
	}
	return value, s[d.InputOffset():], nil
}

// errRepeated marks arguments that name a field twice with different values: which
// of the two was meant cannot be known, and two readers might choose differently.
var errRepeated = errors.New("is given twice with different values")

func readToken(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("the arguments are nested too deep")
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if n, ok := token.(json.Number); ok {
		return plainInteger(n), nil
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			item, err := readToken(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := d.Token()
		return list, err
	}
	object := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		item, err := readToken(d, depth+1)
		if err != nil {
			return nil, err
		}
		name := key.(string)
		if before, repeated := object[name]; repeated && !bytes.Equal(canonical(before), canonical(item)) {
			return nil, fmt.Errorf("%q %w", name, errRepeated)
		}
		object[name] = item
	}
	_, err = d.Token()
	return object, err
}

// canonical is the one encoding of a value: sorted keys, no blanks, nothing
// escaped that need not be.
func canonical(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("tool: a decoded JSON value does not encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// escapeControls escapes control characters inside strings, which models forget
// for line breaks and tabs, and drops a comma before a closing bracket.
func escapeControls(s string) (string, bool) {
	var b strings.Builder
	inside, changed := false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inside && c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
			continue
		case c == '"':
			inside = !inside
		case inside && c < 0x20:
			changed = true
			switch c {
			case '\n':
				b.WriteString(`\n`)
			case '\r':
				b.WriteString(`\r`)
			case '\t':
				b.WriteString(`\t`)
			default:
				fmt.Fprintf(&b, `\u%04x`, c)
			}
			continue
		case !inside && c == ',':
			if after := strings.TrimLeft(s[i+1:], " \t\r\n"); after != "" && (after[0] == '}' || after[0] == ']') {
				changed = true
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String(), changed
}

// loneSurrogate finds an escaped half of a surrogate pair; decoding would replace
// it silently.
func loneSurrogate(s string) (string, bool) {
	if !strings.Contains(s, `\u`) {
		return "", false
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] != 'u' {
			i++
			continue
		}
		unit, ok := escapedUnit(s[i:])
		if !ok {
			continue
		}
		if unit >= 0xD800 && unit < 0xDC00 {
			if low, ok := escapedUnit(s[i+6:]); ok && low >= 0xDC00 && low < 0xE000 {
				i += 11
				continue
			}
			return s[i : i+6], true
		}
		if unit >= 0xDC00 && unit < 0xE000 {
			return s[i : i+6], true
		}
		i += 5
	}
	return "", false
}

func escapedUnit(s string) (uint64, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	return unit, err == nil
}

// explainSyntax says where arguments stop being JSON.
func explainSyntax(text string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the arguments end in the middle, after %d characters, ending with %s; send the whole call again, with long content in smaller pieces",
			utf8.RuneCountInString(text), quoteShort(text[max(0, len(text)-24):]))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := min(int(syntax.Offset), len(text))
		return fmt.Errorf("the arguments are not valid JSON: %v, near %s", err, quoteShort(text[max(0, at-12):min(len(text), at+12)]))
	}
	return err
}

// quoteShort quotes the first characters of a text.
func quoteShort(s string) string {
	const most = 32
	s = strings.ToValidUTF8(s, "")
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}

// describeValue names a value's type with an article, and the value where short.
func describeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "a string (" + quoteShort(v) + ")"
	case bool:
		return fmt.Sprintf("a boolean (%t)", v)
	case json.Number:
		return "a number (" + v.String() + ")"
	case []any:
		return "an array"
	}
	return "an object"
}

// plainInteger writes an integral number such as 1.0 or 2e3 without point and
// exponent, as Go's decoding of integers wants it.
func plainInteger(n json.Number) json.Number {
	if !strings.ContainsAny(n.String(), ".eE") || len(n) > 24 {
		return n
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return n
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}
