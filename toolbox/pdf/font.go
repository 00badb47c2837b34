package pdf

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// font turns the bytes of shown strings into characters.
type font struct {
	wide    bool           // codes of two bytes
	unicode map[int]string // by code, as the file says; nil where it says nothing
	names   map[int]string // by code, from the font's own encoding
	mac     bool
	widths  map[int]float64 // by code, in thousandths of the font's size
	usual   float64         // width of all others
}

// loadFont reads what a font says of its characters.
func (f *file) loadFont(d dict) *font {
	t := &font{usual: 500, widths: map[int]float64{}}
	if f.get(d["Subtype"]) == name("Type0") {
		t.wide = true
		if below := f.list(d["DescendantFonts"]); len(below) > 0 {
			f.wideWidths(t, f.dict(below[0]))
		}
	} else if first, ok := f.get(d["FirstChar"]).(float64); ok {
		for i, v := range f.list(d["Widths"]) {
			if w, ok := f.get(v).(float64); ok {
				t.widths[int(first)+i] = w
			}
		}
	}
	if s, ok := f.get(d["ToUnicode"]).(stream); ok {
		t.unicode = parseCMap(f.decode(s))
	}
	switch e := f.get(d["Encoding"]).(type) {
	case name:
		t.mac = e == "MacRomanEncoding"
	case dict:
		t.mac = f.get(e["BaseEncoding"]) == name("MacRomanEncoding")
		code := 0
		t.names = map[int]string{}
		known := glyphs()
		for _, v := range f.list(e["Differences"]) {
			switch v := f.get(v).(type) {
			case float64:
				code = int(v)
			case name:
				if c := glyph(known, string(v)); c != "" {
					t.names[code] = c
				}
				code++
			}
		}
	}
	return t
}

// wideWidths reads the widths of a font with codes of two bytes (ISO 32000-1
// section 9.7.4.3): runs of "first [w w w]" or "first last w".
func (f *file) wideWidths(t *font, d dict) {
	t.usual = 1000
	if w, ok := f.get(d["DW"]).(float64); ok {
		t.usual = w
	}
	runs := f.list(d["W"])
	for i := 0; i+1 < len(runs); {
		first, ok := f.get(runs[i]).(float64)
		if !ok {
			return
		}
		if each := f.list(runs[i+1]); each != nil {
			for n, v := range each {
				if w, ok := f.get(v).(float64); ok {
					t.widths[int(first)+n] = w
				}
			}
			i += 2
			continue
		}
		if i+2 >= len(runs) {
			return
		}
		last, ok := f.get(runs[i+1]).(float64)
		w, ok2 := f.get(runs[i+2]).(float64)
		if !ok || !ok2 {
			return
		}
		for n := int(first); n <= int(last) && len(t.widths) < mostRange; n++ {
			t.widths[n] = w
		}
		i += 3
	}
}

// text decodes a shown string and says how wide it is, in parts of the font's size.
func (t *font) text(s str) (string, float64) {
	var b strings.Builder
	width := 0.0
	step := 1
	if t.wide {
		step = 2
	}
	for i := 0; i+step <= len(s); i += step {
		code := int(s[i])
		if t.wide {
			code = code<<8 | int(s[i+1])
		}
		if w, ok := t.widths[code]; ok {
			width += w / 1000
		} else {
			width += t.usual / 1000
		}
		if c, ok := t.unicode[code]; ok {
			b.WriteString(c)
			continue
		}
		if t.wide {
			continue // without a table nobody knows what the code means
		}
		if c, ok := t.names[code]; ok {
			b.WriteString(c)
			continue
		}
		table := charmap.Windows1252
		if t.mac {
			table = charmap.Macintosh
		}
		if r := table.DecodeByte(byte(code)); r >= ' ' && r != 0x7F {
			b.WriteRune(r)
		}
	}
	return b.String(), width
}

// mostRange bounds one range of a character map.
const mostRange = 1 << 16

// parseCMap reads a map from codes to characters (ISO 32000-1 section 9.10.3).
func parseCMap(data []byte) map[int]string {
	table := map[int]string{}
	s := &scanner{data: data}
	var stack []any
	for {
		v, ok := s.next(0)
		if !ok {
			return table
		}
		op, isOperator := v.(operator)
		if !isOperator {
			if len(stack) < mostRange {
				stack = append(stack, v)
			}
			continue
		}
		switch op {
		case "endbfchar":
			for i := 0; i+1 < len(stack); i += 2 {
				from, ok := stack[i].(str)
				to, ok2 := stack[i+1].(str)
				if ok && ok2 {
					table[code(from)] = utf16Text(to)
				}
			}
		case "endbfrange":
			for i := 0; i+2 < len(stack); i += 3 {
				addRange(table, stack[i], stack[i+1], stack[i+2])
			}
		}
		stack = stack[:0]
	}
}

func addRange(table map[int]string, low, high, to any) {
	from, ok := low.(str)
	until, ok2 := high.(str)
	if !ok || !ok2 || len(table) > mostRange {
		return
	}
	switch to := to.(type) {
	case str:
		text := []rune(utf16Text(to))
		if len(text) == 0 {
			return
		}
		for n := 0; n <= min(code(until)-code(from), mostRange); n++ {
			last := text[len(text)-1] + rune(n)
			table[code(from)+n] = string(text[:len(text)-1]) + string(last)
		}
	case list:
		for n, v := range to {
			if s, ok := v.(str); ok {
				table[code(from)+n] = utf16Text(s)
			}
		}
	}
}

func code(s str) int {
	n := 0
	for i := range min(len(s), 4) {
		n = n<<8 | int(s[i])
	}
	return n
}

func utf16Text(s str) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

// glyph gives the character of a glyph's name: a letter is its own, others are
// known, and there is the uniXXXX form.
func glyph(known map[string]string, n string) string {
	n, _, _ = strings.Cut(n, ".")
	if len(n) == 1 {
		return n
	}
	if c, ok := known[n]; ok {
		return c
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(n, prefix); ok && len(digits) >= 4 && len(digits) <= 6 {
			if v, err := strconv.ParseUint(digits, 16, 32); err == nil {
				return string(rune(v))
			}
		}
	}
	return ""
}

// glyphs are the names that texts use, as pairs of name and character.
func glyphs() map[string]string {
	const pairs = "space   exclam ! quotedbl \" numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk * plus + comma , hyphen - minus − period . slash / " +
		"zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \\ bracketright ] " +
		"asciicircum ^ underscore _ grave ` braceleft { bar | braceright } asciitilde ~ quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „ " +
		"endash – emdash — bullet • ellipsis … fi fi fl fl ff ff ffi ffi ffl ffl germandbls ß adieresis ä odieresis ö udieresis ü Adieresis Ä Odieresis Ö Udieresis Ü " +
		"eacute é egrave è ecircumflex ê edieresis ë aacute á agrave à acircumflex â atilde ã aring å ae æ ccedilla ç iacute í igrave ì icircumflex î idieresis ï ntilde ñ " +
		"oacute ó ograve ò ocircumflex ô otilde õ oslash ø oe œ uacute ú ugrave ù ucircumflex û yacute ý Eacute É Aring Å AE Æ Oslash Ø Ccedilla Ç Ntilde Ñ " +
		"section § copyright © registered ® trademark ™ degree ° plusminus ± multiply × divide ÷ mu µ Euro € sterling £ yen ¥ cent ¢ guillemotleft « guillemotright » " +
		"onehalf ½ onequarter ¼ threequarters ¾ dagger † daggerdbl ‡ paragraph ¶ periodcentered · exclamdown ¡ questiondown ¿ ordfeminine ª ordmasculine º"
	table := map[string]string{"space": " ", "nbspace": " "}
	words := strings.Fields(pairs)
	for i := 1; i+1 < len(words); i += 2 {
		table[words[i]] = words[i+1]
	}
	return table
}
