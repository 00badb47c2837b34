package window

import (
	"context"
	"fmt"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Codes of the ends that a context without room gives a turn.
const (
	CodeMessageTooLarge = "CONTEXT_MESSAGE_TOO_LARGE"
	CodeExceeded        = "CONTEXT_WINDOW_EXCEEDED"
)

// request makes room before a request where there is too little, refuses a message
// that cannot fit, and caps the reply of a server on this machine.
func (w *room) request(ctx context.Context, q *agent.Asking, next func(context.Context, *agent.Asking) (agent.Choice, error)) (agent.Choice, error) {
	choice, err := next(ctx, q)
	if err != nil {
		return choice, err
	}
	r, err := w.size(ctx, q.Agent, choice)
	if err != nil {
		return choice, err
	}
	if r.over() {
		if withheld, err := w.withhold(ctx, q.Agent, q.Turn, q.Step, choice, r); err != nil {
			return choice, err
		} else if withheld != nil {
			return choice, withheld
		}
	}
	m := w.meters.of(q.Agent)
	if at := [2]int{q.Turn, q.Step}; m.made != at && r.needsRoom() {
		m.made = at
		if r, err = w.makeRoom(ctx, q.Agent, choice, r, m); err != nil {
			return choice, err
		}
	}
	if r.over() {
		return choice, exceeded(choice.Route, r, nil)
	}
	choice.NewSeries, m.series = m.series, ""
	choice.Params.MaxTokens = replyLimit(choice, r)
	return choice, nil
}

// makeRoom makes room once, and where the part that is kept is too large by itself,
// in that part too. It gives what the request is like afterwards.
func (w *room) makeRoom(ctx context.Context, a *agent.Agent, choice agent.Choice, r reading, m *meter) (reading, error) {
	for _, by := range []string{bySize, byRefusal} {
		if by == byRefusal && !r.over() {
			break
		}
		ended, err := w.compaction(a, choice, r, by).run(ctx)
		if err != nil {
			return r, err
		}
		if !ended.shrank() {
			continue
		}
		m.series = causeCompaction
		if r, err = w.size(ctx, a, choice); err != nil {
			return r, err
		}
	}
	return r, nil
}

// over reports whether a request surely does not fit. An estimate may be a fifth too
// high; the server then has the last word.
func (r reading) over() bool {
	if r.budget.Assumed() {
		return false
	}
	return r.tokens > r.budget.Most && r.counted || r.tokens*4/5 > r.budget.Most
}

// needsRoom reports whether room is to be made before a request. Where the last time
// did not help enough, it waits until there is something to be gained.
func (r reading) needsRoom() bool {
	if r.tokens < r.budget.Start {
		return false
	}
	return !r.gauge.Stuck || r.tokens > r.budget.Most || r.tokens >= r.gauge.After+r.budget.Window/10
}

// causeCompaction is the cause of a break of the prefix.
const causeCompaction = "compaction"

// replyLimit is the cap that is sent: what a person or a refusal set, and on this
// machine that of [replyCap]; never more than the window leaves.
func replyLimit(choice agent.Choice, r reading) int {
	limit := choice.Params.MaxTokens
	if r.budget.Assumed() || limit == 0 && !choice.Route.Local {
		return limit
	}
	room := replyCap(r.budget.Window, r.tokens)
	if limit > 0 {
		room = max(r.budget.Window-r.tokens-safety(r.budget.Window, r.tokens), 0)
		room = min(limit, room)
	}
	return max(room, 1)
}

// size looks at a session's next request, and has the server count it where it can
// and where what is not measured yet could make a difference.
func (w *room) size(ctx context.Context, a *agent.Agent, choice agent.Choice) (reading, error) {
	r, err := w.read(ctx, a, choice.Route)
	if err != nil || choice.Route.Counter == nil || r.atMost() < r.budget.Start {
		return r, err
	}
	n, err := w.count(ctx, a, choice, r.surface)
	if err != nil {
		return r, err
	}
	if n > 0 {
		r.tokens, r.counted = max(n, 1), true
		r.gauge.Reported, r.gauge.ReportedPlain = n, r.plain
	}
	return r, nil
}

// atMost is what the next request cannot exceed: a token has at least one byte.
func (r reading) atMost() int {
	if r.gauge.Reported <= 0 {
		return r.plain * bytesPerToken
	}
	return max(r.tokens, r.gauge.Reported+max(r.plain-r.gauge.ReportedPlain, 0)*bytesPerToken)
}

// count asks the server for the size of a request that shows these entries; 0 where
// it does not tell, which is no reason not to send.
func (w *room) count(ctx context.Context, a *agent.Agent, choice agent.Choice, surface []session.Entry) (int, error) {
	if choice.Route.Counter == nil {
		return 0, nil
	}
	// To write the request out once more takes longer the longer the session is, so a
	// server that was found not to count is not asked.
	if known, ok := choice.Route.Counter.(interface{ CanCount() bool }); ok && !known.CanCount() {
		return 0, nil
	}
	body, err := a.Preview(ctx, choice, surface)
	if err != nil {
		return 0, err
	}
	n, err := choice.Route.Counter.Count(ctx, body)
	if err != nil {
		if ctx.Err() != nil {
			return 0, fault.Wrap(fault.Cancelled, "window.count", err, "It was stopped before the request was sent.")
		}
		w.log.Debug("a server did not count tokens", "route", choice.Route.Name, "err", err)
		return 0, nil
	}
	return n, nil
}

// newest gives where on a surface begins what the person's side said after the last
// reply; len(surface) where the last word is the model's or a tool's.
func newest(surface []session.Entry) int {
	i := len(surface)
	for i > 0 && surface[i-1].Message.Role == llm.User {
		i--
	}
	return i
}

// exceeded says that a session does not fit any more. refused is the server's own
// refusal, nil where nothing was sent.
func exceeded(route llm.Route, r reading, refused *llm.Error) *fault.Error {
	f := &fault.Error{Kind: fault.TooLarge, Op: "window.fit", Code: CodeExceeded, Key: "failed.overflow",
		Values: map[string]any{"model": route.Name, "used": r.tokens, "window": r.budget.Window}}
	if refused != nil {
		f.Err = refused
	}
	frame := r.parts.System + r.parts.Tools
	switch {
	case frame > r.budget.Most*3/4:
		f.Text = fmt.Sprintf("The context of %s holds %s tokens, and the instructions and tools alone need about %s of them. Nothing was lost; load the model with a larger context, or choose another one.",
			route.Name, thousands(r.budget.Window), thousands(frame))
	case r.budget.Assumed():
		f.Text = fmt.Sprintf("This session no longer fits into the context of %s. Nothing was lost; summarise and continue, or start a new session.", route.Name)
	default:
		f.Text = fmt.Sprintf("This session no longer fits into the context of %s: it needs about %s of %s tokens, and there is nothing older left to summarise. Nothing was lost; start a new session, or choose a model with a larger context.",
			route.Name, thousands(r.tokens), thousands(r.budget.Window))
	}
	return f
}

// thousands writes a number with separators.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
