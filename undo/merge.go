package undo

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Clash is a change that somebody else made since and that stands in the way: lines
// From to To of the file as it is now, counted from 1. To is From-1 where it took
// lines away.
type Clash struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// merge gives what now becomes when the step from left to wanted is made in it:
// left is what a deed left, now what the file holds, wanted what it held before the
// deed. Changes of both sides that touch each other clash, unless they are the same.
// The merge is good only where there are no clashes.
func merge(left, now, wanted string) (merged string, clashes []Clash) {
	mine, theirs := spans(left, now), spans(left, wanted)
	var b strings.Builder
	done, line := 0, 1 // how far left is copied, and the line of now that this is
	keep := func(to int) {
		b.WriteString(left[done:to])
		line += strings.Count(left[done:to], "\n")
		done = to
	}
	for len(mine) > 0 || len(theirs) > 0 {
		m, t, from, to := touching(&mine, &theirs)
		keep(from)
		stands, shall := replaced(left, from, to, m), replaced(left, from, to, t)
		switch {
		case len(m) == 0 || stands == shall:
			b.WriteString(shall)
		case len(t) == 0:
			b.WriteString(stands)
		default:
			at, read := line, from
			for _, e := range m {
				at += strings.Count(left[read:e.Start], "\n")
				clashes = append(clashes, Clash{at, at + lines(e.New) - 1})
				at, read = at+strings.Count(e.New, "\n"), e.End
			}
		}
		line += strings.Count(stands, "\n")
		done = to
	}
	keep(len(left))
	return b.String(), clashes
}

// spans are the differences between two texts, whole lines each, in order and with
// something the same between any two.
func spans(from, to string) (edits []udiff.Edit) {
	all := udiff.Lines(from, to)
	slices.SortStableFunc(all, func(a, b udiff.Edit) int { return cmp.Compare(a.Start, b.Start) })
	for _, e := range all {
		if n := len(edits); n > 0 && edits[n-1].End == e.Start {
			edits[n-1].End = e.End
			edits[n-1].New += e.New
			continue
		}
		edits = append(edits, e)
	}
	return edits
}

// touching takes the next edits of both sides off, as many as touch one another, and
// says which part of the text they are about.
func touching(mine, theirs *[]udiff.Edit) (m, t []udiff.Edit, from, to int) {
	first := mine
	if len(*mine) == 0 || len(*theirs) > 0 && (*theirs)[0].Start < (*mine)[0].Start {
		first = theirs
	}
	from, to = (*first)[0].Start, (*first)[0].End
	for {
		before := len(m) + len(t)
		m = append(m, upTo(mine, &to)...)
		t = append(t, upTo(theirs, &to)...)
		if len(m)+len(t) == before {
			return m, t, from, to
		}
	}
}

// upTo takes the edits off that begin at or before to, and moves to to their end.
func upTo(edits *[]udiff.Edit, to *int) (taken []udiff.Edit) {
	for len(*edits) > 0 && (*edits)[0].Start <= *to {
		taken = append(taken, (*edits)[0])
		*to = max(*to, (*edits)[0].End)
		*edits = (*edits)[1:]
	}
	return taken
}

// replaced is a part of a text with edits made in it.
func replaced(text string, from, to int, edits []udiff.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(text[from:e.Start])
		b.WriteString(e.New)
		from = e.End
	}
	b.WriteString(text[from:to])
	return b.String()
}

// lines counts the lines of a text.
func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
