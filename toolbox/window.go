package toolbox

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func skipLines(s string, n int) string {
	for range n {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}

// window is a text from some line and column on.
type window struct {
	rest   string
	line   int
	column int
	end    bool // rest goes to the end of the file
}

// skip moves to the window's column in its first line.
func (w *window) skip() bool {
	for range w.column - 1 {
		r, n := utf8.DecodeRuneInString(w.rest)
		if n == 0 || r == '\n' {
			return false
		}
		w.rest = w.rest[n:]
	}
	return w.rest != "" && w.rest[0] != '\n'
}

// rendered is the numbered text of a range.
type rendered struct {
	strings.Builder
	to   int  // last line in it
	done bool // it reaches the end of the text
}

func (o *rendered) add(line string) {
	if line == "" {
		return
	}
	if o.Len() > 0 {
		o.WriteByte('\n')
	}
	o.WriteString(line)
}

// render writes lines until a limit; a line is in it whole, or cut with a word
// about how to go on.
func (w window) render(limit int) *rendered {
	o := &rendered{to: w.line - 1}
	rest := w.rest
	for n := 0; n < limit && rest != ""; n++ {
		line, after, ended := strings.Cut(rest, "\n")
		line = strings.TrimSuffix(line, "\r")
		if !ended && !w.end && len(line) <= lineChars*utf8.UTFMax {
			return o // its end was not loaded
		}
		column := 1
		label := fmt.Sprintf("%d→", w.line+n)
		if n == 0 && w.column > 1 {
			column = w.column
			label = fmt.Sprintf("%d:%d→", w.line, column)
		}
		shown, left := cutLine(line, n == 0 && w.column > 1)
		if left {
			next := column + utf8.RuneCountInString(shown)
			shown += fmt.Sprintf("… [line %d goes on with %s characters; read offset %d column %d]", w.line+n, grouped(utf8.RuneCountInString(line[len(shown):])), w.line+n, next)
		}
		if o.Len() > 0 && o.Len()+len(label)+len(shown) > readBytes {
			return o
		}
		o.add(label + shown)
		o.to = w.line + n
		rest = after
	}
	o.done = rest == "" && w.end
	return o
}

// cutLine gives what is shown of a line and whether that is not all.
func cutLine(line string, alone bool) (string, bool) {
	if alone {
		if len(line) <= columnBytes {
			return line, false
		}
		cut := columnBytes
		for cut > columnBytes/2 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		return line[:cut], true
	}
	if len(line) <= lineChars || utf8.RuneCountInString(line) <= lineChars {
		return line, false
	}
	chars := 0
	for i := range line {
		if chars == lineChars {
			return line[:i], true
		}
		chars++
	}
	return line, false
}
