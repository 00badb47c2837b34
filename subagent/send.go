package subagent

import (
	"context"
	"errors"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// tell says more to a helper: into its running work, or as a new piece of work, also
// after a restart.
func (c *crew) tell(ctx context.Context, call *tool.Call, name, text string) (Member, bool, error) {
	parent, err := c.parentOf(call.Log)
	if err != nil {
		return Member{}, false, err
	}
	f, err := family(parent.Log())
	if err != nil {
		return Member{}, false, err
	}
	m, ok := f.member(name)
	if !ok {
		return m, false, errNoHelper(name, f)
	}
	if j := c.by(m.Session); j != nil {
		if said, err := c.join(ctx, j, text); said || err != nil {
			return m, false, err
		}
	}
	return m, true, c.again(ctx, parent, call, m, text)
}

// join steers a helper at work. False means that its work is over by now.
func (c *crew) join(ctx context.Context, j *job, text string) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		return false, nil
	}
	child, err := c.host.Open(ctx, j.helper)
	if err != nil {
		return false, err
	}
	_, err = child.Steer(ctx, agent.Input{Content: llm.Text(text), Origin: above})
	return true, err
}

// again gives a helper whose work is over another piece of it.
func (c *crew) again(ctx context.Context, parent *agent.Agent, call *tool.Call, m Member, text string) error {
	at, err := session.StateOf(parent.Log(), agent.Loop)
	if err != nil {
		return err
	}
	route, err := c.routes.Resolve(ctx, m.Model)
	if err != nil {
		return err
	}
	j, err := c.take(parent.ID(), route, m.Session, "")
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := c.resume(ctx, parent, call, m, at, text); err != nil {
		j.over = true
		c.leave(j)
		return err
	}
	return nil
}

func (c *crew) resume(ctx context.Context, parent *agent.Agent, call *tool.Call, m Member, at agent.Progress, text string) error {
	child, err := c.host.Open(ctx, m.Session)
	if err != nil {
		return err
	}
	r, err := role(child.Log())
	if err != nil {
		return err
	}
	if r.Parent != parent.ID() {
		return fault.New(fault.Denied, "subagent.tell", "%s does not work for this session. Nothing was sent.", m.Name)
	}
	if r.Round == 0 { // it never got its task
		text = r.words() + "\n\n" + text
	} else if form := r.form(); form != "" {
		text += form
	}
	changed := ChangedData{Helper: m.Session, Status: Working, Round: max(r.Round, m.Round) + 1}
	if _, err := parent.Log().Append(ctx, Changed.New(call.Turn, call.Step, changed)); err != nil {
		return err
	}
	if err := parent.Log().Flush(ctx); err != nil {
		return err
	}
	if err := c.send(ctx, child, changed.Round, at, text); err != nil {
		return errors.Join(err, c.unsent(ctx, parent, m, changed.Round, err))
	}
	return nil
}
