package subagent

import (
	"context"
	"sync"

	"fairlead/agent"
	"fairlead/llm"
)

// cancelling hears that a session is stopped: its helpers are too, and what they say
// from now on wakes it no more.
func (c *crew) cancelling(ctx context.Context, s *agent.Cancellation) {
	for _, j := range c.of(s.Agent.ID()) {
		j.hush()
	}
	if err := demote(ctx, s.Agent); err != nil {
		c.log.Warn("a report that waited may begin a turn after a stop", "session", s.Agent.ID(), "err", err)
	}
	s.After(func(ctx context.Context) {
		var all sync.WaitGroup
		for _, j := range c.of(s.Agent.ID()) { // with those that were started meanwhile
			all.Go(func() {
				if err := c.stop(ctx, j, s.By, true); err != nil {
					c.log.Warn("a helper could not be stopped in time", "session", j.helper, "err", err)
				}
			})
		}
		all.Wait()
	})
}

func (j *job) hush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.quiet = true
}

// interrupt notes that work is stopped whose own helpers are at work: its turn may be
// complete, and still it is not done.
func (j *job) interrupt(helped bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cut = j.cut || helped
}

// demote makes reports that wait to begin a turn wait for the next one instead.
func demote(ctx context.Context, a *agent.Agent) error {
	q, err := a.Queue()
	if err != nil {
		return err
	}
	for _, m := range q.Waiting {
		if m.Origin != origin || m.Delivery == agent.Inject {
			continue
		}
		if a.Remove(ctx, m.ID) != nil {
			continue // the turn that ends has it
		}
		if err := a.Inject(ctx, source, llm.Plain(m.Content)); err != nil {
			return err
		}
	}
	return nil
}

// claim has the result of a call be the report.
func (j *job) claim(call string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.call = call
}

// stop ends a piece of work and returns once its end is told, to nobody who would be
// woken where it is quiet. A stop by the end of the process leaves it to the next one.
func (c *crew) stop(ctx context.Context, j *job, by string, quiet bool) error {
	if quiet {
		j.hush()
	}
	if by != "shutdown" {
		by = above
	}
	child, live := c.host.Live(j.helper)
	if live {
		j.interrupt(len(c.of(j.helper)) > 0)
		if err := child.Cancel(ctx, by); err != nil {
			return err
		}
	}
	c.settle(j)
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
