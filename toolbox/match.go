package toolbox

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"fairlead/fault"
)

// Codes of edits that were not made.
const (
	codeNoMatch   = "NO_MATCH"
	codeAmbiguous = "AMBIGUOUS"
	codeNoChange  = "NO_CHANGE"
)

// change is one replacement that an edit asks for.
type change struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all"`
}

// folded is a text in which every line ends with \n alone, and the way back.
type folded struct {
	raw  string
	text string
	crlf []int // offsets in text of the line ends that are \r\n in raw
}

func fold(raw string) folded {
	f := folded{raw: raw, text: raw}
	if !strings.Contains(raw, "\r\n") {
		return f
	}
	var b strings.Builder
	b.Grow(len(raw))
	for rest := raw; rest != ""; {
		line, after, found := strings.Cut(rest, "\r\n")
		b.WriteString(line)
		if !found {
			break
		}
		f.crlf = append(f.crlf, b.Len())
		b.WriteByte('\n')
		rest = after
	}
	f.text = b.String()
	return f
}

// at gives the offset in raw of an offset in text. That of a line end is the place
// before its \r.
func (f folded) at(offset int) int { return offset + sort.SearchInts(f.crlf, offset) }

// ending gives the line end to use for text put in at an offset: that of the line
// itself, else of the line before.
func (f folded) ending(offset int) string {
	end := strings.IndexByte(f.text[offset:], '\n')
	if end >= 0 {
		end += offset
	} else {
		end = strings.LastIndexByte(f.text[:offset], '\n')
	}
	i := sort.SearchInts(f.crlf, end)
	if end >= 0 && i < len(f.crlf) && f.crlf[i] == end {
		return "\r\n"
	}
	return "\n"
}

// places finds where old stands in text, overlapping places too.
func places(text, old string) []int {
	var found []int
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return found
		}
		found = append(found, from+i)
		_, width := utf8.DecodeRuneInString(text[from+i:])
		from += i + max(width, 1)
	}
}

// apply makes one change to a body and gives the new body. It is refused, with an
// answer that says why, unless old stands there exactly once or All is set. Line
// ends of old and new do not matter: those of the file are kept.
func (c change) apply(body string) (string, error) {
	old, replacement := strings.ReplaceAll(c.Old, "\r\n", "\n"), strings.ReplaceAll(c.New, "\r\n", "\n")
	if old == "" {
		return "", fault.New(fault.Invalid, "toolbox.edit", `"old" is empty, so it says no place. Give the text to replace, or use write for a whole new content. Nothing was changed.`).WithCode(codeNoMatch)
	}
	if old == replacement {
		return "", fault.New(fault.Invalid, "toolbox.edit", `"old" and "new" are the same, so nothing would change. Nothing was changed.`).WithCode(codeNoChange)
	}
	f := fold(body)
	found := places(f.text, old)
	switch {
	case len(found) == 0:
		return "", fault.New(fault.Invalid, "toolbox.edit", "%s", explainMiss(f.text, old, replacement)).WithCode(codeNoMatch)
	case len(found) > 1 && !c.All:
		return "", fault.New(fault.Invalid, "toolbox.edit", "%s", explainMany(f.text, old, found)).WithCode(codeAmbiguous)
	}
	var regions []region
	last := -1
	for _, start := range found {
		if start < last {
			continue // it overlaps the one before
		}
		last = start + len(old)
		regions = append(regions, region{start, last, replacement})
	}
	return f.splice(regions), nil
}

// region is a piece of a folded text and what comes in its place.
type region struct {
	from, to int
	put      string
}

// splice replaces regions, which are in order and do not overlap, and gives the
// new raw text. Of each region only what differs is written anew, with the line
// ends of its place; all else keeps its bytes.
func (f folded) splice(regions []region) string {
	var b strings.Builder
	done := 0 // in f.raw
	for _, r := range regions {
		old := f.text[r.from:r.to]
		for _, p := range udiff.Lines(old, r.put) {
			from, to, put := trim(old, p)
			b.WriteString(f.raw[done:f.at(r.from+from)])
			b.WriteString(strings.ReplaceAll(put, "\n", f.ending(r.from+from)))
			done = f.at(r.from + to)
		}
	}
	b.WriteString(f.raw[done:])
	return b.String()
}

// trim takes what both sides share at their ends off an edit, by whole characters,
// so that only what differs is written anew.
func trim(old string, e udiff.Edit) (from, to int, put string) {
	from, to, put = e.Start, e.End, e.New
	for from < to && put != "" {
		r, n := utf8.DecodeRuneInString(old[from:to])
		s, m := utf8.DecodeRuneInString(put)
		if r != s || n != m || old[from:from+n] != put[:m] {
			break
		}
		from, put = from+n, put[m:]
	}
	for from < to && put != "" {
		r, n := utf8.DecodeLastRuneInString(old[from:to])
		s, m := utf8.DecodeLastRuneInString(put)
		if r != s || n != m || old[to-n:to] != put[len(put)-m:] {
			break
		}
		to, put = to-n, put[:len(put)-m]
	}
	return from, to, put
}

// mostPlaces is how many places an answer lists.
const mostPlaces = 10

func explainMany(text, old string, found []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\"old\" stands at %d places, and it is not said which is meant. Nothing was changed. Add lines around it until it is only one, or set \"all\" to change every one. The places:", len(found))
	for i, at := range found {
		if i == mostPlaces {
			fmt.Fprintf(&b, "\nand %d more", len(found)-i)
			break
		}
		line := lineAt(text, at)
		fmt.Fprintf(&b, "\n%d→%s", line, short(lineText(text, at)))
	}
	return b.String()
}

// lineAt gives the number, from 1, of the line that holds an offset.
func lineAt(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

func lineText(text string, offset int) string {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

// short cuts a line for an answer.
func short(line string) string {
	const most = 200
	if len(line) <= most {
		return line
	}
	cut := most
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "…"
}
