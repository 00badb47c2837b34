package external

import (
	"context"
	"crypto/rand"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// Limits bound what the table of runs keeps in memory. 0 stands for the default.
type Limits struct {
	Events  int // of one run; 400
	Runs    int // 50
	Preview int // characters of a prompt; 280
}

func (l Limits) filled() Limits {
	if l.Events <= 0 {
		l.Events = 400
	}
	if l.Runs <= 0 {
		l.Runs = 50
	}
	if l.Preview <= 0 {
		l.Preview = 280
	}
	return l
}

const (
	mostKept  = 1 << 20  // bytes of a run's events in memory
	mostOfOne = 16 << 10 // bytes of one event's text, and of its arguments
)

// Run is one use of an agent, as people see it.
type Run struct {
	ID    string     `json:"id"`
	Agent string     `json:"agent"`
	Owner session.ID `json:"session,omitempty"` // whose call it is, "" for none
	Call  string     `json:"call,omitempty"`
	// Prompt is its beginning.
	Prompt string `json:"prompt"`
	Folder string `json:"folder"`
	Access Access `json:"access"`
	Effort Effort `json:"effort,omitempty"`
	// State is "running", "answered", "failed" or "stopped"; Code and Reason say more.
	State   string `json:"state"`
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Started int64  `json:"startedAt"` // Unix milliseconds
	Millis  int64  `json:"ms"`
	// AgentSession is the agent's own; Resumed is true where it had begun before.
	AgentSession string     `json:"agentSession,omitempty"`
	Resumed      bool       `json:"resumed,omitempty"`
	Usage        *llm.Usage `json:"usage,omitempty"`
	Cost         *llm.Money `json:"costUsd,omitempty"`
	Turns        int        `json:"turns,omitempty"`
	// Count is how many events there were, Dropped how many of them are not in memory any
	// more; Last tells the newest in one line.
	Count   int64   `json:"count"`
	Dropped int64   `json:"droppedEvents"`
	Last    string  `json:"last,omitempty"`
	Events  []Event `json:"events,omitempty"`
}

const running = "running"

// Table keeps the runs of this process: those that go on, and the last that ended.
type Table struct {
	limits Limits
	now    func() time.Time
	told   graph.Bell

	mu   sync.Mutex
	runs []*record // oldest first
}

func newTable(l Limits) *Table { return &Table{limits: l.filled(), now: time.Now} }

// record is a run with what it takes to run it.
type record struct {
	table *Table
	began time.Time
	stop  context.CancelCauseFunc

	// Guarded by the table.
	run    Run
	events []Event
	size   int
}

// begin adds a run; stop ends it.
func (t *Table) begin(r Run, stop context.CancelCauseFunc) *record {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	r.ID = "x" + strings.ToLower(rand.Text()[:10])
	r.Prompt = preview(r.Prompt, t.limits.Preview)
	r.State, r.Started = running, now.UnixMilli()
	rec := &record{table: t, began: now, stop: stop, run: r}
	t.runs = append(t.runs, rec)
	for over := len(t.runs) - t.limits.Runs; over > 0; over-- {
		at := slices.IndexFunc(t.runs, func(r *record) bool { return r.run.State != running })
		if at < 0 {
			break // what goes on is never dropped
		}
		t.runs = slices.Delete(t.runs, at, at+1)
	}
	t.told.Ring()
	return rec
}

func preview(text string, most int) string {
	text = strings.TrimSpace(tool.Outside(text))
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// add takes in an event: it gets its number and its time, and what is too long for
// memory is cut.
func (r *record) add(e Event) Event {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	r.run.Count++
	e.Seq, e.At = r.run.Count, r.table.now().Sub(r.began).Milliseconds()
	var cut1, cut2 bool
	e.Text, cut1 = shorten(e.Text)
	e.Arguments, cut2 = shorten(e.Arguments)
	e.Cut = cut1 || cut2
	r.events = append(r.events, e)
	r.size += e.size()
	for len(r.events) > r.table.limits.Events || r.size > mostKept && len(r.events) > 1 {
		r.size -= r.events[0].size()
		r.events[0] = Event{} // the array behind it lives on for a while
		r.events = r.events[1:]
		r.run.Dropped++
	}
	r.run.Last = e.Line()
	if e.Session != "" {
		r.run.AgentSession = e.Session
	}
	if e.Usage != nil {
		r.run.Usage = e.Usage
	}
	if e.Cost != nil {
		r.run.Cost = e.Cost
	}
	r.run.Turns = max(r.run.Turns, e.Turns)
	r.table.told.Ring()
	return e
}

func (e Event) size() int { return len(e.Text) + len(e.Arguments) + len(e.Path) + 200 }

func shorten(s string) (string, bool) {
	if len(s) <= mostOfOne {
		return s, false
	}
	return strings.ToValidUTF8(s[:mostOfOne], ""), true
}

// end closes the run.
func (r *record) end(v Verdict) Run {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	switch {
	case v.OK:
		r.run.State = "answered"
	case v.Code == Stopped:
		r.run.State = "stopped"
	default:
		r.run.State = "failed"
	}
	r.run.Code, r.run.Reason = v.Code, v.Reason
	r.run.Millis = r.table.now().Sub(r.began).Milliseconds()
	r.table.told.Ring()
	return r.shown(0, true)
}

// shown is the run with the events after since; the table is locked.
func (r *record) shown(since int64, events bool) Run {
	run := r.run
	if run.State == running {
		run.Millis = r.table.now().Sub(r.began).Milliseconds()
	}
	if events {
		at := slices.IndexFunc(r.events, func(e Event) bool { return e.Seq > since })
		if at >= 0 {
			run.Events = slices.Clone(r.events[at:])
		}
	}
	return run
}

// List gives all runs without their events, oldest first.
func (t *Table) List() []Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Run, 0, len(t.runs))
	for _, r := range t.runs {
		list = append(list, r.shown(0, false))
	}
	return list
}

// Get gives one run with its events after the number since.
func (t *Table) Get(id string, since int64) (Run, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, err := t.find(id)
	if err != nil {
		return Run{}, err
	}
	return r.shown(since, true), nil
}

func (t *Table) find(id string) (*record, error) {
	for _, r := range t.runs {
		if r.run.ID == id {
			return r, nil
		}
	}
	return nil, fault.New(fault.NotFound, "external.run", "There is no run %q any more; the last %d are kept. What it printed is in the external folder of Fairlead's home.", id, t.limits.Runs)
}

// Stop ends a run that goes on; of one that has ended it says nothing.
func (t *Table) Stop(id string) error {
	t.mu.Lock()
	r, err := t.find(id)
	t.mu.Unlock()
	if err != nil {
		return err
	}
	r.stop(errStopped)
	return nil
}

// pace is how long a watcher is left alone after it was told something.
const pace = 100 * time.Millisecond

// follow yields what read gives, at once and whenever something changed.
func follow[T any](ctx context.Context, t *Table, read func() (T, error)) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for range graph.Watch(ctx, &t.told, func() struct{} { return struct{}{} }) {
			if v, err := read(); !yield(v, err) || err != nil {
				return
			}
			select {
			case <-time.After(pace):
			case <-ctx.Done():
			}
		}
	}
}
