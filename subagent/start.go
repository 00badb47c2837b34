package subagent

import (
	"context"
	_ "embed" // prompts are files
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed prompts/fresh.md
var freshPrompt string

//go:embed prompts/fork.md
var forkPrompt string

//go:embed prompts/schema.md
var schemaPrompt string

// order is what a helper is started with; Task must not be empty.
type order struct {
	Task   string          `json:"task"`
	Name   string          `json:"name"`
	Fork   bool            `json:"fork"`
	Wait   bool            `json:"wait"`
	Model  string          `json:"model"`
	Preset string          `json:"preset"`
	Schema json.RawMessage `json:"schema"`
	Steps  int             `json:"max_steps"`
	Tokens int             `json:"max_tokens"`
}

// start makes a helper and gives it its task. The row that tells of it is on disk
// before it does anything.
func (c *crew) start(ctx context.Context, call *tool.Call, o order) (*job, Member, error) {
	parent, err := c.parentOf(call.Log)
	if err != nil {
		return nil, Member{}, err
	}
	depth, err := c.check(parent, o)
	if err != nil {
		return nil, Member{}, err
	}
	route, err := c.route(ctx, parent, o)
	if err != nil {
		return nil, Member{}, err
	}
	report := ""
	if o.Wait {
		report = call.ID
	}
	j, err := c.take(parent.ID(), route, "", report)
	if err != nil {
		return nil, Member{}, err
	}
	c.hiring.Lock()
	defer c.hiring.Unlock()
	member, err := c.hire(ctx, parent, call, o, j, route, depth)
	if err != nil {
		c.leave(j)
	}
	return j, member, err
}

// check finds what stands against a helper whatever its model is.
func (c *crew) check(parent *agent.Agent, o order) (depth int, err error) {
	own, err := role(parent.Log())
	switch {
	case err != nil:
		return 0, err
	case own.Depth >= c.config.depth():
		return 0, fault.New(fault.Denied, "subagent.start", "Helpers may have helpers of their own down to %d levels, and you are on the last one. Nothing was started; do this part yourself.", c.config.depth()).WithCode("TOO_DEEP")
	case o.Fork && o.Preset != "":
		return 0, fault.New(fault.Invalid, "subagent.start", "A forked helper goes on with your own tools, so it cannot have a preset. Nothing was started; leave one of the two out.")
	case o.Schema != nil:
		_, err = tool.Conform(nil, o.Schema)
	}
	return own.Depth + 1, err
}

// hire makes the session of a helper, tells of it in that of its parent, and sends the
// task.
func (c *crew) hire(ctx context.Context, parent *agent.Agent, call *tool.Call, o order, j *job, route llm.Route, depth int) (Member, error) {
	f, err := family(parent.Log())
	if err != nil {
		return Member{}, err
	}
	at, err := session.StateOf(parent.Log(), agent.Loop)
	if err != nil {
		return Member{}, err
	}
	brief := BriefedData{Parent: parent.ID(), Name: f.free(strings.TrimSpace(o.Name)), Task: o.Task, Depth: depth, Fork: o.Fork, Schema: o.Schema, Budget: c.config.budget(o)}
	child, err := c.make(ctx, parent, at, brief, o, route)
	if err != nil {
		return Member{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c.mu.Lock()
	j.helper = child.ID()
	c.mu.Unlock()
	row := StartedData{Helper: child.ID(), Name: brief.Name, Task: beginning(o.Task), Call: call.ID, Model: route.Name, Preset: child.Log().Header().Preset, Fork: o.Fork, Depth: depth}
	if _, err := parent.Log().Append(ctx, Started.New(call.Turn, call.Step, row)); err != nil {
		return Member{}, err
	}
	if err := parent.Log().Flush(ctx); err != nil {
		return Member{}, err
	}
	if err = ctx.Err(); err == nil {
		err = c.send(ctx, child, 1, at, brief.words())
	}
	m := Member{Session: child.ID(), Name: brief.Name, Model: route.Name}
	if err != nil {
		return m, errors.Join(err, c.unsent(ctx, parent, m, 1, err))
	}
	return m, nil
}

// unsent writes the end of a piece of work whose row is there and which was never sent.
// Where the process is ending, the next one tells of it.
func (c *crew) unsent(ctx context.Context, parent *agent.Agent, m Member, round int, why error) error {
	d := EndedData{Helper: m.Session, Round: round, Outcome: Failed, Why: fault.Person(why), Tokens: m.Tokens, Steps: m.Steps}
	switch {
	case fault.Is(why, fault.Unavailable):
		return nil
	case ctx.Err() != nil:
		d.Outcome, d.Why = Stopped, "It had not begun."
		return parent.Inject(context.WithoutCancel(ctx), source, words(m, d), Ended.New(0, 0, d))
	}
	_, err := parent.Log().Append(ctx, Ended.New(0, 0, d)) // the call itself says what happened
	return err
}

// make makes the session of a helper: a new one, or one that goes on from what its
// parent was shown last, so that a server can go on from what it has read.
func (c *crew) make(ctx context.Context, parent *agent.Agent, at agent.Progress, brief BriefedData, o order, route llm.Route) (*agent.Agent, error) {
	var child *agent.Agent
	var err error
	if o.Fork {
		child, err = c.fork(ctx, parent, at)
	} else {
		spec := agent.Spec{Folder: parent.Log().Header().Folder, Preset: o.Preset, Parent: parent.ID(), Mode: at.Mode, Effort: at.Effort, Model: at.Route}
		if o.Preset == "" {
			spec.Preset = parent.Log().Header().Preset
		} else {
			spec.Model = "" // a preset may have its own
		}
		if o.Model != "" {
			spec.Model = route.Name
		}
		child, err = c.host.Create(ctx, spec)
	}
	if err != nil {
		return nil, err
	}
	drafts := []session.Draft{Briefed.New(0, 0, brief), session.Titled.New(0, 0, session.TitledData{Title: session.CleanTitle(brief.Name + ": " + beginning(brief.Task)), By: origin})}
	if o.Fork && o.Model != "" {
		drafts = append(drafts, session.ModelSelected.New(0, 0, session.ModelSelectedData{Route: route.Name, Effort: at.Effort}))
	}
	if _, err := child.Log().Append(ctx, drafts...); err != nil {
		return nil, err
	}
	return child, child.Log().Flush(ctx)
}

func (c *crew) fork(ctx context.Context, parent *agent.Agent, at agent.Progress) (*agent.Agent, error) {
	if at.Sent == nil {
		return nil, fault.New(fault.Invalid, "subagent.fork", "Nothing was said here yet that a helper could go on from. Nothing was started; start one without fork.")
	}
	log, err := c.library.ForkFor(ctx, parent.ID(), at.Sent.Surface, parent.ID())
	if err != nil {
		return nil, err
	}
	child, err := c.host.Open(ctx, log.ID())
	if err = errors.Join(err, log.Close(ctx)); err != nil {
		return nil, err
	}
	q, err := child.Queue()
	if err != nil {
		return nil, err
	}
	for _, m := range q.Waiting { // what waits for the parent is not the helper's
		if err := child.Remove(ctx, m.ID); err != nil {
			return nil, err
		}
	}
	return child, nil
}

// send gives a helper a piece of work, in the mode that holds for its parent now.
func (c *crew) send(ctx context.Context, child *agent.Agent, round int, at agent.Progress, text string) error {
	_, err := child.Send(ctx, agent.Input{ID: fmt.Sprintf("%s%s-%d", taskID, child.ID(), round), Content: llm.Text(text), Mode: at.Mode, Origin: above})
	return err
}

// words is what a helper is told at first.
func (b BriefedData) words() string {
	prompt := freshPrompt
	if b.Fork {
		prompt = forkPrompt
	}
	return strings.TrimSpace(strings.ReplaceAll(prompt, "TASK", strings.TrimSpace(b.Task))) + b.form()
}

// form is what a helper is told of the form of its answer, "" for nothing.
func (b BriefedData) form() string {
	if b.Schema == nil {
		return ""
	}
	return "\n\n" + strings.TrimSpace(strings.ReplaceAll(schemaPrompt, "SCHEMA", string(b.Schema)))
}

// mostBeginning is how many characters of a task a row shows.
const mostBeginning = 160

// beginning is a task on one line.
func beginning(task string) string {
	line := []rune(strings.Join(strings.Fields(task), " "))
	if len(line) <= mostBeginning {
		return string(line)
	}
	return string(line[:mostBeginning-1]) + "…"
}
