package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"regexp"
	"strconv"
	"sync"
)

// Limits of one file.
const (
	mostObjects  = 200_000
	mostInflated = 128 << 20 // bytes of all streams together
)

// stream is a dictionary with bytes, still encoded.
type stream struct {
	dict dict
	raw  []byte
}

// file is the objects of a PDF file by number.
type file struct {
	objects   map[ref]any
	root      any // the catalog, as the last trailer names it
	encrypted bool
	inflated  int
}

var objectHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s>])(\d{1,9})\s+(\d{1,5})\s+obj\b`)
})

// parse finds the objects of a file. Later ones replace earlier ones, as updates do.
func parse(data []byte) *file {
	f := &file{objects: map[ref]any{}}
	// Broken objects are read again from the next one on; a file of nothing else must
	// not cost the square of its length.
	effort := 8*len(data) + 1<<20
	for at := 0; len(f.objects) < mostObjects && effort > 0; {
		m := objectHead().FindSubmatchIndex(data[at:])
		if m == nil {
			break
		}
		number, err := strconv.Atoi(string(data[at+m[2] : at+m[3]]))
		s := &scanner{data: data, at: at + m[1]}
		at = s.at
		value, ok := s.next(0)
		effort -= s.at - at
		if err != nil || !ok {
			continue
		}
		if d, isDict := value.(dict); isDict {
			if body, end, has := f.streamBody(data, s.at, d); has {
				f.objects[ref(number)] = stream{d, body}
				at = end
				continue
			}
		}
		f.objects[ref(number)] = value
		at = max(at, s.at)
	}
	f.encrypted = encryptEntry().Match(data)
	if all := rootEntry().FindAllSubmatch(data, -1); all != nil {
		if number, err := strconv.Atoi(string(all[len(all)-1][1])); err == nil {
			f.root = ref(number)
		}
	}
	for _, o := range f.objects {
		if s, ok := o.(stream); ok && s.dict["Type"] == name("ObjStm") {
			f.unpack(s)
		}
	}
	return f
}

// Entries of trailers, wherever they stand.
var (
	encryptEntry = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`/Encrypt\s+(?:\d+\s+\d+\s+R|<<)`)
	})
	rootEntry = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`/Root\s+(\d{1,9})\s+\d{1,5}\s+R`)
	})
)

// streamBody gives the bytes between "stream" and "endstream".
func (f *file) streamBody(data []byte, at int, d dict) (body []byte, end int, ok bool) {
	s := &scanner{data: data, at: at}
	s.skipSpace()
	rest := data[s.at:]
	if !bytes.HasPrefix(rest, []byte("stream")) {
		return nil, at, false
	}
	start := s.at + len("stream")
	if start < len(data) && data[start] == '\r' {
		start++
	}
	if start < len(data) && data[start] == '\n' {
		start++
	}
	if n, isNumber := d["Length"].(float64); isNumber && n >= 0 && start+int(n) <= len(data) {
		end = start + int(n)
		after := bytes.TrimLeft(data[end:min(len(data), end+16)], "\r\n ")
		if bytes.HasPrefix(after, []byte("endstream")) {
			return data[start:end], end, true
		}
	}
	n := bytes.Index(data[start:], []byte("endstream"))
	if n < 0 {
		return data[start:], len(data), true
	}
	return data[start : start+n], start + n, true
}

// unpack adds the objects that stand in an object stream.
func (f *file) unpack(s stream) {
	body := f.decode(s)
	n, _ := s.dict["N"].(float64)
	first, _ := s.dict["First"].(float64)
	head := &scanner{data: body}
	for range min(int(n), mostObjects) {
		number, ok := head.next(0)
		offset, ok2 := head.next(0)
		id, isNumber := number.(float64)
		from, isNumber2 := offset.(float64)
		at := int(first) + int(from)
		if !ok || !ok2 || !isNumber || !isNumber2 || at < 0 || at >= len(body) || len(f.objects) >= mostObjects {
			return
		}
		if _, known := f.objects[ref(id)]; known {
			continue // an update stands in the file itself
		}
		if v, ok := (&scanner{data: body, at: at}).next(0); ok {
			f.objects[ref(id)] = v
		}
	}
}

// get follows references.
func (f *file) get(v any) any {
	for range 32 {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = f.objects[r]
	}
	return nil
}

// dict gives a dictionary, also that of a stream.
func (f *file) dict(v any) dict {
	switch v := f.get(v).(type) {
	case dict:
		return v
	case stream:
		return v.dict
	}
	return nil
}

func (f *file) list(v any) list {
	l, _ := f.get(v).(list)
	return l
}

// decode undoes the filters of a stream; what it cannot undo gives nothing.
func (f *file) decode(s stream) []byte {
	filters := f.list(s.dict["Filter"])
	if n, ok := f.get(s.dict["Filter"]).(name); ok {
		filters = list{n}
	}
	body := s.raw
	for _, filter := range filters {
		switch f.get(filter) {
		case name("FlateDecode"), name("Fl"):
			body = f.inflate(body)
		case name("ASCIIHexDecode"), name("AHx"):
			body = []byte((&scanner{data: append([]byte("<"), body...)}).hex())
		case name("ASCII85Decode"), name("A85"):
			body = decode85(body)
		default:
			return nil // pictures, and encodings nobody uses for text
		}
	}
	return body
}

// inflate gives what can be read, also of a stream that is cut.
func (f *file) inflate(body []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	defer r.Close()
	out, err := io.ReadAll(io.LimitReader(r, int64(mostInflated-f.inflated)))
	f.inflated += len(out)
	if err != nil && len(out) == 0 {
		return nil
	}
	return out
}

func decode85(body []byte) []byte {
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("<~"))
	if end := bytes.Index(body, []byte("~>")); end >= 0 {
		body = body[:end]
	}
	out := make([]byte, len(body)+8)
	n, _, err := ascii85.Decode(out, body, true)
	if err != nil {
		return nil
	}
	return out[:n]
}
