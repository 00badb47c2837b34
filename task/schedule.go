package task

import (
	"strings"
	"time"
	_ "time/tzdata" // zones are known on machines without a database of their own

	"github.com/robfig/cron/v3"

	"fairlead/fault"
)

// schedule gives due times.
type schedule interface {
	// next is the first due time after a moment; ok is false where there is none.
	next(after time.Time) (due time.Time, ok bool)
}

// leastEvery keeps a task from being a loop.
const leastEvery = time.Minute

// schedule reads when the task is due.
func (t Task) schedule() (schedule, error) {
	zone, err := zoneOf(t.Zone)
	if err != nil {
		return nil, err
	}
	given := 0
	for _, s := range []string{t.At, t.Every, t.Cron} {
		if s != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, fault.New(fault.Invalid, "task.schedule", "A task is due at a moment, every so often, or by a cron expression: exactly one of the three.")
	case t.At != "":
		return momentOf(t.At, zone)
	case t.Every != "":
		return intervalOf(t.Every, t.From)
	}
	return cronOf(t.Cron, zone)
}

func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "task.zone", err, "There is no time zone %q; use a name such as Europe/Berlin.", name)
	}
	return zone, nil
}

// moment is due once.
type moment time.Time

func momentOf(text string, zone *time.Location) (schedule, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return moment(at), nil
		}
	}
	return nil, fault.New(fault.Invalid, "task.schedule", "%q is no moment; write it as 2026-03-01 07:00.", text)
}

func (m moment) next(after time.Time) (time.Time, bool) {
	return time.Time(m), time.Time(m).After(after)
}

// interval is due at equal distances, whatever clocks on walls do.
type interval struct {
	every time.Duration
	from  time.Time
}

func intervalOf(every, from string) (schedule, error) {
	d, err := time.ParseDuration(every)
	if err != nil {
		return nil, fault.New(fault.Invalid, "task.schedule", "%q is no duration; write it as 90m or 24h.", every)
	}
	if d < leastEvery {
		return nil, fault.New(fault.Invalid, "task.schedule", "Every %s is too often; a minute is the least.", d)
	}
	begin := time.Unix(0, 0)
	if from != "" {
		if begin, err = time.Parse(time.RFC3339, from); err != nil {
			return nil, fault.New(fault.Invalid, "task.schedule", "%q is no moment to count from; write it as 2026-03-01T07:00:00Z.", from)
		}
	}
	return interval{d, begin}, nil
}

func (i interval) next(after time.Time) (time.Time, bool) {
	if after.Before(i.from) {
		return i.from.Add(i.every), true
	}
	passed := after.Sub(i.from) / i.every
	return i.from.Add((passed + 1) * i.every), true
}

// cronOf reads a cron expression. One whose hours are fixed goes by the clock on the
// wall: an hour that comes twice fires it once, and a time that does not come that day
// fires at the moment the clocks have sprung over it. One that is due in every hour
// goes by the hours that really pass (both as Vixie cron does, cron(8)).
func cronOf(text string, zone *time.Location) (schedule, error) {
	if strings.Contains(text, "TZ=") {
		return nil, fault.New(fault.Invalid, "task.schedule", "The zone of a task is a key of its own; leave it out of %q.", text)
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "task.schedule", err, "%q is no cron expression: %s.", text, err)
	}
	spec, isSpec := parsed.(*cron.SpecSchedule)
	if !isSpec {
		return nil, fault.New(fault.Invalid, "task.schedule", "%q is a distance, not a time; say it with every.", text)
	}
	fields := strings.Fields(text)
	if strings.HasPrefix(text, "@hourly") || len(fields) == 5 && strings.HasPrefix(fields[1], "*") {
		spec.Location = zone
		return passing{spec, zone}, nil
	}
	spec.Location = time.UTC
	return wall{spec, zone}, nil
}

// passing is a cron expression by hours that pass.
type passing struct {
	spec *cron.SpecSchedule
	zone *time.Location
}

func (p passing) next(after time.Time) (time.Time, bool) {
	due := p.spec.Next(after.In(p.zone))
	return due, !due.IsZero()
}

// wall is a cron expression by the clock on the wall. Its times are reckoned as if
// they were UTC, which has no jumps, and set into the zone afterwards.
type wall struct {
	spec *cron.SpecSchedule
	zone *time.Location
}

func (w wall) next(after time.Time) (time.Time, bool) {
	for shown := face(after.In(w.zone)); ; {
		if shown = w.spec.Next(shown); shown.IsZero() {
			return time.Time{}, false // such as 30 February
		}
		if due := set(shown, w.zone); due.After(after) {
			return due, true
		}
	}
}

// face is what the clock on the wall shows, as a time in UTC.
func face(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// set gives the moment at which the wall first shows a time, or has sprung over it.
func set(shown time.Time, zone *time.Location) time.Time {
	t := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, zone)
	begin, end := t.ZoneBounds()
	switch have := face(t); {
	case have.After(shown):
		return begin // sprung over
	case have.Before(shown):
		return end
	}
	if begin.IsZero() {
		return t
	}
	// Where the clocks went back shortly before t, the wall showed it once already.
	_, now := t.Zone()
	_, before := begin.Add(-time.Second).Zone()
	if first := t.Add(time.Duration(now-before) * time.Second); face(first).Equal(shown) {
		return first
	}
	return t
}
