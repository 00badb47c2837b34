package agent

import (
	"context"
	"fmt"
	"iter"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// Proposal is a step that is about to begin.
type Proposal struct {
	Agent *Agent
	Turn  int
	Step  int
	Mode  string
	// Messages are the drafts that would enter the surface: what was claimed from
	// the queue, in order. It is empty where the step only answers tool results.
	Messages []session.Draft
}

// Admission is what becomes of a proposed step.
type Admission struct {
	// Messages enter the surface instead of the proposal's.
	Messages []session.Draft
	// Reject, where set, ends the turn instead; what was claimed is still logged.
	Reject *Rejection
	// NewSeries, where set, names why the next request does not extend the last one.
	NewSeries string
}

// Rejection is the end of a turn that goes no further. Text is for the person; Key
// and Values are the same sentence for the message catalog.
type Rejection struct {
	Reason session.EndReason
	Text   string
	Key    string
	Values map[string]any
}

// Asking is a request before it is built. Messages cannot be touched here: what a
// model sees is in the log.
type Asking struct {
	Agent *Agent
	Turn  int
	Step  int
}

// Choice is where a request goes and with which options.
type Choice struct {
	Route  llm.Route
	Params llm.Params
	// NewSeries, where set, names why the request does not extend the last one.
	NewSeries string
}

// Sending is a request on its way: its exact bytes.
type Sending struct {
	Agent   *Agent
	Turn    int
	Step    int
	Attempt int
	Route   llm.Route
	Body    []byte
	// Aside is true for a question of the harness, which is no part of the
	// conversation; see [Agent.Aside].
	Aside bool

	durable func() error
}

// Durable returns once the log says, on disk, that this is about to be sent. Whoever
// sends the body calls it before anybody can act on the whole of it.
func (s *Sending) Durable() error { return s.durable() }

// Failure is a failed attempt.
type Failure struct {
	Agent   *Agent
	Turn    int
	Step    int
	Attempt int // counts from 1 within the step
	Route   llm.Route
	Params  llm.Params
	Err     *llm.Error
	Aside   bool // as in [Sending]
}

// Recourse says how a step goes on after a failed attempt. The zero value gives up.
type Recourse struct {
	Again bool
	// Wait is the time before the next attempt, or with Again false the time after
	// which a person may try again; 0 where unknown. Stop ends it.
	Wait time.Duration
	// Rebuild makes the request anew, because the surface or the route changed.
	Rebuild bool
	// MaxTokens caps the replies of this step, where it is not 0.
	MaxTokens int
	// Told is the sentence for the person where Again is false and a listener knows
	// more than what the failure's code says; nil is the usual one.
	Told *fault.Error
}

// Stop is a turn that is about to end because the model asks for nothing more.
// A listener that wants another step calls [Agent.Steer], or GoOn.
type Stop struct {
	Agent  *Agent
	Turn   int
	Step   int
	Finish llm.FinishReason
	// Cuts is how many replies of this turn were cut off at the length limit.
	Cuts int

	more []session.Draft
}

// GoOn gives the turn another step that begins with a message of the harness.
func (s *Stop) GoOn(source, text string) {
	s.more = append(s.more, session.Injected.New(s.Turn, s.Step+1, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", source, s.Turn, s.Step+1), Source: source, Text: text}))
}

// Ended is a turn whose end is in the log.
type Ended struct {
	Agent *Agent
	Turn  int
	End   session.TurnEndData
}

// Opened is a session that is about to be live. Room is the fiber of its realm: what
// is plugged into it is the session's own and goes with it.
type Opened struct {
	Log  *session.Log
	Room *graph.Fiber
}

// Cancellation is a stop that somebody asked for, before anything was stopped.
type Cancellation struct {
	Agent *Agent
	By    string // as in [Agent.Cancel]

	after []func(context.Context)
}

// After has the stop wait for something once the turn, where one runs, was told to end.
func (c *Cancellation) After(wait func(context.Context)) { c.after = append(c.after, wait) }

// The seams of the loop. Each runs in the realm of the agent's session.
var (
	PreStep      = graph.NewWaterfall[*Proposal, Admission]("agent.pre-step", "may reject a step or rewrite what enters it")
	Request      = graph.NewWaterfall[*Asking, Choice]("agent.request", "may change route and options of a request, never its messages")
	Stream       = graph.NewWaterfall[*Sending, iter.Seq2[llm.Chunk, error]]("agent.stream", "may wrap or answer a model call")
	RequestError = graph.NewWaterfall[*Failure, Recourse]("agent.request-error", "may have a failed request tried again")
	TurnStopping = graph.NewSerial[*Stop]("agent.turn-stopping", "may keep a turn going that is about to end")
	// Opening is told before the first turn; who listens must not wait for anybody.
	Opening = graph.NewNotify[Opened]("agent.opening", "a session is about to be live; its realm may be furnished")
	// Rested is no part of the loop: who listens must not block it.
	Rested = graph.NewNotify[*Agent]("agent.rested", "an agent is idle after it ran")
	// Cancelling is heard for an idle agent too: others may work for it.
	Cancelling = graph.NewNotify[*Cancellation]("agent.cancelling", "an agent is about to be stopped; who listens stops what works for it")
	// Pending is asked for an idle agent; the channel closes when what it stands for has
	// woken the agent, or never will.
	Pending = graph.NewBail[*Agent, <-chan struct{}]("agent.pending", "says that something still works for an idle agent")
	// Woken is no place to wait: nobody has the agent before it was heard.
	Woken     = graph.NewNotify[*Agent]("agent.woken", "a session was opened again and its agent is there")
	TurnEnded = graph.NewNotify[*Ended]("agent.turn-ended", "a turn is over and its end is on disk; the next one has not begun")
)

// admitted lets a step begin as it was proposed.
func admitted(_ context.Context, p *Proposal) (Admission, error) {
	return Admission{Messages: p.Messages}, nil
}

// noRecourse gives up; it is the innermost answer to a failure.
func noRecourse(context.Context, *Failure) (Recourse, error) { return Recourse{}, nil }
