package toolbox

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"fairlead/fault"
)

// text is the content of a text file together with what is needed to write it
// back: decode and encode are exact inverses for the bytes that were read, so an
// edit leaves every byte outside it as it was.
type text struct {
	// body is the content in UTF-8, with the line ends of the file. In a file that
	// is UTF-8 but for some damaged bytes it holds these bytes as they are.
	body string
	code charset
	bom  bool
	// rendered marks a text that was made of a file that is more than text.
	rendered bool
}

// charset is how text stands for bytes.
type charset struct {
	name string // as people call it
	mark []byte // its byte order mark, where it has one
	via  encoding.Encoding
}

// The character sets that are recognised. A nil via is UTF-8: bytes are the text.
func charsets() (utf8Set, utf16le, utf16be, latin1, windows1252, gb18030, shiftJIS charset) {
	return charset{"UTF-8", []byte{0xEF, 0xBB, 0xBF}, nil},
		charset{"UTF-16 LE", []byte{0xFF, 0xFE}, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		charset{"UTF-16 BE", []byte{0xFE, 0xFF}, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		charset{"Latin-1", nil, charmap.ISO8859_1},
		charset{"Windows-1252", nil, charmap.Windows1252},
		charset{"GB18030", nil, simplifiedchinese.GB18030},
		charset{"Shift-JIS", nil, japanese.ShiftJIS}
}

// judged is how much of a text is looked at to tell languages apart, in bytes.
const judged = 64 << 10

// decode recognises the character set of a file's bytes. ok is false for what is
// no text. Where several sets fit, the one is taken in which the text reads most
// like a language; all of those give the same bytes back.
func decode(raw []byte) (t text, ok bool) {
	utf8Set, utf16le, utf16be, latin1, windows1252, gb18030, shiftJIS := charsets()
	for _, c := range []charset{utf8Set, utf16le, utf16be} {
		if rest, marked := bytes.CutPrefix(raw, c.mark); marked {
			t, exact := c.exactly(rest)
			t.bom = true
			return t, exact && isText(t.body)
		}
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		c, likely := unmarkedUTF16(raw, utf16le, utf16be)
		if !likely {
			return text{}, false
		}
		t, exact := c.exactly(raw)
		return t, exact && isText(t.body)
	}
	if utf8.Valid(raw) {
		return text{body: string(raw), code: utf8Set}, isText(string(raw))
	}
	best, most := text{}, -2.0
	for _, c := range []charset{windows1252, latin1, gb18030, shiftJIS} {
		if t, exact := c.exactly(raw); exact {
			if score := c.likeness(t.body[:min(len(t.body), judged)]); score > most {
				best, most = t, score
			}
		}
	}
	if damagedUTF8(raw) {
		best = text{body: string(raw), code: utf8Set}
	}
	return best, isText(best.body)
}

// exactly decodes bytes; exact is false where encoding them again would give others.
func (c charset) exactly(raw []byte) (t text, exact bool) {
	if c.via == nil {
		return text{body: string(raw), code: c}, utf8.Valid(raw)
	}
	body, err := c.via.NewDecoder().Bytes(raw)
	if err != nil {
		return text{}, false
	}
	back, err := c.via.NewEncoder().Bytes(body)
	return text{body: string(body), code: c}, err == nil && bytes.Equal(back, raw)
}

// encode gives the bytes for a new body in the same character set, with the mark
// that the file had. It fails, naming the character, where the set lacks one.
func (t text) encode(body string) ([]byte, error) {
	var out []byte
	if t.bom {
		out = append(out, t.code.mark...)
	}
	if t.code.via == nil {
		return append(out, body...), nil
	}
	encoded, err := t.code.via.NewEncoder().Bytes([]byte(body))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "toolbox.encode", err, "The file is in %s, which has no %s. Nothing was changed; leave such characters out.", t.code.name, t.missing(body)).WithCode("NOT_ENCODABLE")
	}
	return append(out, encoded...), nil
}

// missing names the first character that the set lacks.
func (t text) missing(body string) string {
	for _, r := range body {
		if _, err := t.code.via.NewEncoder().String(string(r)); err != nil {
			return fmt.Sprintf("%q (%U)", r, r)
		}
	}
	return "such character"
}

// unmarkedUTF16 recognises UTF-16 without a mark by its many zero bytes, almost all
// on one side.
func unmarkedUTF16(raw []byte, le, be charset) (charset, bool) {
	if len(raw) < 4 || len(raw)%2 != 0 {
		return charset{}, false
	}
	var zeros [2]int
	sample := raw[:min(len(raw), 4096)]
	for i, b := range sample {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(sample) / 2
	switch {
	case zeros[0]*8 <= zeros[1] && zeros[1]*3 > half:
		return le, true
	case zeros[1]*8 <= zeros[0] && zeros[0]*3 > half:
		return be, true
	}
	return charset{}, false
}

// damagedUTF8 reports whether bytes are UTF-8 but for a few: most of what is not
// ASCII forms whole characters of three bytes and more, which no other set does
// by chance.
func damagedUTF8(raw []byte) bool {
	long, broken := 0, 0
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case r == utf8.RuneError && n == 1:
			broken++
		case n > 2:
			long += 2
		case n == 2:
			long++
		}
		raw = raw[n:]
	}
	return long > 8*broken
}

// isText reports whether decoded content has no control characters that texts do
// not have, but for a few stray ones.
func isText(body string) bool {
	odd := 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == 0:
			return false
		case c == 0xC2 && i+1 < len(body) && body[i+1] < 0xA0:
			odd++
		case c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != '\b' && c != 0x1b && c != 0x1a:
			odd++
		}
	}
	return odd*20 <= len(body)
}

// likeness says how much the non-ASCII part of a text reads like the language that
// is written in this set; 1 is as much as can be.
func (c charset) likeness(body string) float64 {
	all, points := 0, 0.0
	before := rune(' ')
	for _, r := range body {
		if r >= 0x80 {
			all++
			points += c.plausible(r, before)
		}
		before = r
	}
	if all == 0 {
		return 0
	}
	return points / float64(all)
}

func (c charset) plausible(r, before rune) float64 {
	switch c.name {
	case "GB18030":
		switch {
		case commonHan(r):
			return 0.8
		case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E || strings.ContainsRune("“”‘’—…·", r):
			return 0.8
		case r >= 0x4E00 && r <= 0x9FFF:
			return 0.2
		}
		return 0
	case "Shift-JIS":
		switch {
		case r >= 0x3040 && r <= 0x30FF:
			return 1
		case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E:
			return 0.8
		case r >= 0x4E00 && r <= 0x9FFF:
			return 0.7
		}
		return 0 // half-width kana too: other sets look like rows of them
	}
	switch {
	case r < 0xA0:
		return -1 // control characters
	case r >= 0xC0 && r <= 0xFF && r != 0xD7 && r != 0xF7:
		if before >= 0xC0 && before <= 0xFF {
			return 0.1 // two in a row are rare in the languages that use the set
		}
		return 0.75
	case strings.ContainsRune("«»°§£©®±µ·½¼¾²³¿¡ª º€’‘“”–—…•™", r):
		return 0.75
	}
	return 0.1
}

// commonHan reports whether a character is among those of GB 2312, which make up
// almost every Chinese text.
func commonHan(r rune) bool {
	if r < 0x4E00 || r > 0x9FFF {
		return false
	}
	b, err := simplifiedchinese.HZGB2312.NewEncoder().String(string(r))
	return err == nil && b != ""
}

// name says how a text is kept, where that is worth a word.
func (t text) kept() string {
	if t.rendered {
		return "shown as text, the file itself is not"
	}
	if t.code.via == nil && !t.bom {
		return ""
	}
	if t.bom {
		return t.code.name + " with a byte order mark"
	}
	return t.code.name
}
