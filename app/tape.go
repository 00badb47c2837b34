package app

import (
	"context"
	"iter"
	"slices"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// tape is a recorded session in the order in which the loop asks for it.
type tape struct {
	log   *session.Log
	turns []*tapeTurn
	// visible are the numbers of the events that stand on the surface for themselves,
	// and hiding those that took the place of others, by the request they came before,
	// counted from 0.
	visible  []int64
	hiding   map[int][]session.Event
	requests int // that the replay has made
	// called are the tools that were called and were there, by name: also those that
	// stand in no request.
	called map[string]bool

	// of the composition that plays it
	root     *graph.Fiber
	registry *tool.Registry
	sections *agent.Sections
	face     *graph.Fiber // prompt and tools as shown now
	shown    session.RequestHeaderData
}

type tapeTurn struct {
	number int
	said   []session.Draft // where the turn was refused before its first step
	steps  []*tapeStep
}

// tapeStep is one step: what entered it, its requests, what came back, and what its
// calls gave.
type tapeStep struct {
	number  int
	entered []session.Draft
	headers []session.RequestHeaderData
	reply   *session.AssistantMessageData
	failed  *session.RequestAttemptData // of the last attempt, where no reply came
	results []session.ToolResultData
	asked   int // requests made so far by the replay
}

// record reads a tape off a log. Attempts that were tried again count as one
// request each, as they were sent. What the harness asked beside the conversation is
// left out: its outcome is on the tape.
func record(log *session.Log) (*tape, error) {
	t := &tape{log: log, hiding: map[int][]session.Event{}, called: map[string]bool{}}
	kinds, open := kinds(), map[string]string{}
	asides, sent := map[int]bool{}, 0
	for e, err := range log.Events(1) {
		if err != nil {
			return nil, err
		}
		switch what, err := role(kinds, e); {
		case err != nil:
			return nil, err
		case what == hides:
			t.hiding[sent] = append(t.hiding[sent], e)
			continue
		case what == stands:
			t.visible = append(t.visible, e.Seq)
		}
		if session.TurnStart.Of(e) {
			t.turns = append(t.turns, &tapeTurn{number: e.Turn})
		}
		aside, sends, err := beside(e, asides)
		if err != nil {
			return nil, err
		}
		if sends {
			sent++
		}
		if len(t.turns) == 0 || aside {
			continue
		}
		if err := t.call(e, open); err != nil {
			return nil, err
		}
		if err := t.turns[len(t.turns)-1].take(kinds, e); err != nil {
			return nil, err
		}
	}
	if _, ok := t.find(); !ok {
		return nil, fault.New(fault.Invalid, "app.replay", "The session has no request that could be made again. Nothing was run.")
	}
	return t, nil
}

// beside reports whether an event is about a request beside the conversation, and
// whether it sends one that belongs to it.
func beside(e session.Event, asides map[int]bool) (aside, sends bool, err error) {
	switch {
	case session.RequestHeader.Of(e):
		h, err := session.RequestHeader.Decode(e)
		if h.Ask != "" {
			asides[h.Request] = true
		}
		return h.Ask != "", h.Ask == "", err
	case session.RequestAttempt.Of(e):
		a, err := session.RequestAttempt.Decode(e)
		return asides[a.Request], false, err
	}
	return false, false, nil
}

// call takes in which tool a call went to, once it is known that there was one.
func (t *tape) call(e session.Event, open map[string]string) error {
	switch {
	case session.ToolCall.Of(e):
		d, err := session.ToolCall.Decode(e)
		open[d.Call] = d.Tool
		return err
	case session.ToolResult.Of(e):
		d, err := session.ToolResult.Decode(e)
		if d.Code != tool.CodeUnknownTool {
			t.called[open[d.Call]] = true
		}
		return err
	}
	return nil
}

func (turn *tapeTurn) take(kinds session.KindTable, e session.Event) (err error) {
	if e.Step == 0 {
		if what, _ := role(kinds, e); what == stands {
			turn.said = append(turn.said, again(e))
		}
		return nil
	}
	s := turn.at(e.Step)
	switch {
	case session.RequestHeader.Of(e):
		var h session.RequestHeaderData
		if h, err = session.RequestHeader.Decode(e); err == nil {
			s.headers = append(s.headers, h)
		}
	case session.RequestAttempt.Of(e):
		var a session.RequestAttemptData
		if a, err = session.RequestAttempt.Decode(e); err == nil {
			s.failed = &a
		}
	case session.AssistantMessage.Of(e):
		var m session.AssistantMessageData
		if m, err = session.AssistantMessage.Decode(e); err == nil {
			s.reply = &m
		}
	case session.ToolResult.Of(e):
		var r session.ToolResultData
		if r, err = session.ToolResult.Decode(e); err == nil && r.Parent == "" {
			s.results = append(s.results, r)
		}
	case kinds[e.Type] != nil && kinds[e.Type].Describe().Visible:
		s.entered = append(s.entered, again(e))
	}
	return err
}

func (turn *tapeTurn) at(step int) *tapeStep {
	if n := len(turn.steps); n > 0 && turn.steps[n-1].number == step {
		return turn.steps[n-1]
	}
	s := &tapeStep{number: step}
	turn.steps = append(turn.steps, s)
	return s
}

// step finds a recorded step. Turns of the replay are counted from 1.
func (t *tape) step(turn, step int) *tapeStep {
	if turn < 1 || turn > len(t.turns) {
		return nil
	}
	for _, s := range t.turns[turn-1].steps {
		if s.number == step {
			return s
		}
	}
	return nil
}

func (t *tape) find() (session.RequestHeaderData, bool) {
	for _, turn := range t.turns {
		for _, s := range turn.steps {
			if len(s.headers) > 0 {
				return s.headers[0], true
			}
		}
	}
	return session.RequestHeaderData{}, false
}

// first is the header of the first request.
func (t *tape) first() session.RequestHeaderData {
	h, _ := t.find()
	return h
}

// route leads to the tape in the wire that a request was written in.
func (t *tape) route(h session.RequestHeaderData) llm.Route {
	return llm.Route{Name: replayRoute, Model: llm.Model{ID: h.Model}, Wire: h.Wire, Params: h.Params, Adapter: &tapeAdapter{tape: t, wire: h.Wire}}
}

// preStep lets in what entered the recorded step, and ends the turn where it made no
// request; what was said in it is said all the same.
func (t *tape) preStep(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	s := t.step(p.Turn, p.Step)
	if s == nil || len(s.headers) == 0 {
		ended := agent.Admission{Reject: &agent.Rejection{Reason: session.EndReason{Kind: session.EndBlocked}, Text: "The recorded turn ended here."}}
		if p.Step == 1 && p.Turn <= len(t.turns) {
			ended.Messages = t.turns[p.Turn-1].said
		}
		if s != nil {
			ended.Messages = slices.Concat(ended.Messages, s.entered)
		}
		return ended, nil
	}
	p.Messages = s.entered
	return next(ctx, p)
}

// request sends the step's next request as the recorded one was sent.
func (t *tape) request(ctx context.Context, a *agent.Asking, _ func(context.Context, *agent.Asking) (agent.Choice, error)) (agent.Choice, error) {
	s := t.step(a.Turn, a.Step)
	if s == nil || s.asked >= len(s.headers) {
		return agent.Choice{}, fault.New(fault.NotFound, "app.replay", "No request of step %d.%d was recorded.", a.Turn, a.Step)
	}
	if err := t.hide(ctx, a.Agent.Log()); err != nil {
		return agent.Choice{}, err
	}
	h := s.headers[s.asked]
	s.asked++
	if err := t.show(ctx, h); err != nil {
		return agent.Choice{}, err
	}
	route := t.route(h)
	route.Adapter = &tapeAdapter{tape: t, wire: h.Wire, step: s}
	return agent.Choice{Route: route, Params: h.Params}, nil
}

// again tries a failed request again where the recording did.
func (t *tape) again(ctx context.Context, f *agent.Failure, next func(context.Context, *agent.Failure) (agent.Recourse, error)) (agent.Recourse, error) {
	if s := t.step(f.Turn, f.Step); s != nil && s.asked < len(s.headers) {
		return agent.Recourse{Again: true, Rebuild: true}, nil
	}
	return next(ctx, f)
}

// stopping keeps a turn going that went on when it was recorded.
func (t *tape) stopping(_ context.Context, stop *agent.Stop) error {
	if s := t.step(stop.Turn, stop.Step+1); s != nil && len(s.headers) > 0 {
		stop.GoOn("replay", ".")
	}
	return nil
}

// tapeAdapter writes requests as the recorded wire does and plays its step's reply.
type tapeAdapter struct {
	tape *tape
	wire string
	step *tapeStep
}

func (a *tapeAdapter) Encode(req *llm.Request) ([]byte, error) {
	e, err := encoder(a.wire)
	if err != nil {
		return nil, err
	}
	return e.Encode(req)
}

func (a *tapeAdapter) Models(context.Context) ([]llm.Model, error) { return nil, nil }

// Stream gives the reply of the step, a failure where none came, and a failure that
// is tried again for the attempts before the last.
func (a *tapeAdapter) Stream(context.Context, []byte) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s := a.step
		if s.asked < len(s.headers) {
			yield(llm.Chunk{}, &llm.Error{Code: llm.CodeServer, Message: "as recorded"})
			return
		}
		if s.reply == nil {
			code := llm.CodeInterrupted
			if s.failed != nil {
				code = llm.Code(s.failed.Code)
			}
			yield(llm.Chunk{}, &llm.Error{Code: code, Message: "as recorded"})
			return
		}
		for _, c := range chunks(s.reply) {
			if !yield(c, nil) {
				return
			}
		}
		if s.reply.Interrupted {
			yield(llm.Chunk{}, &llm.Error{Code: llm.CodeStreamCut, Message: "as recorded", Started: true})
		}
	}
}

// chunks takes a reply apart.
func chunks(m *session.AssistantMessageData) []llm.Chunk {
	var list []llm.Chunk
	for _, r := range m.Reasoning {
		list = append(list, llm.Chunk{Reasoning: &r})
	}
	for _, p := range m.Content {
		if p.Text != "" {
			list = append(list, llm.Chunk{Text: p.Text})
		}
	}
	for i, c := range m.Calls {
		list = append(list, llm.Chunk{Call: &llm.CallFragment{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments, Extra: c.Extra}})
	}
	if m.Interrupted {
		return list
	}
	finish := m.Finish
	if finish == "" {
		finish = llm.FinishStop
		if len(m.Calls) > 0 {
			finish = llm.FinishCalls
		}
	}
	return append(list, llm.Chunk{Finish: finish, Usage: m.Usage})
}
