package agent

import (
	"context"
	"slices"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Queue is the inbox as the log tells it.
type Queue struct {
	// Waiting are the messages nobody has claimed yet, oldest first.
	Waiting []session.Queued `json:"waiting"`
	// Held is true where the queue waits for the person to let it go on.
	Held bool `json:"held,omitempty"`
	// Recent are the ids queued last, so that a message sent twice is one message.
	Recent []string `json:"recent,omitempty"`
}

// remembered bounds Queue.Recent; a client that retries does so within a few messages.
const remembered = 64

// Inbox folds the queue. Its view is what the page shows above the composer.
var Inbox = session.Projection[Queue]{
	Name:    "queue",
	Version: 1,
	Init:    func() Queue { return Queue{} },
	Fold:    foldQueue,
	View: func(q Queue) any {
		return map[string]any{"waiting": append([]session.Queued{}, q.Waiting...), "held": q.Held}
	},
}

func foldQueue(q Queue, e session.Event) Queue {
	if !session.InboxChanged.Of(e) {
		return q
	}
	d, err := session.InboxChanged.Decode(e)
	if err != nil {
		return q
	}
	switch d.Op {
	case "queued":
		q.Waiting = append(slices.Clip(q.Waiting), *d.Message)
		q.Recent = append(slices.Clone(q.Recent[max(0, len(q.Recent)-remembered+1):]), d.Message.ID)
	case "edited", "promoted":
		q.Waiting = slices.Clone(q.Waiting)
		for i, m := range q.Waiting {
			switch {
			case d.Op == "edited" && m.ID == d.Message.ID:
				q.Waiting[i].Content = d.Message.Content
			case d.Op == "promoted" && slices.Contains(d.IDs, m.ID):
				q.Waiting[i].Delivery = Steer
			}
		}
	case "claimed", "removed":
		q.Waiting = slices.DeleteFunc(slices.Clone(q.Waiting), func(m session.Queued) bool { return slices.Contains(d.IDs, m.ID) })
	case "held", "released":
		q.Held = d.Op == "held"
	}
	return q
}

// wakes reports whether something waits that begins a turn.
func (q Queue) wakes() bool {
	return slices.ContainsFunc(q.Waiting, func(m session.Queued) bool { return m.Delivery != Inject })
}

// next are the messages that join the coming step: everything meant for a step
// and, at the start of a turn, the oldest follow-up.
func (q Queue) next(boundary bool) []session.Queued {
	var out []session.Queued
	for _, m := range q.Waiting {
		if m.Delivery == FollowUp {
			if !boundary {
				continue
			}
			boundary = false
		}
		out = append(out, m)
	}
	return out
}

// steered reports whether a person's steer waits, which keeps a turn going.
func (q Queue) steered() bool {
	return slices.ContainsFunc(q.Waiting, func(m session.Queued) bool { return m.Delivery == Steer })
}

// Queue is what waits now.
func (a *Agent) Queue() (Queue, error) { return session.StateOf(a.log, Inbox) }

// unwritten is said of a turn whose end the log did not take when it came.
const unwritten = "The log could not be written when this turn ended. What was still open is marked; everything before it is kept."

// Offer queues a follow-up as [Agent.Send] does, but only where nothing waits that
// begins a turn and the queue is not held. False means that nothing was queued. It is
// for turns that nobody waits for, and may be called from [TurnEnded].
func (a *Agent) Offer(ctx context.Context, in Input) (bool, error) {
	m := session.Queued{ID: in.ID, Content: in.Content, Delivery: FollowUp, Origin: in.Origin, Mode: in.Mode, Model: in.Model, Effort: in.Effort}
	queued, err := a.put(ctx, m, in.Events, func(q Queue) bool { return !q.Held && !q.wakes() })
	if queued {
		a.wake()
	}
	return queued, err
}

// enqueue makes a message wait, and whatever events go with it; both are durable then.
func (a *Agent) enqueue(ctx context.Context, m session.Queued, events []session.Draft) error {
	_, err := a.put(ctx, m, events, func(Queue) bool { return true })
	return err
}

// put is enqueue where the queue has a place for the message.
func (a *Agent) put(ctx context.Context, m session.Queued, events []session.Draft, place func(Queue) bool) (bool, error) {
	a.mu.Lock()
	if err := a.admitting(ctx); err != nil {
		a.mu.Unlock()
		return false, err
	}
	q, err := a.Queue()
	if err == nil && !place(q) {
		a.mu.Unlock()
		return false, nil
	}
	if err == nil && !slices.Contains(q.Recent, m.ID) {
		drafts := []session.Draft{session.InboxChanged.New(0, 0, session.InboxChangedData{Op: "queued", Message: &m})}
		if q.Held && m.Delivery != Inject && a.current == nil {
			drafts = append(drafts, session.InboxChanged.New(0, 0, session.InboxChangedData{Op: "released"}))
		}
		_, err = a.log.Append(ctx, append(drafts, events...)...)
	}
	a.mu.Unlock()
	if err == nil {
		err = a.log.Flush(ctx)
	}
	if err != nil {
		return false, fault.Wrap(fault.KindOf(err), "agent.send", err, "The message was not sent: %s", fault.Person(err))
	}
	return true, nil
}

// admitting says why nothing may be queued. a.mu is held.
func (a *Agent) admitting(ctx context.Context) error {
	if a.broken != nil && a.current == nil && !a.closed {
		a.broken = a.log.Settle(ctx, unwritten)
	}
	switch {
	case a.closed:
		return fault.New(fault.Unavailable, "agent.send", "This host is shutting down. The message was not sent; start Fairlead again and send it then.")
	case a.broken != nil:
		return fault.Wrap(fault.KindOf(a.broken), "agent.send", a.broken, "The session's log cannot be written. The message was not sent: %s", fault.Person(a.broken)).WithCode(fault.CodeOf(a.broken))
	}
	return nil
}

// Edit replaces the text of a waiting message. Where it is no longer waiting, it
// fails with fault.NotFound and nothing changes.
func (a *Agent) Edit(ctx context.Context, id string, content []llm.Part) error {
	return a.change(ctx, id, session.InboxChangedData{Op: "edited", Message: &session.Queued{ID: id, Content: content}})
}

// Remove takes a waiting message out of the queue; see [Agent.Edit] for a lost race.
func (a *Agent) Remove(ctx context.Context, id string) error {
	return a.change(ctx, id, session.InboxChangedData{Op: "removed", IDs: []string{id}})
}

// Promote turns a waiting follow-up into a steer: it joins the next step; see
// [Agent.Edit] for a lost race.
func (a *Agent) Promote(ctx context.Context, id string) error {
	if err := a.change(ctx, id, session.InboxChangedData{Op: "promoted", IDs: []string{id}}); err != nil {
		return err
	}
	a.wake()
	return nil
}

// Hold keeps the queue from going on after the turn that runs; with false it goes on.
func (a *Agent) Hold(ctx context.Context, hold bool) error {
	op := "released"
	if hold {
		op = "held"
	}
	a.mu.Lock()
	_, err := a.log.Append(ctx, session.InboxChanged.New(0, 0, session.InboxChangedData{Op: op}))
	a.mu.Unlock()
	if err == nil {
		err = a.log.Flush(ctx)
	}
	if err == nil && !hold {
		a.wake()
	}
	return err
}

func (a *Agent) change(ctx context.Context, id string, d session.InboxChangedData) error {
	a.mu.Lock()
	q, err := a.Queue()
	if err == nil && (a.claiming[id] || !slices.ContainsFunc(q.Waiting, func(m session.Queued) bool { return m.ID == id })) {
		err = fault.New(fault.NotFound, "agent.queue", "That message is no longer waiting: the agent has it, or it was removed. Nothing was changed.")
	}
	if err == nil {
		_, err = a.log.Append(ctx, session.InboxChanged.New(0, 0, d))
	}
	a.mu.Unlock()
	if err != nil {
		return err
	}
	return a.log.Flush(ctx)
}

// claim takes the messages of the coming step out of everybody's reach. They are
// the loop's from here on; the log says so with the step's first batch.
func (a *Agent) claim(boundary bool) ([]session.Queued, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, err := a.Queue()
	if err != nil {
		return nil, err
	}
	claimed := q.next(boundary)
	for _, m := range claimed {
		a.claiming[m.ID] = true
	}
	return claimed, nil
}

// settle ends a claim, after the log has it or has refused it.
func (a *Agent) settle() {
	a.mu.Lock()
	clear(a.claiming)
	a.mu.Unlock()
}

// wake starts the loop where it is not running and something waits.
func (a *Agent) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current != nil || a.closed || a.broken != nil {
		return
	}
	if t := a.prepare(); t != nil {
		a.idle = make(chan struct{})
		// What a turn stands on is not replaced under it; other rows may be.
		go a.drive(t, a.Realm().Hold(HostKey, GateKey))
	}
}
