package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fairlead/llm"
)

// longestRefusal bounds what is read of a refusal; longestMessage what is kept.
const (
	longestRefusal = 256 << 10
	longestMessage = 600
)

// Classify gives a refusal its code: by what the body says in the words that each
// server is known to use, else by the status. Status 200 is for an error that came
// inside a reply; the server's own number for it, where it gives one, takes its
// place.
func Classify(status int, header http.Header, body []byte) *llm.Error {
	r := parseRefusal(body)
	if status < 400 && r.status >= 400 && r.status < 600 {
		status = r.status
	}
	e := &llm.Error{Status: status, Message: r.message, RetryAfter: retryAfter(header, r)}
	if status < 400 {
		e.Status = 0
	}
	switch words := strings.ToLower(r.kind + " " + r.message); {
	case r.markup && status < 400:
		e.Code = llm.CodeNotAPI
	case overflows(e, r, words):
	case wants(e, strings.ToLower(r.message)):
		e.Code = llm.CodeRefused
	default:
		e.Code = codeByWords(words)
		if e.Code == "" {
			e.Code = codeByStatus(status, words)
		}
	}
	switch {
	case status >= 400 && (r.markup || e.Message == ""):
		e.Message = strings.TrimSpace(http.StatusText(status) + " " + e.Message)
	case e.Message == "":
		e.Message = "the server ended the reply without a word"
	}
	return e
}

// refusal is what a server said, in one shape.
type refusal struct {
	message string
	kind    string // the words beside the message: type, code, status
	status  int
	window  int
	prompt  int
	markup  bool
}

// parseRefusal reads an error body in any of the shapes that are around: an object
// or a string under "error", a list under "errors", "message" or "detail" by
// themselves, a bare string, text, a page for people.
func parseRefusal(body []byte) refusal {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(body) > 0 && body[0] == '<' {
		return refusal{message: clip(title(body)), markup: true}
	}
	var r refusal
	var v any
	if json.Unmarshal(body, &v) == nil {
		r.read(v, 0)
	}
	if r.message == "" {
		r.message = string(body)
	}
	r.message = clip(r.message)
	return r
}

func (r *refusal) read(v any, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case string:
		// A gateway may pass on an error of the server behind it as text.
		var inner any
		if strings.HasPrefix(strings.TrimSpace(v), "{") && json.Unmarshal([]byte(v), &inner) == nil {
			r.read(inner, depth+1)
		} else if r.message == "" {
			r.message = v
		}
	case []any:
		for _, x := range v {
			r.read(x, depth+1)
		}
	case map[string]any:
		for _, name := range []string{"type", "code", "status", "param"} {
			switch x := v[name].(type) {
			case string:
				r.kind += " " + x
				if n, err := strconv.Atoi(x); err == nil && r.status == 0 {
					r.status = n
				}
			case float64:
				if r.status == 0 {
					r.status = int(x)
				}
			}
		}
		if n, ok := v["n_ctx"].(float64); ok {
			r.window = int(n)
		}
		if n, ok := v["n_prompt_tokens"].(float64); ok {
			r.prompt = int(n)
		}
		for _, name := range []string{"error", "metadata", "raw", "message", "msg", "detail", "errors", "error_msg"} {
			if x, ok := v[name]; ok {
				r.read(x, depth+1)
			}
		}
	}
}

// title gives the words of a page for people that say what it is.
func title(page []byte) string {
	lower := bytes.ToLower(page)
	for _, tag := range []string{"title", "h1"} {
		_, rest, ok := bytes.Cut(lower, []byte("<"+tag))
		if !ok {
			continue
		}
		from := len(page) - len(rest)
		if open := bytes.IndexByte(rest, '>'); open >= 0 {
			if end := bytes.IndexByte(rest[open:], '<'); end > 1 {
				return "(a web page: " + string(page[from+open+1:from+open+end]) + ")"
			}
		}
	}
	return "(a web page)"
}

// clip makes a server's words one line of a sensible length.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > longestMessage {
		s = strings.ToValidUTF8(s[:longestMessage], "") + "…"
	}
	return s
}

// retryAfter gives the wait a server asks for, or -1. Dates are taken against the
// server's own clock where it tells it. A wait that is past, zero or unreadable is none.
func retryAfter(header http.Header, r refusal) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		now := time.Now()
		if sent, err := http.ParseTime(header.Get("Date")); err == nil {
			now = sent
		}
		if wait := at.Sub(now); wait > 0 {
			return wait
		}
	}
	for _, words := range []string{"try again in ", "retry in "} {
		if _, rest, ok := strings.Cut(strings.ToLower(r.message), words); ok {
			text, _, _ := strings.Cut(rest, " ")
			if wait, err := time.ParseDuration(strings.TrimRight(text, ".,;")); err == nil && wait > 0 {
				return wait
			}
		}
	}
	return -1
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, 1e9) * float64(time.Second))
}

func codeByStatus(status int, words string) llm.Code {
	switch {
	case status == 401 || status == 403 || status == 407:
		return llm.CodeAuth
	case status == 402:
		return llm.CodeQuota
	case status == 404 && strings.Contains(words, "model"):
		return llm.CodeModel
	case status == 404 || status == 405:
		return llm.CodeNotAPI
	case status == 408:
		return llm.CodeTimeout
	case status == 413:
		return llm.CodeOverflow
	case status == 425 || status == 429:
		return llm.CodeRateLimit
	case status >= 500:
		return llm.CodeServer
	case status >= 400:
		return llm.CodeRefused
	}
	return llm.CodeServer
}
