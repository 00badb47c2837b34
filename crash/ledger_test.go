//go:build linux

package crash_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// seen is the ledger of one session: everything that anybody was told of it.
type seen struct {
	t  testing.TB
	id string

	mu      sync.Mutex
	events  map[int64]line
	first   int64 // of the events that are shown; those before it nobody saw
	last    int64
	state   *state // of the events shown
	started map[int]bool
	asked   map[int]bool
	streams map[int]bool // turns of which a pack of a stream was shown
	// accepted are the ids of messages that were answered with 202.
	accepted []string
	work     []*work
	viewers  int
	idle     int           // how often the agent was said to be idle
	changed  chan struct{} // closed and made anew when anything is entered

	disk *diskLog // as it lay after the last kill
	age  int      // kills it has been through
}

func newSeen(t testing.TB, id string) *seen {
	return &seen{t: t, id: id, first: 1, events: map[int64]line{}, state: fold(nil), started: map[int]bool{}, asked: map[int]bool{}, streams: map[int]bool{}, changed: make(chan struct{})}
}

func (s *seen) complain(format string, args ...any) {
	s.t.Errorf("session %s: %s", s.id, fmt.Sprintf(format, args...))
}

// entered tells those who wait. The lock is held.
func (s *seen) entered() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *seen) attach(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewers += n
	s.entered()
}

// shown enters an event that a viewer was shown.
func (s *seen) shown(e line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Seq != s.last+1 {
		s.complain("after event %d a viewer was shown event %d", s.last, e.Seq)
	}
	s.last = e.Seq
	s.events[e.Seq] = e
	s.state.add(e)
	switch e.Type {
	case "tool/started":
		s.started[e.Turn] = true
	case "approval/asked":
		s.asked[e.Turn] = true
	case "assistant/delta":
		s.streams[e.Turn] = true
	}
	s.entered()
}

// accept enters a message that was answered with 202.
func (s *seen) accept(w *work, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.id = id
	s.accepted = append(s.accepted, id)
	s.work = append(s.work, w)
	s.entered()
}

// wait returns true once cond holds, false when ctx ends before. cond is called
// with the lock held.
func (s *seen) wait(ctx context.Context, cond func() bool) bool {
	for {
		s.mu.Lock()
		ok, changed := cond(), s.changed
		s.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// settled reports whether nothing more will happen: each message is through, or
// the session hangs in one that is made to. The lock is held.
func (s *seen) settled() bool {
	rest := true
	for _, w := range s.work {
		turn := s.state.turnOf[w.id]
		if s.state.ends[turn] != "" {
			continue
		}
		rest = false
		// Whatever joins a turn in which a person is asked waits with it.
		if turn != 0 && (s.asked[turn] || w.hangs == "tool" && s.started[turn] || w.hangs == "stream" && s.streams[turn]) {
			return true
		}
	}
	return rest
}

// unsettled says what is still waited for.
func (s *seen) unsettled() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := fmt.Sprintf("%d events shown to %d viewers, in turn %d step %d, calls %v", s.last, s.viewers, s.state.turn, s.state.step, s.state.calls)
	for _, w := range s.work {
		turn := s.state.turnOf[w.id]
		out += fmt.Sprintf("; %s is said in turn %d, which ended as %q", w.text, turn, s.state.ends[turn])
	}
	for seq := max(1, s.last-12); seq <= s.last; seq++ {
		out += fmt.Sprintf("\n  %d %s", seq, s.events[seq].Type)
	}
	return out
}

// checkDisk compares what lies on disk with what was acknowledged, and keeps it.
func (s *seen) checkDisk(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := p.readLog(s.id)
	if err != nil {
		s.complain("after the kill: %v", err)
		if l == nil {
			return
		}
	}
	s.disk = l
	s.holds(l)
	st := fold(l.lines)
	for _, id := range s.accepted {
		if st.queued[id] != 1 {
			s.complain("the message %s was answered with 202 and stands %d times in the log", id, st.queued[id])
		}
	}
	for _, problem := range st.problems {
		s.complain("after the kill: %s", problem)
	}
	for _, w := range s.work {
		w.checkEffect(s, p, l)
	}
	s.work = nil
}

// holds checks that a log holds every event that was shown. The lock is held.
func (s *seen) holds(l *diskLog) {
	for seq := s.first; seq <= s.last; seq++ {
		e := s.events[seq]
		switch {
		case seq > int64(len(l.lines)):
			s.complain("event %d (%s) was shown and is not on disk, nor are the %d after it", seq, e.Type, s.last-seq)
			return
		case l.lines[seq-1].Hash != e.Hash:
			s.complain("event %d was shown as %s with hash %s and is %s with hash %s", seq, e.Type, e.Hash, l.lines[seq-1].Type, l.lines[seq-1].Hash)
			return
		}
	}
}

// checkOpened compares a session that was opened again with what lay on disk.
func (s *seen) checkOpened(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := p.readLog(s.id)
	if err != nil {
		s.complain("after the start: %v", err)
		return
	}
	s.holds(l)
	if s.disk == nil {
		return
	}
	if !bytes.HasPrefix(l.bytes, s.disk.bytes) {
		s.complain("opening changed what had been written")
		return
	}
	before, after := fold(s.disk.lines), fold(l.lines)
	for _, problem := range after.problems {
		s.complain("after the start: %s", problem)
	}
	if after.turn != 0 || after.step != 0 || after.activity || len(after.calls) > 0 {
		s.complain("after the start these are still open: turn %d, step %d, activity %v, calls %v", after.turn, after.step, after.activity, after.calls)
	}
	added := l.lines[len(s.disk.lines):]
	if next := slices.IndexFunc(added, func(e line) bool { return e.Type == "inbox/changed" }); next >= 0 {
		added = added[:next] // what follows came of a new message
	}
	if before.turn == 0 {
		for _, e := range added {
			if e.Type == "turn/end" || e.Type == "tool/result" {
				s.complain("nothing was open, but opening wrote event %d (%s): %s", e.Seq, e.Type, e.Data)
			}
		}
		return
	}
	if got := after.ends[before.turn]; got != "interrupted" {
		s.complain("the open turn %d ended as %q", before.turn, got)
	}
	for _, c := range before.calls {
		want, got := "TOOL_NOT_STARTED", ""
		if c.started {
			want = "TOOL_OUTCOME_UNKNOWN"
		}
		for _, e := range added {
			if d := e.decode(); e.Type == "tool/result" && d.Call == c.id && (c.id != "" || d.ModelID == c.modelID) {
				got = d.Code
			}
		}
		if got != want {
			s.complain("the open call %+v was answered with %q, want %s", c, got, want)
		}
	}
}

// checkThrough checks, once nothing waits any more, that every accepted message was
// said exactly once.
func (s *seen) checkThrough(p *place) {
	l, err := p.readLog(s.id)
	if err != nil {
		s.complain("in the end: %v", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := fold(l.lines)
	for _, id := range s.accepted {
		if st.said[id] != 1 {
			s.complain("the message %s was accepted and said %d times", id, st.said[id])
		}
	}
}
