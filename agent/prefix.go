package agent

import (
	"bytes"

	"fairlead/session"
)

// broke names why a request does not extend the last one, or "" where it does.
func (t *turn) broke(last, next *session.RequestHeaderData) string {
	switch {
	case last == nil:
		return ""
	case t.series != "":
		cause := t.series
		t.series = ""
		return cause
	case last.Route != next.Route || last.Model != next.Model || last.Wire != next.Wire:
		return "model"
	case last.System != next.System:
		return "prompt"
	case last.Tools != next.Tools:
		return "tools"
	case next.Same < next.Prior && last.Params.Quirks != next.Params.Quirks:
		return "model" // the same one, found to want another form
	case next.Same < next.Prior:
		return "history"
	}
	return ""
}

// counted is the part of a body that a server's prefix cache can hold: tools and
// messages. What stands before them are options that may change freely. The
// brackets that end a body are left out.
func counted(body []byte) []byte {
	for _, key := range [][]byte{[]byte(`"tools":`), []byte(`"messages":`), []byte(`"input":`)} {
		if i := bytes.Index(body, key); i >= 0 {
			body = body[i:]
			break
		}
	}
	return bytes.TrimRight(body, "]}")
}

// overlap counts how many bytes of the last request the next one begins with, out
// of how many.
func overlap(last, next []byte) (same, prior int) {
	last, next = counted(last), counted(next)
	if bytes.HasPrefix(next, last) {
		return len(last), len(last)
	}
	for same < min(len(last), len(next)) && last[same] == next[same] {
		same++
	}
	return same, len(last)
}
