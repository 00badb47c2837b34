package toolbox

import (
	"slices"
	"strings"

	"fairlead/fault"
)

// newContent is the text of a file that a patch makes.
func (f filePatch) newContent() string {
	if len(f.hunks) == 0 || len(f.hunks[0].put) == 0 {
		return ""
	}
	text := strings.Join(f.hunks[0].put, "\n")
	if f.hunks[0].newOpen {
		return text
	}
	return text + "\n"
}

// apply makes the hunks in a body and gives the new one.
func (f filePatch) apply(body string) (string, error) {
	folded := fold(body)
	lines := lineStarts(folded.text)
	var regions []region
	from := 0 // the next hunk is looked for from this line on
	for i, h := range f.hunks {
		at, err := h.find(folded.text, lines, from)
		if err != nil {
			return "", numbered(err, i, len(f.hunks), "Hunk")
		}
		regions = append(regions, h.region(folded.text, lines, at))
		from = at + len(h.old)
	}
	return folded.splice(regions), nil
}

// lineStarts gives where each line begins, and the end of the text at last.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], '\n')
		if end < 0 {
			i = len(text)
		} else {
			i += end + 1
		}
		starts = append(starts, i)
	}
	return starts
}

// find gives the line, from 0, at which the hunk's old lines stand.
func (h hunk) find(text string, lines []int, from int) (int, error) {
	count := len(lines) - 1
	lineAt := func(i int) string { return strings.TrimSuffix(text[lines[i]:lines[i+1]], "\n") }
	anchored := false
	for _, anchor := range h.anchors {
		at := from
		for at < count && strings.TrimSpace(lineAt(at)) != anchor {
			at++
		}
		if at == count {
			return 0, fault.New(fault.Invalid, "toolbox.patch", "there is no line %q after line %d. Nothing was changed.", anchor, from).WithCode(codeNoMatch)
		}
		from, anchored = at+1, true
	}
	if anchored && len(h.old) > 0 && count > 0 && strings.TrimSpace(h.old[0]) == h.anchors[len(h.anchors)-1] {
		from-- // the anchor is the first old line itself
	}
	if len(h.old) == 0 {
		switch {
		case h.line > 0:
			return min(max(h.line, from), count), nil
		case anchored:
			return from, nil
		}
		return count, nil
	}
	var found []int
	for at := from; at+len(h.old) <= count; at++ {
		if h.atEnd && at+len(h.old) != count {
			continue
		}
		if slices.EqualFunc(h.old, lines[at:at+len(h.old)], func(want string, start int) bool {
			return strings.HasPrefix(text[start:], want) && (start+len(want) == len(text) || text[start+len(want)] == '\n')
		}) {
			found = append(found, at)
		}
	}
	old := strings.Join(h.old, "\n")
	switch {
	case len(found) == 0:
		return 0, fault.New(fault.Invalid, "toolbox.patch", "%s", explainMiss(text, old, strings.Join(h.put, "\n"))).WithCode(codeNoMatch)
	case len(found) == 1 || anchored:
		return found[0], nil
	case h.line > 0:
		if at, ok := closest(found, h.line-1); ok {
			return at, nil
		}
	}
	offsets := make([]int, len(found))
	for i, at := range found {
		offsets[i] = lines[at]
	}
	return 0, fault.New(fault.Invalid, "toolbox.patch", "%s", explainMany(text, old, offsets)).WithCode(codeAmbiguous)
}

// closest gives the one of several lines that is nearest to another; false for a tie.
func closest(found []int, line int) (int, bool) {
	distance := func(a int) int { return max(a-line, line-a) }
	best, tie := found[0], false
	for _, at := range found[1:] {
		switch d := distance(at); {
		case d < distance(best):
			best, tie = at, false
		case d == distance(best):
			tie = true
		}
	}
	return best, !tie
}

// region says which bytes of the text the hunk replaces with what.
func (h hunk) region(text string, lines []int, at int) region {
	r := region{from: lines[at], to: lines[at+len(h.old)], put: strings.Join(h.put, "\n")}
	last := r.to == len(text)
	open := last && !strings.HasSuffix(text, "\n") // the last line has no end
	switch {
	case len(h.put) == 0:
	case h.newOpen:
	case open && r.from == r.to && text != "": // put in behind a line without an end
		r.put = "\n" + r.put
	case open && !h.oldOpen && text != "":
	default:
		r.put += "\n"
	}
	return r
}
