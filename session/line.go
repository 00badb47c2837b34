package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strconv"
)

// A line ends in its hash: `,"h":"` + 32 hex digits + `"}`.
const (
	hashKey    = `,"h":"`
	hashDigits = 32
	hashTail   = len(hashKey) + hashDigits + len(`"}`)
)

// chainer computes the hashes that chain lines. It is not safe for concurrent use.
type chainer struct {
	h    hash.Hash
	prev []byte // scratch
	sum  [sha256.Size]byte
	hex  [hashDigits]byte
}

func newChainer() *chainer { return &chainer{h: sha256.New()} }

// next gives the hash of a line: the first 32 hex digits of SHA-256 over the
// previous hash and the line's bytes up to its own. It is valid until the next call.
func (c *chainer) next(prev string, body []byte) []byte {
	c.h.Reset()
	c.prev = append(c.prev[:0], prev...)
	c.h.Write(c.prev)
	c.h.Write(body)
	c.h.Sum(c.sum[:0])
	hex.Encode(c.hex[:], c.sum[:hashDigits/2])
	return c.hex[:]
}

// appendLine appends the event's line with its newline to dst and sets the
// event's hash.
func (c *chainer) appendLine(dst []byte, e *Event, prev string) []byte {
	start := len(dst)
	dst = e.appendBody(dst)
	e.Hash = string(c.next(prev, dst[start:]))
	return e.appendHash(dst)
}

// AppendLine appends the event as one line of JSON with its newline to dst, as the
// log writes it; a payload that was filled in stands in the place of its blob.
func (e *Event) AppendLine(dst []byte) []byte {
	whole := *e
	if e.Blob != nil && len(e.Data) != 0 {
		// Content that came from elsewhere may hold line ends, or be no JSON at all.
		var one bytes.Buffer
		if json.Compact(&one, e.Data) == nil {
			whole.Blob, whole.Data = nil, one.Bytes()
		}
	}
	return whole.appendHash(whole.appendBody(dst))
}

func (e *Event) appendHash(dst []byte) []byte {
	dst = append(dst, hashKey...)
	dst = append(dst, e.Hash...)
	return append(dst, "\"}\n"...)
}

// appendBody appends the event's line up to its hash.
func (e *Event) appendBody(dst []byte) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, e.Seq, 10)
	dst = append(dst, `,"at":`...)
	dst = strconv.AppendInt(dst, e.At, 10)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, e.Type...)
	dst = append(dst, '"')
	if e.Turn != 0 {
		dst = append(dst, `,"turn":`...)
		dst = strconv.AppendInt(dst, int64(e.Turn), 10)
	}
	if e.Step != 0 {
		dst = append(dst, `,"step":`...)
		dst = strconv.AppendInt(dst, int64(e.Step), 10)
	}
	if e.Ignorable {
		dst = append(dst, `,"ignorable":true`...)
	}
	switch {
	case e.Blob != nil:
		dst = append(dst, `,"blob":{"sha256":"`...)
		dst = append(dst, e.Blob.SHA256...)
		dst = append(dst, `","size":`...)
		dst = strconv.AppendInt(dst, e.Blob.Size, 10)
		dst = append(dst, '}')
	case len(e.Data) != 0:
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return dst
}

// parseLine reads a line without its newline. Body is what the hash covers. The
// event's Data is a part of line. A line as this room writes it is read without
// checking the payload, which its hash vouches for; sound says whether it was
// such a line. Any other line that is a JSON object with a seq and a type is read
// the slow way. ok is false for everything else.
func parseLine(line []byte, known names) (e Event, body []byte, sound, ok bool) {
	if e, body, ok = parseOwn(line, known); ok {
		return e, body, true, true
	}
	if err := json.Unmarshal(line, &e); err != nil || e.Seq <= 0 || e.Type == "" {
		return Event{}, nil, false, false
	}
	body = line
	if i := bytes.LastIndex(line, []byte(hashKey[:len(hashKey)-1])); i >= 0 {
		body = line[:i]
	}
	return e, body, false, true
}

// parseOwn reads the exact layout that appendLine writes.
func parseOwn(line []byte, known names) (e Event, body []byte, ok bool) {
	cut := len(line) - hashTail
	if cut < 0 || string(line[cut:cut+len(hashKey)]) != hashKey || string(line[len(line)-2:]) != `"}` {
		return e, nil, false
	}
	body = line[:cut]
	e.Hash = string(line[cut+len(hashKey) : cut+len(hashKey)+hashDigits])
	p := reader{rest: body}
	e.Seq = p.number(`{"seq":`)
	e.At = p.number(`,"at":`)
	e.Type = known.text(p.word(`,"type":"`))
	if p.bad || e.Seq <= 0 || e.Type == "" {
		return e, nil, false
	}
	if p.has(`,"turn":`) {
		e.Turn = int(p.number(``))
	}
	if p.has(`,"step":`) {
		e.Step = int(p.number(``))
	}
	e.Ignorable = p.has(`,"ignorable":true`)
	switch {
	case p.has(`,"data":`):
		e.Data = json.RawMessage(p.rest)
	case p.has(`,"blob":`):
		e.Blob = &BlobRef{}
		if json.Unmarshal(p.rest, e.Blob) != nil {
			return e, nil, false
		}
	case len(p.rest) != 0:
		return e, nil, false
	}
	return e, body, !p.bad
}

// reader takes the parts of an envelope off its front.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) has(prefix string) bool {
	if len(r.rest) >= len(prefix) && string(r.rest[:len(prefix)]) == prefix {
		r.rest = r.rest[len(prefix):]
		return true
	}
	return false
}

func (r *reader) number(prefix string) int64 {
	if !r.has(prefix) {
		r.bad = true
		return 0
	}
	var n int64
	i := 0
	for i < len(r.rest) && i < 18 && r.rest[i]-'0' <= 9 {
		n = n*10 + int64(r.rest[i]-'0')
		i++
	}
	if i == 0 {
		r.bad = true
	}
	r.rest = r.rest[i:]
	return n
}

func (r *reader) word(prefix string) []byte {
	end := -1
	if r.has(prefix) {
		end = bytes.IndexByte(r.rest, '"')
	}
	if end < 0 {
		r.bad = true
		return nil
	}
	w := r.rest[:end]
	r.rest = r.rest[end+1:]
	if bytes.IndexByte(w, '\\') >= 0 {
		r.bad = true
	}
	return w
}

// wordIf is word for something that may be left out.
func (r *reader) wordIf(prefix string) []byte {
	if !bytes.HasPrefix(r.rest, []byte(prefix)) {
		return nil
	}
	return r.word(prefix)
}

// object passes over the rest of an object that was entered; false where it has no end.
func (r *reader) object() bool {
	for depth := 1; depth > 0; {
		i := bytes.IndexAny(r.rest, `"{}`)
		if i < 0 {
			return false
		}
		c := r.rest[i]
		r.rest = r.rest[i+1:]
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			for {
				i := bytes.IndexAny(r.rest, `"\\`)
				if i < 0 || r.rest[i] == '\\' && i+1 >= len(r.rest) {
					return false
				}
				if r.rest[i] == '"' {
					r.rest = r.rest[i+1:]
					break
				}
				r.rest = r.rest[i+2:]
			}
		}
	}
	return true
}

// names lets the kinds of a long log share their names. A nil one makes each anew.
type names map[string]string

func (n names) text(w []byte) string {
	if s, ok := n[string(w)]; ok {
		return s
	}
	return string(w)
}
