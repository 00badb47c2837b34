package agent

import (
	"context"
	"runtime/debug"
	"slices"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// drive is one activity: turn after turn until nothing waits.
func (a *Agent) drive(t *turn, release func()) {
	defer release()
	opening := []session.Draft{session.ActivityStart.New(0, 0, struct{}{})}
	for ; t != nil; t = a.after(t) {
		a.turn(t.ctx, t, opening)
		t.stop()
		opening = nil
	}
	Rested.Emit(a.background(), a.Realm(), a)
}

// turn drains admitted input: gate, steps, end.
func (a *Agent) turn(ctx context.Context, t *turn, opening []session.Draft) {
	defer a.finish(t)
	defer func() {
		if p := recover(); p != nil {
			a.needs.logger.Error("the loop panicked", "session", a.ID(), "turn", t.number, "panic", p, "stack", string(debug.Stack()))
			t.fail(fault.New(fault.Internal, "agent.turn", "Fairlead hit a defect of its own and ended this turn. What was done so far stands; send your message again.").WithCode("defect"))
		}
	}()
	if err := a.steps(ctx, t, opening); err != nil {
		t.fail(err)
	}
}

func (a *Agent) steps(ctx context.Context, t *turn, opening []session.Draft) error {
	entering, err := a.claim(true)
	if err != nil || len(entering) == 0 {
		return err // nothing: what woke the agent was taken back meanwhile
	}
	if err := a.begin(ctx, t, opening, entering); err != nil {
		return err
	}
	for {
		if ok, err := a.enter(ctx, t, entering); err != nil || !ok {
			return err
		}
		reply, err := a.ask(ctx, t)
		if err != nil {
			return err
		}
		t.took(reply)
		owed := a.runCalls(ctx, t, reply)
		if t.over() {
			return nil
		}
		if !owed {
			if ok, err := a.goesOn(ctx, t); err != nil || !ok {
				return err
			}
		}
		if entering, err = a.claim(false); err != nil {
			return err
		}
	}
}

// begin settles the mode of the turn and opens it in the log.
func (a *Agent) begin(ctx context.Context, t *turn, opening []session.Draft, entering []session.Queued) error {
	wish := wishOf(entering)
	if wish.Mode == "" {
		wish.Mode = a.mode
	}
	mode, refused := a.admit(ctx, t.number, wish.Mode)
	a.mode, t.mode = "", mode
	drafts := append(opening, session.TurnStart.New(t.number, 0, session.TurnStartData{Mode: mode, Model: wish.Model, Effort: wish.Effort, Origin: wish.Origin}))
	if refused != nil {
		// It was said, although nothing comes of it.
		drafts = slices.Concat(drafts, claimed(t, entering), said(t, entering))
	}
	if _, err := a.log.Append(a.background(), drafts...); err != nil {
		return err
	}
	return refused
}

// enter proposes the next step and opens it together with the messages that join
// it. False means that the turn ends before it.
func (a *Agent) enter(ctx context.Context, t *turn, entering []session.Queued) (bool, error) {
	p, err := session.StateOf(a.log, Loop)
	if err != nil {
		return false, err
	}
	drafts := t.leave()
	t.step++
	proposal := &Proposal{Agent: a, Turn: t.number, Step: t.step, Mode: t.mode, Messages: append(t.more, said(t, entering)...)}
	t.more = nil
	entry := Admission{Messages: proposal.Messages}
	if ctx.Err() == nil {
		entry, err = PreStep.Run(ctx, a.Realm(), proposal, admitted)
	}
	if err != nil {
		t.fail(err)
		entry.Messages = proposal.Messages
	} else if r := entry.Reject; r != nil {
		t.end(*r)
	}
	drafts = append(drafts, title(t, p, entering)...)
	drafts = append(drafts, claimed(t, entering)...)
	drafts = append(drafts, chosen(t, p, entering)...)
	if t.stepOpen = !t.over() && ctx.Err() == nil; t.stepOpen {
		drafts = append(drafts, session.StepStart.New(t.number, t.step, struct{}{}))
	}
	t.series = entry.NewSeries
	_, err = a.log.Append(a.background(), append(drafts, entry.Messages...)...)
	a.settle()
	return t.stepOpen, err
}

// runCalls runs the calls of a reply through the pipeline. True means that the
// model is owed their results.
func (a *Agent) runCalls(ctx context.Context, t *turn, reply *session.AssistantMessageData) bool {
	if len(reply.Calls) == 0 {
		return false
	}
	cut := reply.Finish == llm.FinishLength // none of them runs: the others may rest on the last
	folder := a.log.Header().Folder
	calls := make([]*tool.Call, len(reply.Calls))
	for i, c := range reply.Calls {
		calls[i] = &tool.Call{ModelID: c.ID, Caller: tool.CallerModel, Tool: c.Name, Raw: c.Arguments, Cut: cut || c.Cut,
			Log: a.log, Turn: t.number, Step: t.step, Folder: folder}
	}
	a.doing(t, "tools", 0)
	return t.ran(folder, a.needs.tools.Batch(ctx, a.Realm(), calls)) && !cut
}

// goesOn asks whether a turn that the model is done with gets another step: because
// a person steered it, or because a listener wants one.
func (a *Agent) goesOn(ctx context.Context, t *turn) (bool, error) {
	stop := &Stop{Agent: a, Turn: t.number, Step: t.step, Finish: t.last.Finish, Cuts: t.cuts}
	if err := TurnStopping.Run(ctx, a.Realm(), stop); err != nil {
		return false, err
	}
	q, err := a.Queue()
	if t.more = stop.more; len(t.more) > 0 || q.steered() || err != nil {
		return true, err
	}
	if t.last.Finish == llm.FinishLength {
		t.because(session.EndReason{Kind: session.EndMaxTokens})
	}
	return false, nil
}
