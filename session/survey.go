package session

import (
	"context"
	"io"
	"iter"

	"fairlead/fault"
)

// finding is one thing a survey of a log comes upon: an event with its judgement,
// or bytes that are no event (what is FoundHole).
type finding struct {
	found
	judgement
	// line is the number of the line, counted from 1; whole says that a newline ends it.
	line  int64
	whole bool
}

// survey reads a log between two offsets in the order of the file and judges
// everything in it. after is the mark of the event before, line the number of the
// line before.
func (lib *Library) survey(ctx context.Context, r io.ReaderAt, from, end, line int64, after Mark) iter.Seq2[finding, error] {
	return func(yield func(finding, error) bool) {
		c := newChain(after)
		lines := scanLines(r, from, end)
		var events []found
		hole := func(l rawLine, start, end int64) bool {
			c.blind = true
			return start == end || yield(finding{found: found{start: start, end: end}, judgement: judgement{what: FoundHole}, line: line, whole: l.whole}, nil)
		}
		for n := 0; ; n++ {
			if n%1024 == 0 && ctx.Err() != nil {
				yield(finding{}, fault.Wrap(fault.KindOf(ctx.Err()), "session.read", ctx.Err(), "Reading the session was stopped. Nothing was changed."))
				return
			}
			l, err := lines.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(finding{}, err)
				return
			}
			line++
			at := l.start
			events = l.events(events[:0], lib.names)
			for _, f := range events {
				if f.start > at && !hole(l, at, f.start) {
					return
				}
				at = f.end
				j := c.judge(f)
				if j.what == FoundHole {
					if !hole(l, f.start, f.end) {
						return
					}
					continue
				}
				if !yield(finding{found: f, judgement: j, line: line, whole: l.whole}, nil) {
					return
				}
			}
			if at < l.end && !hole(l, at, l.end) {
				return
			}
		}
	}
}
