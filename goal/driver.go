package goal

import (
	"context"
	_ "embed" // the text is a file
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"unicode/utf8"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed prompts/round.md
var roundText string

// driver changes goals and begins their rounds. Who changes one holds mu from reading
// it until it is written, so that no round begins for a goal that just ended.
type driver struct {
	host  *agent.Host
	tools *tool.Registry
	goal  session.Projection[State]
	mark  string
	max   int
	off   func() bool // whether the person switched goals off
	log   *slog.Logger

	mu sync.Mutex
}

// change writes what f makes of the goal of a session. It is durable on return.
func (d *driver) change(ctx context.Context, log *session.Log, turn, step int, f func(State) (ChangedData, error)) (State, error) {
	d.mu.Lock()
	s, err := d.write(ctx, log, turn, step, f)
	d.mu.Unlock()
	if err == nil {
		err = log.Flush(ctx)
	}
	return s, err
}

// write is change without the wait for the disk. d.mu is held.
func (d *driver) write(ctx context.Context, log *session.Log, turn, step int, f func(State) (ChangedData, error)) (State, error) {
	s, err := session.StateOf(log, d.goal)
	if err != nil {
		return s, err
	}
	next, err := f(s)
	if err != nil {
		return s, err
	}
	if _, err := log.Append(ctx, Changed.New(turn, step, next)); err != nil {
		return s, err
	}
	return session.StateOf(log, d.goal)
}

// ended takes in the end of a turn, of whatever origin, and begins the next round.
// The turn after it has not begun.
func (d *driver) ended(ctx context.Context, e *agent.Ended) {
	d.mu.Lock()
	defer d.mu.Unlock()
	log := e.Agent.Log()
	s, err := session.StateOf(log, d.goal)
	next, ends := s.after(e.End)
	if !ends && s.armed(d.mark) && d.off() {
		ends, next = true, s.becomes(opPaused, Paused, WhyOff, "person", "Goals were switched off in the settings, so the goal is paused. Switch them on, then resume it with /goal resume.")
	}
	if err == nil && ends {
		_, err = d.write(ctx, log, 0, 0, func(State) (ChangedData, error) { return next, nil })
	}
	if err == nil {
		err = d.begin(ctx, e.Agent, agent.Input{})
	}
	if err != nil && !fault.Is(err, fault.Unavailable) {
		d.log.Error("a goal could not go on", "session", e.Agent.ID(), "error", err)
	}
}

// rested begins a round where none began when the last turn ended: something worked for
// the agent then and has not woken it, or the goal was set just after.
func (d *driver) rested(ctx context.Context, a *agent.Agent) {
	s, err := session.StateOf(a.Log(), d.goal)
	if err != nil || !s.armed(d.mark) {
		return
	}
	for {
		over, pending, err := agent.Pending.Ask(ctx, a.Realm(), a)
		if err != nil || !pending {
			break
		}
		select {
		case <-over:
		case <-ctx.Done():
			return
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, a, agent.Input{}); err != nil && !fault.Is(err, fault.Unavailable) {
		d.log.Error("a goal could not go on", "session", a.ID(), "error", err)
	}
}

// stopping pauses the goal of an agent that is stopped while no turn runs: others may
// work for it. The end of a turn that was stopped does it otherwise.
func (d *driver) stopping(ctx context.Context, c *agent.Cancellation) {
	if c.By == "shutdown" || c.Agent.Status().State != agent.Idle {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := session.StateOf(c.Agent.Log(), d.goal)
	if next, ends := s.after(session.TurnEndData{Reason: session.EndReason{Kind: session.EndAborted, By: c.By}}); err == nil && ends {
		_, err = d.write(ctx, c.Agent.Log(), 0, 0, func(State) (ChangedData, error) { return next, nil })
	}
	if err != nil {
		d.log.Error("a goal could not be paused", "session", c.Agent.ID(), "error", err)
	}
}

// begin queues the next round where the goal is armed, nothing else waits and nothing
// works for the agent. in says how it runs. d.mu is held.
func (d *driver) begin(ctx context.Context, a *agent.Agent, in agent.Input) error {
	s, err := session.StateOf(a.Log(), d.goal)
	if err != nil || !s.armed(d.mark) || s.Rounds >= s.Max || d.off() {
		return err
	}
	if _, pending, err := agent.Pending.Ask(ctx, a.Realm(), a); err != nil || pending {
		return err
	}
	text, err := render(roundText, map[string]any{"Head": head(s.Objective), "Round": s.Rounds + 1, "Max": s.Max})
	if err != nil {
		return err
	}
	in.ID, in.Origin, in.Content = fmt.Sprintf("goal-%s-%d", s.ID, s.Sent+1), origin, llm.Text(text)
	_, err = a.Offer(ctx, in)
	return err
}

// withdraw takes back a round that waits in the queue. One that has begun goes on to
// its end.
func (d *driver) withdraw(ctx context.Context, a *agent.Agent) error {
	q, err := a.Queue()
	if err != nil {
		return err
	}
	for _, id := range waiting(q) {
		if err := a.Remove(ctx, id); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// disarm takes rounds out of the queue of a session that is about to be live: they
// waited when another process ended, or in the session that this one was forked from.
func disarm(ctx context.Context, log *session.Log) error {
	q, err := session.StateOf(log, agent.Inbox)
	if ids := waiting(q); err == nil && len(ids) > 0 {
		_, err = log.Append(ctx, session.InboxChanged.New(0, 0, session.InboxChangedData{Op: "removed", IDs: ids}))
	}
	return err
}

// headLength is how much of an objective the message of a round repeats, in characters.
const headLength = 300

func head(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= headLength {
		return text
	}
	return string([]rune(text)[:headLength]) + "…"
}
