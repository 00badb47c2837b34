package agent

import (
	"context"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// prepare makes the next turn where one may begin. a.mu is held.
func (a *Agent) prepare() *turn {
	q, err := a.Queue()
	if err != nil {
		a.broken = err
		return nil
	}
	if q.Held || !q.wakes() {
		return nil
	}
	p, err := session.StateOf(a.log, Loop)
	if err != nil {
		a.broken = err
		return nil
	}
	ctx, stop := context.WithCancel(a.live)
	a.current = &turn{number: p.Turn + 1, began: time.Now(), usage: llm.UnknownUsage(), ctx: ctx, stop: stop, ended: make(chan struct{})}
	a.setStatus(func(s *Status) { *s = Status{State: Running, Turn: p.Turn + 1, Activity: "starting", Since: s.Since} })
	return a.current
}

// after ends a turn for everybody who waits on it and says which one follows. With
// none, the activity is over. A message that arrives meanwhile finds either a
// running agent or an idle one that it wakes.
func (a *Agent) after(t *turn) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.current = nil
	close(t.ended)
	if t.failure != nil {
		a.broken = t.failure
	}
	if a.broken == nil && !a.closed {
		if next := a.prepare(); next != nil {
			return next
		}
	}
	a.setStatus(func(s *Status) { *s = Status{State: Idle, Turn: t.number} })
	if a.broken == nil {
		if _, err := a.log.Append(a.background(), session.ActivityEnd.New(0, 0, struct{}{})); err != nil {
			a.broken = err
		}
	}
	close(a.idle)
	return nil
}

// finish writes the end of a turn and waits for the disk.
func (a *Agent) finish(t *turn) {
	t.explain(t.filled())
	drafts := t.leave()
	end := t.data()
	drafts = append(drafts, session.TurnEnd.New(t.number, 0, end))
	if a.needs.options.HoldQueue && t.halted() {
		drafts = append(drafts, session.InboxChanged.New(0, 0, session.InboxChangedData{Op: "held"}))
	}
	a.settle()
	_, err := a.log.Append(a.background(), drafts...)
	if err == nil {
		err = a.log.Flush(a.background())
	}
	if err != nil {
		t.failure = err
		a.needs.logger.Error("the end of a turn could not be written", "session", a.ID(), "turn", t.number, "err", err)
		return
	}
	TurnEnded.Emit(a.background(), a.Realm(), &Ended{Agent: a, Turn: t.number, End: end})
}

// background is for writes that must happen although the turn was stopped.
func (a *Agent) background() context.Context { return context.WithoutCancel(a.live) }
