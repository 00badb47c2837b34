package agent

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// Input is something said to an agent.
type Input struct {
	// ID is the sender's own id of the message; empty lets the agent make one. The
	// same id sent again is the same message: it is not queued twice.
	ID      string
	Content []llm.Part
	// Mode, Model and Effort are the person's choice for the turn and those after
	// it; empty keeps what holds. Mode is read once, when the turn starts.
	Mode   string
	Model  string
	Effort string
	// Origin says who speaks: "person" (also where empty), "goal", "task", "parent", "job", "helper".
	Origin string
	// Events enter the log together with the message: both are there, or neither.
	Events []session.Draft
}

// Deliveries of a queued message.
const (
	FollowUp = "follow-up" // its own turn, and wakes
	Steer    = "steer"     // joins the next step, and wakes
	Inject   = "inject"    // joins the next admitted step, does not wake
)

// State says what an agent does now.
type State string

// The states. Waiting for a person is Running with a waiting approval.
const (
	Idle     State = "idle"
	Running  State = "running"
	Stopping State = "stopping"
)

// Status is true only now; it is read beside a snapshot of the log, never logged.
type Status struct {
	State State `json:"state"`
	Turn  int   `json:"turn,omitempty"`
	Step  int   `json:"step,omitempty"`
	// Since is when State or Activity last changed, Unix milliseconds.
	Since int64 `json:"since,omitempty"`
	// Activity is a catalog word: "starting", "asking", "loading", "prompt",
	// "thinking", "answering", "tools", "retrying", "summarising"; empty when idle.
	Activity string `json:"activity,omitempty"`
	// Progress is how far a slow server is with Activity, 0 to 1; 0 where unknown.
	Progress float64 `json:"progress,omitempty"`
}

// Agent drives one session. Its methods may be called by anybody at any time;
// one goroutine, started when there is something to do, writes the turns.
type Agent struct {
	log   *session.Log
	room  *graph.Fiber // holds what is plugged for this session alone
	needs needs
	live  context.Context // the host's run; turns are bounded by it
	mode  string          // what the session was created with, until a message says otherwise

	mu       sync.Mutex
	status   Status
	current  *turn           // the turn that runs or is about to
	claiming map[string]bool // messages the loop has taken and the log does not say so yet
	idle     chan struct{}   // closed while idle
	closed   bool
	broken   error // the log could not be written; nothing more is admitted until it can

	sent sent // what the last request was made of; the loop's alone
}

// ID is the session's.
func (a *Agent) ID() session.ID { return a.log.ID() }

// Log is the session's log. Only the agent, its tools and slices write to it.
func (a *Agent) Log() *session.Log { return a.log }

// Realm is where the session's services are looked up.
func (a *Agent) Realm() *graph.Realm { return a.room.Realm() }

// Status says what the agent does now.
func (a *Agent) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// Send queues a message as a turn of its own and wakes the agent. When it
// returns, the message is durable. It fails with fault.Unavailable after
// [Host.Shutdown] and where the log cannot be written.
func (a *Agent) Send(ctx context.Context, in Input) (id string, err error) {
	return a.queue(ctx, in, FollowUp)
}

// Steer puts a message into the next step of the running turn, or begins a turn.
func (a *Agent) Steer(ctx context.Context, in Input) (id string, err error) {
	return a.queue(ctx, in, Steer)
}

// Inject tells the model something with the next admitted step. It wakes nobody.
// Source names the plugin that speaks; events are as those of an [Input].
func (a *Agent) Inject(ctx context.Context, source, text string, events ...session.Draft) error {
	return a.enqueue(ctx, session.Queued{ID: newID(), Content: llm.Text(text), Delivery: Inject, Source: source}, events)
}

func (a *Agent) queue(ctx context.Context, in Input, delivery string) (string, error) {
	if len(in.Content) == 0 {
		return "", fault.New(fault.Invalid, "agent.send", "The message is empty. Nothing was sent; write something first.")
	}
	if in.ID == "" {
		in.ID = newID()
	}
	if in.Origin == "" {
		in.Origin = "person"
	}
	q := session.Queued{ID: in.ID, Content: in.Content, Delivery: delivery, Origin: in.Origin, Mode: in.Mode, Model: in.Model, Effort: in.Effort}
	if err := a.enqueue(ctx, q, in.Events); err != nil {
		return in.ID, err
	}
	a.wake()
	return in.ID, nil
}

// Cancel stops the running turn and returns once its end is on disk. Who stops is
// "user", "parent", "hook" or "shutdown". With nothing running it returns at once.
// A turn that has not reached the model yet is stopped before it asks. What works for
// the agent is stopped too; see [Cancelling].
func (a *Agent) Cancel(ctx context.Context, by string) error {
	c := &Cancellation{Agent: a, By: by}
	Cancelling.Emit(ctx, a.Realm(), c)
	a.mu.Lock()
	t := a.current
	if t != nil && t.because(session.EndReason{Kind: session.EndAborted, By: by}) {
		a.setStatus(func(s *Status) { s.State = Stopping })
	}
	a.mu.Unlock()
	if t != nil {
		t.stop()
	}
	for _, wait := range c.after {
		wait(ctx)
	}
	if t == nil {
		return nil
	}
	select {
	case <-t.ended:
		return t.failure
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Halt ends a turn as a plugin decided, in the middle of whatever it does, and does
// not wait. False means that the turn has a reason to end already, or is over.
func (a *Agent) Halt(turn int, r Rejection) bool {
	a.mu.Lock()
	t := a.current
	halts := t != nil && t.number == turn && t.end(r)
	if halts {
		a.setStatus(func(s *Status) { s.State = Stopping })
	}
	a.mu.Unlock()
	if halts {
		t.stop()
	}
	return halts
}

// rests lets nothing more into an agent that has nothing to do, and reports whether
// it had not.
func (a *Agent) rests() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, err := a.Queue()
	if a.current != nil || a.closed || err != nil || len(q.Waiting) > 0 {
		return false
	}
	a.closed = true
	return true
}

// retire lets nothing more in and stops what runs.
func (a *Agent) retire(ctx context.Context, by string) error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	if err := a.Cancel(ctx, by); err != nil {
		return err
	}
	return a.Idle(ctx)
}

// Idle returns when nothing runs and nothing that would wake waits. It
// reports the reason where the log could not be written.
func (a *Agent) Idle(ctx context.Context) error {
	a.mu.Lock()
	idle := a.idle
	a.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.broken
}

// Quiet returns when the agent is idle and nothing works for it any more that would
// wake it; see [Pending].
func (a *Agent) Quiet(ctx context.Context) error {
	for {
		if err := a.Idle(ctx); err != nil {
			return err
		}
		over, pending, err := Pending.Ask(ctx, a.Realm(), a)
		if err != nil || !pending {
			return err
		}
		select {
		case <-over:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// setStatus changes the status and tells the viewers. a.mu is held.
func (a *Agent) setStatus(change func(*Status)) {
	before := a.status
	change(&a.status)
	if a.status == before {
		return
	}
	if a.status.State != before.State || a.status.Activity != before.Activity {
		a.status.Since = time.Now().UnixMilli()
	}
	a.log.Live(session.Live{Type: "status", Data: a.status})
}

// doing says what the running turn is at.
func (a *Agent) doing(t *turn, activity string, progress float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.setStatus(func(s *Status) { s.Turn, s.Step, s.Activity, s.Progress = t.number, t.step, activity, progress })
}

// newID makes a message id: 60 random bits, unique enough within one session.
func newID() string { return "u" + strings.ToLower(rand.Text()[:12]) }
