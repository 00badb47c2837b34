package toolbox

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

// output is what a child writes: cleaned, kept, and passed on while it comes.
type output struct {
	mu    sync.Mutex // guards the cleaner
	clean cleaner
	keep  capture
	first []byte // the start, raw: it tells what a binary output is
	// live passes text on; nil does not.
	live    func(string)
	passed  int
	partial []byte // the start of a character whose rest has not come
}

const (
	// liveMost is how much is passed on live; who wants more reads the result.
	liveMost = 1 << 20
	// sniffed is how much of the start is kept raw.
	sniffed = 512
)

func newOutput(live func(string)) *output {
	o := &output{live: live}
	o.clean.emit = o.take
	return o
}

// Write takes what the child wrote.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := sniffed - len(o.first); room > 0 {
		o.first = append(o.first, p[:min(room, len(p))]...)
	}
	return o.clean.Write(p)
}

// end says that nothing more comes.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clean.end()
}

func (o *output) close() { o.keep.close() }

// take gets what the cleaner passes on. The lock is held.
func (o *output) take(p []byte) {
	o.keep.write(p)
	if o.live == nil || o.passed > liveMost || o.clean.binary() {
		return
	}
	o.passed += len(p)
	o.partial = append(o.partial, p...)
	whole := len(o.partial) - incomplete(o.partial)
	text := visible(o.partial[:whole])
	o.partial = append(o.partial[:0], o.partial[whole:]...)
	if o.passed > liveMost {
		text += "\n[more follows; it is in the result]\n"
	}
	o.live(text)
}

// isBinary reports whether what came is no text, and if so which kind.
func (o *output) isBinary() (kind string, is bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.clean.binary() {
		return "", false
	}
	return http.DetectContentType(o.first), true
}

// decodable is how much output is looked at for other character sets than UTF-8.
const decodable = 1 << 20

// legible makes text of an output. Bytes that are not UTF-8 are decoded where they
// read as a language in another character set, which is named; else each is shown
// as \x and its number.
func legible(raw []byte) (text, charset string) {
	if utf8.Valid(raw) {
		return string(raw), ""
	}
	if len(raw) <= decodable && !damaged(raw) {
		if t, ok := file.Decode(raw); ok && utf8.ValidString(t.Body) && t.Code.Via != nil {
			return t.Body, t.Code.Name
		}
	}
	return visible(raw), ""
}

// damaged reports whether bytes are UTF-8 but for some.
func damaged(raw []byte) bool {
	good, bad := 0, 0
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		raw = raw[n:]
	}
	return good >= bad
}

// visible writes bytes that are no UTF-8 as \x and their number.
func visible(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	var b strings.Builder
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02X`, raw[0])
		} else {
			b.Write(raw[:n])
		}
		raw = raw[n:]
	}
	return b.String()
}

// cutView says what of an output is shown: bytes from the start and from the end,
// of a total of bytes and lines.
type cutView struct {
	Total     int64 `json:"total"`
	Lines     int64 `json:"lines"`
	ShownHead int   `json:"shownHead"`
	ShownTail int   `json:"shownTail"`
}

// excerpt is the part of an output that a model gets at once.
type excerpt struct {
	text  string
	cut   *cutView
	spill *session.BlobRef
}

// excerpt gives the output for the model: whole where it is short, else its first
// and last part, with the whole kept beside the log.
func (o *output) excerpt(ctx context.Context, call *tool.Call) (excerpt, error) {
	size, lines, kept := o.keep.measure()
	if kind, is := o.isBinary(); is {
		return excerpt{text: fmt.Sprintf("[binary output, %s, %s; not shown. To use it, write it to a file.]", file.ByteCount(o.bytes()), kind)}, nil
	}
	raw, err := o.keep.read(0, kept)
	if err != nil {
		return excerpt{}, err
	}
	text, charset := legible(raw)
	if size <= shownHead+shownTail {
		return excerpt{text: decodedFrom(text, charset)}, nil
	}
	ref, err := call.Keep(ctx, text)
	if err != nil {
		return excerpt{}, err
	}
	e := excerpt{spill: &ref}
	head := text[:cutAfterLine(text, shownHead)]
	tail := visible(o.keep.last())
	if size == kept {
		tail = text[max(len(head), len(text)-shownTail):]
	}
	tail = tail[cutBeforeLine(tail):]
	e.cut = &cutView{Total: size, Lines: lines, ShownHead: len(head), ShownTail: len(tail)}
	from := strings.Count(head, "\n") + 1
	note := fmt.Sprintf("[%s left out, from line %d on; all of the output has %s and %s. Read on: read with path %q and offset %d]",
		file.ByteCount(max(0, size-int64(len(head))-int64(len(tail)))), from, file.ByteCount(size), plural(int(lines), "line"), tool.Locator(ref), from)
	if size > kept {
		note = note[:len(note)-1] + fmt.Sprintf("; only the first %s are kept]", file.ByteCount(kept))
	}
	e.text = decodedFrom(strings.TrimSuffix(head, "\n")+"\n"+note+"\n"+tail, charset)
	return e, nil
}

// bytes is how much came, raw.
func (o *output) bytes() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.clean.total
}

func decodedFrom(text, charset string) string {
	if charset == "" {
		return text
	}
	return strings.TrimSuffix(text, "\n") + "\n[the output was read as " + charset + "]"
}

// cutAfterLine gives the end of the last whole line within the first n bytes, or of
// the last whole character where the line is longer.
func cutAfterLine(s string, n int) int {
	n = min(n, len(s))
	if i := strings.LastIndexByte(s[:n], '\n'); i >= 0 {
		return i + 1
	}
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// cutBeforeLine gives the start of the first whole line, or of the first whole
// character where there is no line end.
func cutBeforeLine(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 && i+1 < len(s) {
		return i + 1
	}
	n := 0
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}
