package session

import (
	"bytes"
	"encoding/json"
	"io"

	"fairlead/fault"
)

const (
	// longestLine is more than any line this room writes; longer ones are skipped
	// without being held in memory.
	longestLine = 1 << 20
	// mostTries is how many places of a damaged line are looked at for an event.
	mostTries  = 64
	firstBlock = 16 << 10
	largeBlock = 256 << 10
)

// lineScanner reads lines of a log between two offsets. Each block is read into
// memory of its own, so that a line stays valid.
type lineScanner struct {
	r     io.ReaderAt
	buf   []byte // read and not taken yet
	base  int64  // offset of buf's first byte
	end   int64
	block int
}

// rawLine is a line without its newline. Text is nil where it is too long.
type rawLine struct {
	text       []byte
	start, end int64
	whole      bool // a newline ends it
}

func scanLines(r io.ReaderAt, from, end int64) *lineScanner {
	return &lineScanner{r: r, base: from, end: end, block: firstBlock}
}

// next gives the next line, io.EOF after the last.
func (s *lineScanner) next() (rawLine, error) {
	searched := 0
	skipped := int64(0)
	start := s.base
	for {
		if i := bytes.IndexByte(s.buf[searched:], '\n'); i >= 0 {
			i += searched
			l := rawLine{text: s.buf[:i], start: start, end: s.base + int64(i) + 1, whole: true}
			s.buf, s.base = s.buf[i+1:], l.end
			if skipped > 0 {
				l.text = nil
			}
			return l, nil
		}
		searched = len(s.buf)
		if searched > longestLine {
			skipped += int64(searched)
			s.base += int64(searched)
			s.buf, searched = nil, 0
		}
		if s.base+int64(len(s.buf)) >= s.end {
			break
		}
		if err := s.fill(); err != nil {
			return rawLine{}, err
		}
	}
	if len(s.buf) == 0 && skipped == 0 {
		return rawLine{}, io.EOF
	}
	l := rawLine{text: s.buf, start: start, end: s.base + int64(len(s.buf))}
	if skipped > 0 {
		l.text = nil
	}
	s.base, s.buf = l.end, nil
	return l, nil
}

func (s *lineScanner) fill() error {
	have := len(s.buf)
	at := s.base + int64(have)
	n := int(min(int64(s.block), s.end-at))
	s.block = min(2*s.block, largeBlock)
	block := make([]byte, have+n)
	copy(block, s.buf)
	got, err := s.r.ReadAt(block[have:], at)
	if got == 0 {
		if err == nil || err == io.EOF {
			// The file is shorter than it was said to be.
			s.end = at
			return nil
		}
		return fault.Wrap(fault.Unavailable, "session.read", err, "The session's log could not be read. Nothing was changed; check the disk and try again.").WithCode(CodeDiskError)
	}
	s.buf = block[:have+got]
	return nil
}

// found is an event in a log and where it stands.
type found struct {
	Event
	body       []byte // what the hash covers
	start, end int64
	sound      bool // in the exact layout this room writes
	salvaged   bool // taken out of a line that is no event as a whole
}

// events gives the events of one line: one, or where the line is damaged those
// that can still be made out in it.
func (l rawLine) events(dst []found, known names) []found {
	text := l.text
	if e, body, sound, ok := parseLine(text, known); ok {
		return append(dst, found{Event: e, body: body, start: l.start, end: l.end, sound: sound})
	}
	for at, tries := 0, 0; tries < mostTries; tries++ {
		i := bytes.Index(text[at:], []byte(`{"seq":`))
		if i < 0 {
			return dst
		}
		at += i
		n, ok := objectLength(text[at:])
		if !ok {
			at++
			continue
		}
		piece := text[at : at+n]
		if e, body, sound, ok := parseLine(piece, known); ok && len(e.Hash) == hashDigits {
			end := l.start + int64(at+n)
			if at+n == len(text) {
				end = l.end
			}
			dst = append(dst, found{Event: e, body: body, start: l.start + int64(at), end: end, sound: sound, salvaged: true})
			at += n
			continue
		}
		at++
	}
	return dst
}

// objectLength gives the length of the JSON object that text begins with.
func objectLength(text []byte) (int, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	var skip json.RawMessage
	if d.Decode(&skip) != nil {
		return 0, false
	}
	return int(d.InputOffset()), true
}
