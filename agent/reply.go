package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// incoming is a reply while it arrives: what viewers get at once and what the log
// gets in the end.
type incoming struct {
	agent *Agent
	turn  *turn
	data  session.AssistantMessageData
	parts llm.Assembler

	began, first, answer time.Time // sent; first token; first token that is no thinking
	text, thought        int64     // bytes so far
	calls                []int64   // bytes of arguments so far, by index
	activity             string
	aside                bool // nobody watches it
}

// add takes a chunk and passes it on.
func (in *incoming) add(c llm.Chunk) {
	in.parts.Add(c)
	if c.State != "" {
		in.at(c.State, c.Progress)
		return
	}
	if in.first.IsZero() && (c.Text != "" || c.Reasoning != nil || c.Call != nil) {
		in.first = time.Now()
	}
	if c.Rethink {
		in.thought += in.text
		in.text, in.answer = 0, time.Time{}
		if !in.aside {
			in.agent.log.Delta(session.DeltaData{Message: in.data.ID, Channel: "text", Thought: true})
		}
	}
	if in.aside {
		return
	}
	switch {
	case c.Reasoning != nil && c.Reasoning.Text != "":
		in.at("thinking", 0)
		in.pass("reasoning", &in.thought, c.Reasoning.Text, session.DeltaData{})
	case c.Text != "":
		in.answering()
		in.pass("text", &in.text, c.Text, session.DeltaData{})
	case c.Call != nil:
		in.answering()
		for len(in.calls) <= c.Call.Index {
			in.calls = append(in.calls, 0)
		}
		in.pass("call", &in.calls[c.Call.Index], c.Call.Arguments, session.DeltaData{Call: c.Call.Index, Name: c.Call.Name})
	}
}

func (in *incoming) answering() {
	if in.answer.IsZero() {
		in.answer = time.Now()
	}
	in.at("answering", 0)
}

func (in *incoming) at(activity string, progress float64) {
	if activity != in.activity || progress != 0 {
		in.activity = activity
		in.agent.doing(in.turn, activity, progress)
	}
}

func (in *incoming) pass(channel string, offset *int64, text string, d session.DeltaData) {
	d.Message, d.Channel, d.Offset, d.Text = in.data.ID, channel, *offset, text
	*offset += int64(len(text))
	in.agent.log.Delta(d)
}

// done closes the reply: the message as far as it came, with its times.
func (in *incoming) done(model string) (session.AssistantMessageData, llm.Usage) {
	m, usage, finish := in.parts.Message()
	d := &in.data
	d.Content, d.Reasoning, d.Calls, d.Finish, d.Model = m.Content, m.Reasoning, m.Calls, finish, model
	if usage.Input >= 0 || usage.Output >= 0 {
		d.Usage = &usage
	}
	now := time.Now()
	d.Millis = now.Sub(in.began).Milliseconds()
	if !in.first.IsZero() {
		d.FirstMillis = in.first.Sub(in.began).Milliseconds()
	}
	if in.thought > 0 {
		until := in.answer
		if until.IsZero() {
			until = now
		}
		d.ThinkMillis = until.Sub(in.first).Milliseconds()
	}
	return *d, usage
}

// started reports whether any byte of the reply had come.
func (in *incoming) started() bool { return !in.first.IsZero() }

// stream sends a request once. failed is a failure of the call; then got is what had
// come of the reply.
func (a *Agent) stream(ctx context.Context, t *turn, req *prepared, attempt int, durable func() error) (got *session.AssistantMessageData, failed *llm.Error, err error) {
	s := &Sending{Agent: a, Turn: t.number, Step: t.step, Attempt: attempt, Route: req.choice.Route, Body: req.body, Aside: req.aside, durable: durable}
	chunks, err := Stream.Run(ctx, a.Realm(), s, send)
	if err != nil {
		return nil, nil, err
	}
	in := incoming{agent: a, turn: t, began: time.Now(), aside: req.aside,
		data: session.AssistantMessageData{ID: fmt.Sprintf("m%d.%d.%d", t.number, t.step, attempt)}}
	for chunk, err := range chunks {
		if err != nil {
			failed = modelError(err, in.started())
			break
		}
		in.add(chunk)
	}
	if err := durable(); err != nil {
		return nil, nil, err // whatever became of the request, the log cannot be written
	}
	reply, usage := in.done(req.choice.Route.Name)
	if reply.Finish != "" || in.started() || reply.Usage != nil { // a refused request costs nothing
		reply.Cost = a.cost(req.choice.Route, usage)
		t.used(usage, reply.Cost)
	}
	if failed == nil && reply.Finish == "" {
		failed = &llm.Error{Code: llm.CodeStreamCut, RetryAfter: -1, Started: in.started()}
	}
	if failed != nil {
		return &reply, failed, nil
	}
	return &reply, nil, nil
}

// send is the innermost of the stream's listeners: it sends, and holds the end of
// the request back until the log has it.
func send(ctx context.Context, s *Sending) (iter.Seq2[llm.Chunk, error], error) {
	if adapter, ok := s.Route.Adapter.(llm.Holder); ok {
		return adapter.StreamHeld(ctx, s.Body, s.Durable), nil
	}
	if err := s.Durable(); err != nil {
		return nil, err
	}
	return s.Route.Adapter.Stream(ctx, s.Body), nil
}

// cost is what a reply of a route's model cost, nil where that is unknown.
func (a *Agent) cost(route llm.Route, usage llm.Usage) *llm.Money {
	prices, ok := graph.Lookup(a.Realm(), llm.PricesKey)
	if !ok {
		return nil
	}
	price, known := prices.Price(route)
	cost, counted := price.Cost(usage)
	if !known || !counted {
		return nil
	}
	return &cost
}

// keep logs a reply, whole or interrupted.
func (a *Agent) keep(t *turn, reply session.AssistantMessageData) error {
	_, err := a.log.Append(a.background(), session.AssistantMessage.New(t.number, t.step, reply))
	return err
}

// keepPrefix logs what had come of a reply that will not be finished: its text and
// thinking, marked, and none of its calls.
func (a *Agent) keepPrefix(t *turn, reply *session.AssistantMessageData) error {
	if reply == nil || len(reply.Content) == 0 && len(reply.Reasoning) == 0 {
		return nil
	}
	reply.Interrupted, reply.Calls, reply.Usage, reply.Cost = true, nil, nil, nil
	return a.keep(t, *reply)
}

func modelError(err error, started bool) *llm.Error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = &llm.Error{Code: llm.CodeTransport, RetryAfter: -1, Err: err}
	}
	e.Started = e.Started || started
	return e
}
