package toolbox

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"fairlead/tool/file"
)

// mark is a matching line with its number.
type mark struct {
	at   span
	line int
}

// hitLine is a line of an answer: a match, or one around it.
type hitLine struct {
	text  string
	match bool
}

// render writes matching lines with those around them, each once.
func (s *search) render(text []byte, marks []mark) []hitLine {
	var lines []hitLine
	written := 0 // number of the last line
	around := func(number, from int) int {
		at := lineAround(text, from)
		lines = append(lines, hitLine{text: strconv.Itoa(number) + "-" + clip(readable(trimCR(text[at.from:at.to])), foundChars)})
		return at.to + 1
	}
	for i, m := range marks {
		number, from := m.line, m.at.from
		for number > m.line-s.args.Context && number > written+1 && from > 0 {
			from = lineAround(text, from-1).from
			number--
		}
		if s.args.Context > 0 && written > 0 && number > written+1 {
			lines = append(lines, hitLine{text: "--"})
		}
		for ; number < m.line; number++ {
			from = around(number, from)
		}
		lines = append(lines, hitLine{strconv.Itoa(m.line) + "→" + s.excerpt(text[m.at.from:m.at.to]), true})
		written = m.line
		last := m.line + s.args.Context
		if i+1 < len(marks) {
			last = min(last, marks[i+1].line-1)
		}
		for from = m.at.to + 1; written < last && from < len(text); {
			written++
			from = around(written, from)
		}
	}
	return lines
}

// excerpt is a matching line, or of a long one the part around the match.
func (s *search) excerpt(line []byte) string {
	line = trimCR(line)
	if len(line) <= foundChars {
		return readable(line)
	}
	from := 0
	if m := s.finder.line.FindIndex(line); m != nil {
		from = max(0, m[0]-foundChars/4)
	}
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	lead := ""
	if from > 0 {
		lead = "…"
	}
	return lead + clip(readable(line[from:]), foundChars) + fmt.Sprintf(" [line of %s]", file.ByteCount(int64(len(line))))
}

// readable gives a line in UTF-8, decoded where it is something else.
func readable(line []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	if t, ok := file.Decode(line); ok {
		return strings.ToValidUTF8(t.Body, "\uFFFD")
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
