package task

import (
	"slices"
	"time"

	"fairlead/session"
)

// Outcome says what became of a due time.
type Outcome string

// The outcomes. All but Started are final.
const (
	Started Outcome = "started" // it runs, or its host is gone
	Ran     Outcome = "ran"
	Denied  Outcome = "denied"  // it ran, and something it wanted was not allowed
	Empty   Outcome = "empty"   // it ran and said nothing
	Failed  Outcome = "failed"  // it could not begin, or ended with an error
	Stopped Outcome = "stopped" // a person, or the end of the host, stopped it
	Missed  Outcome = "missed"  // there was no host
	Skipped Outcome = "skipped" // the run before still went on
)

// Record is what became of a due time; of several missed ones at once, where Count is
// over 1: they lie between Due and Last.
type Record struct {
	Due     time.Time  `json:"due"`
	Last    *time.Time `json:"last,omitempty"`
	Count   int        `json:"count,omitempty"`
	Outcome Outcome    `json:"outcome"`
	// Late is how long after Due it began, in seconds, where that was noticeable.
	Late int64 `json:"lateSeconds,omitempty"`
	// Asked is true for a run that a person asked for; Due is when.
	Asked   bool       `json:"asked,omitempty"`
	Session session.ID `json:"session,omitempty"`
	Began   *time.Time `json:"began,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	// Text is what it came to in plain words: the answer, or why there is none.
	Text string `json:"text,omitempty"`
	// Changed are the files that its tools changed. Refused counts what was not allowed.
	Changed []string `json:"changed,omitempty"`
	Refused int      `json:"refused,omitempty"`
}

// Final reports whether nothing more becomes of it.
func (r Record) Final() bool { return r.Outcome != Started }

// until is the last due time that the record speaks of.
func (r Record) until() time.Time {
	if r.Last != nil {
		return *r.Last
	}
	return r.Due
}

// fold takes a line of the file into the records: a due time that is there gets its
// outcome, any other is a new one.
func fold(records []Record, r Record) []Record {
	for i := len(records) - 1; i >= 0; i-- {
		if old := records[i]; old.Due.Equal(r.Due) && old.Asked == r.Asked && !old.Final() {
			records = slices.Clone(records)
			records[i] = r
			return records
		}
	}
	return append(records, r)
}

// settled is the last moment up to which every due time has its record.
func settled(records []Record) time.Time {
	var last time.Time
	for _, r := range records {
		if u := r.until(); !r.Asked && u.After(last) {
			last = u
		}
	}
	return last
}

// lateAfter is how long after its due time a run still counts as on time.
const lateAfter = 2 * time.Minute

// mostCounted bounds how many missed due times are counted one by one.
const mostCounted = 100_000

// due sorts out what is due now: the due time to run, if one is, and the record of
// those that were missed before it.
func (t Task) due(s schedule, from, now time.Time) (run *time.Time, missed *Record) {
	var last, first time.Time
	count := 0
	for at := from; count < mostCounted; {
		next, ok := s.next(at)
		if !ok || next.After(now) {
			break
		}
		if count == 0 {
			first = next
		}
		count, last, at = count+1, next, next
	}
	if count == 0 {
		return nil, nil
	}
	runs := now.Sub(last) <= lateAfter || t.Missed != Skip && count < mostCounted
	if runs {
		run = &last
		count--
	}
	if count > 0 {
		missed = &Record{Due: first, Outcome: Missed, Text: "No host ran at that time. Nothing was done."}
		if count > 1 {
			before := last
			if runs {
				before = lastBefore(s, first, last)
			}
			missed.Count, missed.Last = count, &before
		}
	}
	return run, missed
}

// lastBefore is the due time before another one.
func lastBefore(s schedule, first, end time.Time) time.Time {
	at := first
	for {
		next, ok := s.next(at)
		if !ok || !next.Before(end) {
			return at
		}
		at = next
	}
}
