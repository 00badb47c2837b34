package subagent

import (
	"context"
	"strings"

	"fairlead/agent"
	"fairlead/session"
)

// woken hears that a session was opened again. What its log has at work and this
// process has not is over: each such helper is reported, in one message that wakes
// nobody.
func (c *crew) woken(ctx context.Context, a *agent.Agent) {
	if err := c.reconcile(ctx, a); err != nil {
		c.log.Error("helpers of an earlier process could not be reported", "session", a.ID(), "err", err)
	}
}

func (c *crew) reconcile(ctx context.Context, a *agent.Agent) error {
	f, err := family(a.Log())
	if err != nil {
		return err
	}
	var reports []string
	var events []session.Draft
	for _, m := range f.Helpers {
		if !m.unfinished() && !m.Owed || c.by(m.Session) != nil || m.unfinished() && c.adopt(a, m) {
			continue
		}
		d := c.found(ctx, m)
		reports = append(reports, words(m, d))
		if m.unfinished() {
			events = append(events, Ended.New(0, 0, d))
		} else {
			events = append(events, Changed.New(0, 0, ChangedData{Helper: m.Session, Told: true}))
		}
	}
	if len(events) == 0 {
		return nil
	}
	return a.Inject(ctx, source, strings.Join(reports, "\n\n"), events...)
}

// adopt takes in a helper that is at work although this crew did not start it, as
// where the plugin was loaded again meanwhile.
func (c *crew) adopt(parent *agent.Agent, m Member) bool {
	child, live := c.host.Live(m.Session)
	if !live || child.Status().State == agent.Idle {
		return false
	}
	j := &job{parent: parent.ID(), route: m.Model, helper: m.Session, done: make(chan struct{})}
	c.mu.Lock()
	c.jobs = append(c.jobs, j)
	c.mu.Unlock()
	c.running.Go(func() { c.settle(j) }) // it may have rested before anybody listened
	return true
}

// found says what the log of a helper of an earlier process tells.
func (c *crew) found(ctx context.Context, m Member) EndedData {
	d, err := c.look(ctx, m)
	if err != nil {
		c.log.Warn("the session of a helper cannot be read", "session", m.Session, "err", err)
		d = EndedData{Helper: m.Session, Outcome: Lost, Why: "Its session cannot be read.", Tokens: m.Tokens, Steps: m.Steps}
	}
	d.Round = m.Round
	return d
}

func (c *crew) look(ctx context.Context, m Member) (EndedData, error) {
	log, err := c.library.Read(ctx, m.Session)
	if err != nil {
		return EndedData{}, err
	}
	defer log.Close(ctx)
	r, err := role(log)
	return r.verdict(m.Session), err
}
