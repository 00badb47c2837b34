package agent

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// turn is one drain of admitted input. The loop alone touches it, except for its
// reason, which anybody may be the first to give.
type turn struct {
	number int
	step   int
	mode   string
	began  time.Time
	ctx    context.Context // the turn's lifetime; stop ends it
	stop   context.CancelFunc

	mu     sync.Mutex
	reason session.EndReason // the first cause; zero while the turn goes on

	said Rejection // the sentence for the person; its reason is not used
	err  *session.ErrorData

	stepOpen bool
	series   string          // why the next request need not extend the last
	more     []session.Draft // what a listener wants the next step to begin with
	usage    llm.Usage
	cost     llm.Money
	unpriced bool // something was used whose cost is unknown
	input    int  // tokens of the last request, as the server counted them
	window   int  // of the model it went to
	// maxTokens caps the replies of the step, as a refusal taught; 0 is no cap.
	maxTokens int
	steps     int
	cuts      int  // replies that were cut off
	answered  bool // some answer text was given
	acted     bool // some tool card was shown
	// unanswered is true where a call was refused because nobody was there to approve it.
	unanswered bool
	changed    []string
	last       *session.AssistantMessageData

	ended   chan struct{} // closed once the end is on disk, or cannot be
	failure error         // why it cannot be; set before ended is closed
}

// because gives the turn a reason to end, unless it has one. The first cause wins.
func (t *turn) because(r session.EndReason) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reason.Kind != "" {
		return false
	}
	t.reason = r
	return true
}

// over reports whether the turn has a reason to end.
func (t *turn) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reason.Kind != ""
}

// end gives a reason with its sentence. False means that there was one already.
func (t *turn) end(r Rejection) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reason.Kind != "" {
		return false
	}
	t.reason, t.said = r.Reason, r
	return true
}

// fail ends the turn with an error. What fails because the turn was stopped changes
// nothing: the stop came first.
func (t *turn) fail(err error) {
	d := failure(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reason.Kind != "" {
		return
	}
	t.reason = session.EndReason{Kind: session.EndError}
	if d.Code == CodeModeUnavailable {
		t.reason.Kind = session.EndBlocked
	}
	t.err, t.said.Text = d, d.Message
	if e, ok := errors.AsType[*fault.Error](err); ok {
		t.said.Key, t.said.Values = e.Key, e.Values
	}
}

// halted reports whether the turn ended by a stop or an error, after which a queue
// may be held.
func (t *turn) halted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reason.Kind == session.EndAborted || t.reason.Kind == session.EndError
}

// failure is an error as the log keeps it.
func failure(err error) *session.ErrorData {
	d := &session.ErrorData{Code: fault.CodeOf(err), Message: fault.Person(err)}
	if d.Code == "" {
		d.Code = fault.KindOf(err).String()
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Err != nil {
		d.Details = e.Err.Error()
	}
	return d
}

// data is the turn's last event.
func (t *turn) data() session.TurnEndData {
	t.mu.Lock()
	defer t.mu.Unlock()
	var cost *llm.Money
	if t.steps > 0 && !t.unpriced {
		cost = &t.cost
	}
	return session.TurnEndData{
		Reason: t.reason, Text: t.said.Text, Key: t.said.Key, Values: t.said.Values, Error: t.err, Usage: t.usage, Steps: t.steps,
		Millis: time.Since(t.began).Milliseconds(), Changed: t.changed, Cost: cost,
	}
}

// took counts a reply.
func (t *turn) took(r *session.AssistantMessageData) {
	t.steps++
	t.last = r
	t.answered = t.answered || strings.TrimSpace(llm.Plain(r.Content)) != ""
	t.acted = t.acted || len(r.Calls) > 0
	if r.Usage != nil {
		t.input = r.Usage.Input
	}
	if r.Finish == llm.FinishLength {
		t.cuts++
	}
}

// used counts what an attempt used up; a cost of nil is unknown.
func (t *turn) used(u llm.Usage, cost *llm.Money) {
	t.usage = t.usage.Add(u)
	if t.unpriced = t.unpriced || cost == nil; cost != nil {
		t.cost += *cost
	}
}

// leave closes the step that is open.
func (t *turn) leave() []session.Draft {
	if !t.stepOpen {
		return nil
	}
	t.stepOpen = false
	return []session.Draft{session.StepEnd.New(t.number, t.step, struct{}{})}
}

// filled is the share of the window that the last request took, 0 where unknown.
func (t *turn) filled() float64 {
	if t.window <= 0 {
		return 0
	}
	return float64(t.input) / float64(t.window)
}

// ran takes what came of the calls of a step. True means that the model is owed
// the results; a tool may want the turn to be over instead.
func (t *turn) ran(folder string, outcomes []tool.Outcome) (owed bool) {
	owed = true
	for _, o := range outcomes {
		for _, path := range o.Changed {
			if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
				path = rel
			}
			if !slices.Contains(t.changed, path) {
				t.changed = append(t.changed, path)
			}
		}
		owed = owed && !o.EndsTurn
		t.unanswered = t.unanswered || o.Logged.DeniedBy == "nobody"
	}
	return owed
}
