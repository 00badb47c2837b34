package session

import (
	"context"
	"errors"
	"fmt"

	"fairlead/fault"
)

// Report is what [Library.Verify] found.
type Report struct {
	ID ID `json:"id"`
	// Last is the last event that could be read; Events counts them, shared history
	// included.
	Last     Mark      `json:"last"`
	Events   int64     `json:"events"`
	Problems []Problem `json:"problems,omitempty"`
}

// Valid reports whether nothing was changed, lost or put elsewhere.
func (r *Report) Valid() bool { return len(r.Problems) == 0 }

// Problem is one thing that is not as it was written.
type Problem struct {
	// What is one of the Found words.
	What string `json:"what"`
	// Seq is the number of the event it is about: the changed one, the first missing
	// one, the one that stands in the wrong place.
	Seq    int64  `json:"seq"`
	Line   int64  `json:"line,omitempty"`
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

// Verify proves a session: every event follows from the one before it, every
// payload beside the log is the one that was written, and the log reaches every
// mark it is known to have reached: that of its checkpoint, and those in known
// (copies kept elsewhere). It changes nothing. A session that is open in this process
// is proved up to its last event at the time.
func (lib *Library) Verify(ctx context.Context, id ID, known ...Mark) (*Report, error) {
	if err := valid(id); err != nil {
		return nil, err
	}
	size, err := lib.liveSize(ctx, id)
	if err != nil {
		return nil, err
	}
	return lib.verify(ctx, id, size, known)
}

// liveSize gives how far a log that this process is writing is on disk, -1 for one
// that it is not.
func (lib *Library) liveSize(ctx context.Context, id ID) (int64, error) {
	s := lib.shelf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.core == nil {
		return -1, nil
	}
	size := s.core.end()
	return size, s.core.w.Sync(ctx)
}

// verify proves a log up to live, or all of it where that is negative.
func (lib *Library) verify(ctx context.Context, id ID, live int64, known []Mark) (*Report, error) {
	r, err := lib.opt.Store.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	l := &loaded{src: &source{segments: []segment{{id: id, r: r}}}}
	v := &verifying{lib: lib, report: &Report{ID: id}, marks: map[int64]string{}, checked: map[string]string{}}
	size := live
	if live < 0 {
		size, err = r.Size()
	}
	if err == nil {
		err = v.run(ctx, l, r, size, live >= 0, known)
	}
	if err = errors.Join(err, l.src.close()); err != nil {
		return nil, err
	}
	return v.report, nil
}

type verifying struct {
	lib    *Library
	report *Report
	src    *source
	marks  map[int64]string
	// checked are the contents beside the log that were looked at: "" or what is wrong.
	checked map[string]string
	high    int64 // the highest number so far
}

func (v *verifying) run(ctx context.Context, l *loaded, r Reader, size int64, live bool, known []Mark) error {
	first, ok, err := firstEvent(r, 0, size)
	if err != nil {
		return err
	}
	if !ok {
		if err := mustBeTorn(l.src.segments[0].id, r, size); err != nil {
			return err
		}
	}
	cp, bad := v.lib.readCheckpoint(v.report.ID, r, size)
	if parent, ok := forkedFrom(v.report.ID, first.Event, cp, bad); ok {
		if err := v.lib.openShared(ctx, l, parent); err != nil {
			return err
		}
	}
	for _, c := range []*checkpoint{cp, bad} {
		// A checkpoint of a live session may be younger than the look at it.
		if c != nil && (!live || c.Offset <= size) {
			known = append(known, Mark{c.Seq, c.Hash})
		}
	}
	for _, m := range known {
		v.marks[m.Seq] = ""
	}
	v.src = l.src
	after := Mark{0, string(l.src.segments[0].id)}
	for i, g := range l.src.segments {
		if after, err = v.segment(ctx, g, l.src.limit(i, size), after, i == l.src.own()); err != nil {
			return err
		}
	}
	v.report.Last = after
	for _, m := range known {
		v.reaches(m, size)
	}
	return nil
}

// segment judges one log of the history and gives the mark of its last event.
func (v *verifying) segment(ctx context.Context, g segment, end int64, after Mark, own bool) (Mark, error) {
	var owner ID
	for f, err := range v.lib.survey(ctx, g.r, 0, end, 0, after) {
		if err != nil {
			return after, err
		}
		if f.what == FoundHole {
			v.problem(f, v.high+1, "line %d cannot be read (%d bytes)", f.line, f.end-f.start)
			continue
		}
		if id, _, ok := root(f.found); ok && f.what == "" {
			owner = ID(id)
		}
		v.report.Events++
		v.judge(f)
		v.blobs(f)
		if _, ok := v.marks[f.judgement.seq]; ok {
			v.marks[f.judgement.seq] = f.Hash
		}
		after, v.high = Mark{f.judgement.seq, f.Hash}, max(v.high, f.judgement.seq)
		if own && !f.whole && f.end == end {
			f.what = FoundTail
			v.problem(f, f.judgement.seq, "its line is not finished")
		}
	}
	if own && owner != "" && owner != v.report.ID {
		return after, foreign(v.report.ID, "it belongs to the session "+string(owner))
	}
	return after, nil
}

func (v *verifying) judge(f finding) {
	switch f.what {
	case "":
	case FoundChanged:
		v.problem(f, f.judgement.seq, "it is not the one that was written")
	case FoundGap:
		v.problem(f, f.lost.From, "%s missing before line %d", numbers(*f.lost), f.line)
	case FoundOrder:
		v.problem(f, f.judgement.seq, "it stands behind event %d", v.high)
	case FoundRepeated:
		v.problem(f, f.judgement.seq, "it stands twice")
	case FoundHistory:
		v.problem(f, f.judgement.seq, "the history it goes on from is not the one it was forked from")
	}
}

func numbers(s Span) string {
	if s.From == s.To {
		return fmt.Sprintf("event %d is", s.From)
	}
	return fmt.Sprintf("events %d to %d are", s.From, s.To)
}

func (v *verifying) blobs(f finding) {
	if f.Blob != nil {
		if wrong := v.content(f.Blob.SHA256, true); wrong != "" {
			f.what = FoundBlobMissing
			v.problem(f, f.judgement.seq, "its payload %s", wrong)
		}
		return
	}
	for _, name := range hashesIn(f.Data) {
		if wrong := v.content(name, false); wrong != "" {
			f.what = FoundBlobMissing
			v.problem(f, f.judgement.seq, "content it names (%s) %s", name, wrong)
		}
	}
}

// content says what is wrong with content beside the log.
func (v *verifying) content(name string, needed bool) string {
	wrong, seen := v.checked[name]
	if !seen {
		_, err := v.src.blob(name)
		switch {
		case err == nil:
		case fault.CodeOf(err) == CodeBlobChanged:
			wrong = "was changed"
		case !fault.Is(err, fault.NotFound):
			wrong = "cannot be read"
		case needed:
			wrong = "is missing"
		default:
			return ""
		}
		v.checked[name] = wrong
	}
	return wrong
}

// reaches checks a mark that the log is known to have reached.
func (v *verifying) reaches(m Mark, size int64) {
	switch hash := v.marks[m.Seq]; {
	case hash == m.Hash:
	case m.Seq > v.high:
		lost := Span{v.high + 1, m.Seq}
		v.problem(finding{found: found{start: size}, judgement: judgement{what: FoundShorter}}, lost.From, "the log ends at %d but reached %d: %s gone", v.high, m.Seq, numbers(lost))
	default:
		v.problem(finding{judgement: judgement{what: FoundChanged}}, m.Seq, "the history up to here was written anew: its hash is known to have been another")
	}
}

func (v *verifying) problem(f finding, seq int64, format string, args ...any) {
	v.report.Problems = append(v.report.Problems, Problem{
		What: f.what, Seq: seq, Line: f.line, Offset: f.start, Text: fmt.Sprintf("seq %d: ", seq) + fmt.Sprintf(format, args...),
	})
}
