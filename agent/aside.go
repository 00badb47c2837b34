package agent

import (
	"context"
	"slices"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Aside is a question of the harness about what the model has read. It is a request
// like any other, in the log and shown by `session request`, but neither it nor its
// reply joins the surface.
type Aside struct {
	// Choice is where it goes; that of the conversation lets a server reuse what it
	// has read.
	Choice Choice
	// Until is the event of the last entry that the model sees again; what stands
	// behind it on the surface is left out.
	Until int64
	// Ask is the question, put behind that entry.
	Ask string
	// Cause says why the request does not extend the last one, for the log.
	Cause string
	// Activity is what viewers are told meanwhile; see [Status].
	Activity string
}

// CodeBusy marks what cannot be done while a turn runs.
const CodeBusy = "busy"

// Aside asks and gives the reply. It may be called by listeners of [Request] and
// [RequestError], and by what [Agent.Maintain] runs. Transient failures are tried
// again as for every request; the last one comes back as an *[llm.Error].
func (a *Agent) Aside(ctx context.Context, q Aside) (*session.AssistantMessageData, error) {
	a.mu.Lock()
	t := a.current
	a.mu.Unlock()
	if t == nil {
		return nil, fault.New(fault.Internal, "agent.aside", "Nothing runs in which something could be asked.")
	}
	ref, err := a.log.PutBlob(ctx, []byte(q.Ask))
	if err != nil {
		return nil, err
	}
	reply, lost, err := a.exchange(ctx, t, q.Activity, func(limit int) (*prepared, error) {
		if limit > 0 {
			q.Choice.Params.MaxTokens = limit
		}
		// What a refusal taught meanwhile.
		if now, err := a.needs.routes.Resolve(ctx, q.Choice.Route.Name); err == nil {
			q.Choice.Params.Quirks, _ = q.Choice.Params.Quirks.With(now.Params.Quirks)
		}
		if err := a.compose(ctx); err != nil {
			return nil, err
		}
		req, err := a.write(q.Choice, aside(a.log.Surface(), q.Until, q.Ask))
		if err != nil {
			return nil, err
		}
		req.aside, req.header.Until, req.header.Ask = true, q.Until, ref.SHA256
		t.series = q.Cause
		return req, nil
	})
	if err != nil {
		return nil, err
	}
	if lost != nil {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.Cancelled, "agent.aside", err, "It was stopped before the model had answered. Nothing was changed.")
		}
		return nil, lost.failed
	}
	return reply, nil
}

// aside is what the model sees of a surface when it is asked something beside it.
func aside(surface []session.Entry, until int64, ask string) []session.Entry {
	end := slices.IndexFunc(surface, func(e session.Entry) bool { return e.Span.To > until })
	if end < 0 {
		end = len(surface)
	}
	return append(surface[:end:end], session.Entry{Message: llm.Message{Role: llm.User, Content: llm.Text(ask)}})
}

// Next is where the session's next request would go, before any listener of [Request]
// has its say.
func (a *Agent) Next(ctx context.Context) (Choice, error) { return a.choose(ctx, &turn{}) }

// Preview writes the body of a request that would show the model these entries. Who
// may call it is said at [Agent.Aside]. Nothing is sent or logged.
func (a *Agent) Preview(ctx context.Context, c Choice, surface []session.Entry) ([]byte, error) {
	if err := a.compose(ctx); err != nil {
		return nil, err
	}
	messages, _ := (&sent{}).normalise(a.log, surface, c.Params)
	return a.encode(c, messages)
}

// Frame is what stands before the history of every request: system prompt and tools,
// as they are now. Who may call it is said at [Agent.Aside].
func (a *Agent) Frame(ctx context.Context) (system string, tools []llm.ToolSchema, err error) {
	if err := a.compose(ctx); err != nil {
		return "", nil, err
	}
	return a.sent.system, a.sent.tools, nil
}

// Maintain runs a task on an idle session, so that no turn begins meanwhile: messages
// wait until it is over. Its context ends with ctx, with [Agent.Cancel], and with the
// host. Where a turn runs it is a Conflict with code [CodeBusy].
func (a *Agent) Maintain(ctx context.Context, activity string, task func(context.Context) error) error {
	a.mu.Lock()
	if err := a.admitting(ctx); err != nil {
		a.mu.Unlock()
		return err
	}
	if a.current != nil {
		a.mu.Unlock()
		return fault.New(fault.Conflict, "agent.maintain", "The agent is at work. Nothing was changed; try again when it is done, or stop it first.").WithCode(CodeBusy)
	}
	live, stop := context.WithCancel(a.live)
	t := &turn{began: time.Now(), usage: llm.UnknownUsage(), ctx: live, stop: stop, ended: make(chan struct{})}
	a.current, a.idle = t, make(chan struct{})
	turn := a.status.Turn
	a.setStatus(func(s *Status) { *s = Status{State: Running, Turn: turn, Activity: activity, Since: s.Since} })
	a.mu.Unlock()
	hold := a.Realm().Hold(HostKey, GateKey)
	defer a.maintained(t, hold)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(live, cancel)()
	defer cancel()
	err := task(ctx)
	if flushed := a.log.Flush(a.background()); err == nil {
		err = flushed
	}
	return err
}

// maintained ends a task and lets what waited begin.
func (a *Agent) maintained(t *turn, hold func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.current = nil
	close(t.ended)
	if a.broken == nil && !a.closed {
		if next := a.prepare(); next != nil {
			go a.drive(next, hold)
			return
		}
	}
	a.setStatus(func(s *Status) { *s = Status{State: Idle, Turn: s.Turn} })
	close(a.idle)
	hold()
}
