package file

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

// Text is the content of a text file together with what is needed to write it
// back: Decode and Encode are exact inverses for the bytes that were read, so an
// edit leaves every byte outside it as it was.
type Text struct {
	// Body is the content in UTF-8, with the line ends of the file. In a file that
	// is UTF-8 but for some damaged bytes it holds these bytes as they are.
	Body string
	Code Charset
	BOM  bool // begins with the byte order mark of Code
	// Rendered marks a text that was made of a file that is more than text.
	Rendered bool
}

// Charset is how text stands for bytes.
type Charset struct {
	Name string // as people call it
	Mark []byte // its byte order mark, where it has one
	Via  encoding.Encoding
}

// Charsets are those that are recognised. A nil Via is UTF-8: bytes are the text.
func Charsets() (utf8Set, utf16le, utf16be, latin1, windows1252, gb18030, shiftJIS Charset) {
	return Charset{"UTF-8", []byte{0xEF, 0xBB, 0xBF}, nil},
		Charset{"UTF-16 LE", []byte{0xFF, 0xFE}, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		Charset{"UTF-16 BE", []byte{0xFE, 0xFF}, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		Charset{"Latin-1", nil, charmap.ISO8859_1},
		Charset{"Windows-1252", nil, charmap.Windows1252},
		Charset{"GB18030", nil, simplifiedchinese.GB18030},
		Charset{"Shift-JIS", nil, japanese.ShiftJIS}
}

// judged is how much of a text is looked at to tell languages apart, in bytes.
const judged = 64 << 10

// Decode recognises the character set of a file's bytes. ok is false for what is
// no text. Where several sets fit, the one is taken in which the text reads most
// like a language; all of those give the same bytes back.
func Decode(raw []byte) (t Text, ok bool) {
	utf8Set, utf16le, utf16be, latin1, windows1252, gb18030, shiftJIS := Charsets()
	for _, c := range []Charset{utf8Set, utf16le, utf16be} {
		if rest, marked := bytes.CutPrefix(raw, c.Mark); marked {
			t, exact := c.exactly(rest)
			t.BOM = true
			return t, exact && isText(t.Body)
		}
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		c, likely := unmarkedUTF16(raw, utf16le, utf16be)
		if !likely {
			return Text{}, false
		}
		t, exact := c.exactly(raw)
		return t, exact && isText(t.Body)
	}
	if utf8.Valid(raw) {
		return Text{Body: string(raw), Code: utf8Set}, isText(string(raw))
	}
	best, most := Text{}, -2.0
	for _, c := range []Charset{windows1252, latin1, gb18030, shiftJIS} {
		if t, exact := c.exactly(raw); exact {
			if score := c.likeness(t.Body[:min(len(t.Body), judged)]); score > most {
				best, most = t, score
			}
		}
	}
	if damagedUTF8(raw) {
		best = Text{Body: string(raw), Code: utf8Set}
	}
	return best, isText(best.Body)
}

// exactly decodes bytes; exact is false where encoding them again would give others.
func (c Charset) exactly(raw []byte) (t Text, exact bool) {
	if c.Via == nil {
		return Text{Body: string(raw), Code: c}, utf8.Valid(raw)
	}
	body, err := c.Via.NewDecoder().Bytes(raw)
	if err != nil {
		return Text{}, false
	}
	back, err := c.Via.NewEncoder().Bytes(body)
	return Text{Body: string(body), Code: c}, err == nil && bytes.Equal(back, raw)
}

// Encode gives the bytes for a new body in the same character set, with the mark
// that the file had. It fails, naming the character, where the set lacks one.
func (t Text) Encode(body string) ([]byte, error) {
	var out []byte
	if t.BOM {
		out = append(out, t.Code.Mark...)
	}
	if t.Code.Via == nil {
		return append(out, body...), nil
	}
	encoded, err := t.Code.Via.NewEncoder().Bytes([]byte(body))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "file.encode", err, "The file is in %s, which has no %s. Nothing was changed; leave such characters out.", t.Code.Name, t.missing(body)).WithCode("NOT_ENCODABLE")
	}
	return append(out, encoded...), nil
}

// missing names the first character that the set lacks.
func (t Text) missing(body string) string {
	for _, r := range body {
		if _, err := t.Code.Via.NewEncoder().String(string(r)); err != nil {
			return fmt.Sprintf("%q (%U)", r, r)
		}
	}
	return "such character"
}

// unmarkedUTF16 recognises UTF-16 without a mark by its many zero bytes, almost all
// on one side.
func unmarkedUTF16(raw []byte, le, be Charset) (Charset, bool) {
	if len(raw) < 4 || len(raw)%2 != 0 {
		return Charset{}, false
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
	return Charset{}, false
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
func (c Charset) likeness(body string) float64 {
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

func (c Charset) plausible(r, before rune) float64 {
	switch c.Name {
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

// Kept says how a text is kept, where that is worth a word.
func (t Text) Kept() string {
	if t.Rendered {
		return "shown as text, the file itself is not"
	}
	if t.Code.Via == nil && !t.BOM {
		return ""
	}
	if t.BOM {
		return t.Code.Name + " with a byte order mark"
	}
	return t.Code.Name
}
