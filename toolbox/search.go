package toolbox

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"

	"fairlead/fault"
)

// finder finds the lines of a text that match an expression.
type finder struct {
	whole    *regexp.Regexp // over many lines: ^ and $ are line ends
	line     *regexp.Regexp // over one line
	literals []literal      // each matching line holds one; nil where that is not known
	fold     bool           // literals are looked for in lower case
	plain    bool           // the literal is the whole expression
	ascii    bool           // the expression names only ASCII characters
}

func newFinder(pattern string, ignoreCase bool) (*finder, error) {
	flags := ""
	if ignoreCase {
		flags = "(?i)"
	}
	line, err := regexp.Compile(flags + pattern)
	if err != nil {
		return nil, explainPattern(pattern, err)
	}
	whole, err := regexp.Compile("(?m)" + flags + pattern)
	if err != nil {
		return nil, explainPattern(pattern, err)
	}
	f := &finder{whole: whole, line: line, ascii: isASCII(pattern)}
	tree, err := syntax.Parse(flags+pattern, syntax.Perl)
	if err != nil {
		return nil, explainPattern(pattern, err)
	}
	tree = tree.Simplify()
	literals := required(tree)
	fold, ok := foldable(literals)
	if ok && len(literals) > 0 && literals[0].text != "" {
		f.literals, f.fold = literals, fold
		f.plain = tree.Op == syntax.OpLiteral && !fold
	}
	if fold {
		for i := range f.literals {
			f.literals[i].text = strings.ToLower(f.literals[i].text)
		}
	}
	return f, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// explainPattern says what is wrong with an expression and how to write it.
func explainPattern(pattern string, err error) error {
	hint := "Escape characters that are meant as they are with a backslash."
	text := err.Error()
	if e, ok := err.(*syntax.Error); ok {
		text = e.Code.String() + ": " + e.Expr
		switch e.Code {
		case syntax.ErrInvalidPerlOp:
			hint = "Lookaheads, lookbehinds and back references are not supported (RE2 syntax); search for a part and filter, or use several searches."
		case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
			hint = `A parenthesis meant as a character is written \( or \).`
		case syntax.ErrMissingBracket:
			hint = `A bracket meant as a character is written \[.`
		case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
			hint = `A *, + or ? meant as a character is written \*, \+ or \?.`
		case syntax.ErrInvalidEscape:
			hint = `Back references and unknown escapes are not supported (RE2 syntax).`
		case syntax.ErrInvalidRepeatSize:
			hint = "A repetition may be 1000 at most; write braces meant as characters as \\{ and \\}."
		}
	}
	return fault.New(fault.Invalid, "toolbox.grep", "The pattern %q is not valid: %s. %s", pattern, text, hint).WithCode("INVALID_PATTERN")
}

// span is a line in a text, without its end.
type span struct{ from, to int }

// lines calls yield for each line that matches, in order, until it returns false.
// scratch is used for a lower-cased copy and given back.
func (f *finder) lines(text []byte, scratch []byte, yield func(span) bool) []byte {
	if f.literals == nil || f.fold && mayFold(text) {
		f.scan(text, yield)
		return scratch
	}
	hay := text
	if f.fold {
		scratch = lowered(scratch, text)
		hay = scratch
	}
	next := make([]int, len(f.literals)) // where each stands next, len(hay) for nowhere
	for i, l := range f.literals {
		next[i] = indexFrom(hay, l.text, 0)
	}
	for {
		at := len(hay)
		for _, n := range next {
			at = min(at, n)
		}
		if at == len(hay) {
			return scratch
		}
		s := lineAround(text, at)
		if (f.plain || f.line.Match(trimCR(text[s.from:s.to]))) && !yield(s) {
			return scratch
		}
		for i, l := range f.literals {
			if next[i] < s.to+1 {
				next[i] = indexFrom(hay, l.text, min(s.to+1, len(hay)))
			}
		}
	}
}

// scan matches without literals.
func (f *finder) scan(text []byte, yield func(span) bool) {
	for from := 0; from < len(text); {
		m := f.whole.FindIndex(text[from:])
		if m == nil {
			return
		}
		at := from + m[0]
		if at >= len(text) {
			return
		}
		s := lineAround(text, at)
		if f.line.Match(trimCR(text[s.from:s.to])) && !yield(s) {
			return
		}
		from = s.to + 1
	}
}

func trimCR(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\r'}) }

func indexFrom(hay []byte, needle string, from int) int {
	if i := bytes.Index(hay[from:], []byte(needle)); i >= 0 {
		return from + i
	}
	return len(hay)
}

func lineAround(text []byte, at int) span {
	s := span{bytes.LastIndexByte(text[:at], '\n') + 1, len(text)}
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		s.to = at + end
	}
	return s
}

// lowered copies a text with its ASCII letters in lower case.
func lowered(scratch, text []byte) []byte {
	scratch = append(scratch[:0], text...)
	for i, c := range scratch {
		if c-'A' < 26 {
			scratch[i] = c | 0x20
		}
	}
	return scratch
}

// mayFold reports whether a text holds characters outside ASCII that fold to k or s.
func mayFold(text []byte) bool {
	return bytes.Contains(text, []byte("\u212A")) || bytes.Contains(text, []byte("\u017F"))
}
