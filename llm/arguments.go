package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Unfinished reports whether argument text ends in the middle of a JSON value.
// Text that is wrong in another way is not unfinished, and neither is no text at
// all, which stands for a call without arguments.
func Unfinished(arguments string) bool {
	text := strings.TrimSpace(arguments)
	if text == "" || json.Valid([]byte(text)) {
		return false
	}
	_, err := documents(mend(text))
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// once takes argument text that repeats one document as that document: servers
// that send the whole arguments again behind their pieces make such text.
func once(arguments string) string {
	if !strings.Contains(arguments, "}{") || json.Valid([]byte(arguments)) {
		return arguments
	}
	docs, err := documents(arguments)
	if err != nil {
		return arguments
	}
	for _, doc := range docs[1:] {
		if !bytes.Equal(doc, docs[0]) {
			return arguments
		}
	}
	return string(docs[0])
}

// replayable gives argument text that every server takes as history: one JSON
// object. Text that is one is not touched. What a reply that was cut left open is
// closed where it ends: the call never ran, and the model only sees what it had
// written.
func replayable(arguments string) string {
	if isObject(arguments) {
		return arguments
	}
	text := strings.TrimSpace(arguments)
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil && isObject(inner) {
		return inner
	}
	if closed := closeJSON(mend(text)); isObject(closed) {
		return closed
	}
	return "{}"
}

func isObject(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(trimmed, "{") && json.Valid([]byte(text))
}

// documents splits text into the JSON values it consists of.
func documents(text string) ([]json.RawMessage, error) {
	var docs []json.RawMessage
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var doc json.RawMessage
		err := dec.Decode(&doc)
		if err == io.EOF && docs != nil {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
}

// mend writes control characters inside strings as escapes, and takes the escapes
// \n, \r and \t outside of strings for the white space they stand for.
func mend(text string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inside && c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(c)
			c = text[i]
		case inside && c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		case !inside && c == '\\' && i+1 < len(text) && strings.IndexByte("nrt", text[i+1]) >= 0:
			i++
			c = ' '
		case c == '"':
			inside = !inside
		}
		b.WriteByte(c)
	}
	return b.String()
}

// closeJSON ends the string, the arrays and the objects that text leaves open, and
// drops what stands behind the first value. Where the last member cannot be
// completed, it is left out.
func closeJSON(text string) string {
	var open []byte
	inside := false
	whole := "" // the text up to the last place where a member had ended, closed
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{':
			open = append(open, '}')
			whole = text[:i+1] + ends(open)
		case c == '[':
			open = append(open, ']')
			whole = text[:i+1] + ends(open)
		case c == ',':
			whole = text[:i] + ends(open)
		case c == '}' || c == ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return whole
			}
			open = open[:len(open)-1]
			whole = text[:i+1] + ends(open)
			if len(open) == 0 {
				return whole
			}
		}
	}
	if !inside {
		if closed := text + ends(open); json.Valid([]byte(closed)) {
			return closed
		}
		return whole
	}
	// Half an escape at the end cannot be kept; \uD83D\uDE is the longest.
	for range min(len(text), 12) {
		if closed := text + `"` + ends(open); json.Valid([]byte(closed)) {
			return closed
		}
		text = text[:len(text)-1]
	}
	return whole
}

func ends(open []byte) string {
	b := make([]byte, 0, len(open))
	for i := len(open) - 1; i >= 0; i-- {
		b = append(b, open[i])
	}
	return string(b)
}
