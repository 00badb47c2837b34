package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
)

// Format is the version of the log format this build writes. It reads every earlier one.
const Format = 1

// Migration reads an event of one format as the next format has it. It may give it
// another Type and other Data, its payload being filled in; nothing on disk changes,
// so that hashes stay what they are. An event that it cannot make sense of stays as
// it is, and whoever decodes it says so.
//
// What a log says of itself (session/created, session/forked, session/upgraded and
// session/incident) has the same shape in every format, and never passes one.
type Migration func(Event) Event

// migrations lead from each format that was released to the next: the one at i from
// format i+1. A new format adds one here, and a log of the old one to testdata.
func migrations() []Migration {
	m := [Format - 1]Migration{}
	return m[:]
}

// since says from which event on a history is in which format.
type since struct {
	Seq    int64 `json:"seq"`
	Format int   `json:"format"`
}

// formats are those of a history, in the order of its events: a fork begins in the
// format of its own time, and so does what a newer build adds to a log.
type formats []since

// at gives the format of an event, 0 where the log no longer tells.
func (f formats) at(seq int64) int {
	for _, s := range slices.Backward(f) {
		if s.Seq <= seq {
			return s.Format
		}
	}
	return 0
}

// last gives the format that a log is continued in, 0 where it no longer tells.
func (f formats) last() int {
	if len(f) == 0 {
		return 0
	}
	return f[len(f)-1].Format
}

// from gives the formats of a history that goes on in one from an event on.
func (f formats) from(seq int64, format int) formats {
	if f.last() == format {
		return f
	}
	return append(slices.Clip(f), since{seq, format})
}

// modern reads an event as this build has it.
func (f *folded) modern(e Event) Event { return modern(f.steps, f.formats.at(e.Seq), e) }

func modern(steps []Migration, format int, e Event) Event {
	if format == 0 || format > len(steps) {
		return e
	}
	switch e.Type {
	case Created.Name, Forked.Name, Upgraded.Name, Incident.Name:
		return e
	}
	as := e
	for _, step := range steps[format-1:] {
		as = step(as)
	}
	e.Type, e.Data, e.Ignorable = as.Type, as.Data, as.Ignorable
	return e
}

// reading is how a source reads the events of earlier formats. The zero value gives
// them as they stand in the log.
type reading struct {
	steps []Migration
	known atomic.Pointer[formats]
}

// learn says which formats the history has by now.
func (r *reading) learn(f formats) {
	if known := r.known.Load(); known == nil || len(*known) != len(f) {
		r.known.Store(&f)
	}
}

func (r *reading) event(e Event) Event {
	if len(r.steps) == 0 {
		return e
	}
	if known := r.known.Load(); known != nil {
		return modern(r.steps, known.at(e.Seq), e)
	}
	return e
}

// formatOf gives the format that an event which begins a log states, 0 where none.
func formatOf(e Event) int {
	var d struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return 0
	}
	return d.Format
}

// wroteFormat reports whether the hash of an event which begins a log is that of the
// same event with one of the formats up to most in place of the one it states.
func wroteFormat(f found, most, stated int) bool {
	prev, _, ok := root(f)
	if !ok {
		return false
	}
	c, have := newChainer(), []byte(fmt.Sprintf(`"format":%d,`, stated))
	for n := 1; n <= most; n++ {
		body := bytes.Replace(f.body, have, []byte(fmt.Sprintf(`"format":%d,`, n)), 1)
		if string(c.next(prev, body)) == f.Hash {
			return true
		}
	}
	return false
}
