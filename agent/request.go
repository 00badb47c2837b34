package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// sent is what the last request was made of, kept so that the next one costs only
// what changed and can say whether it extends this one.
type sent struct {
	system, systemHash string
	given, tools       []llm.ToolSchema // as registered; as logged, which is what is sent
	toolsHash          string
	body               []byte
	normaliser         *llm.Normaliser
	quirks             llm.Quirks
}

// prepared is a request that is ready to go.
type prepared struct {
	choice  Choice
	body    []byte
	header  session.RequestHeaderData
	repairs []string
	aside   bool
}

// lost is a request that got no reply: its last failure, and what had come.
type lost struct {
	failed *llm.Error
	route  llm.Route
	prefix *session.AssistantMessageData
	next   Recourse
}

// ask sends the step's request and takes the reply into the log.
func (a *Agent) ask(ctx context.Context, t *turn) (*session.AssistantMessageData, error) {
	reply, lost, err := a.exchange(ctx, t, "asking", func(limit int) (*prepared, error) {
		if limit > 0 {
			t.maxTokens = limit
		}
		return a.build(ctx, t)
	})
	switch {
	case err != nil:
		return nil, err
	case lost == nil:
		return reply, a.keep(t, *reply)
	}
	if err := a.keepPrefix(t, lost.prefix); err != nil {
		return nil, err
	}
	if lost.next.Told != nil {
		return nil, lost.next.Told
	}
	return nil, sentence(lost.failed, lost.route, lost.next.Wait)
}

// exchange sends a request, again where a listener has a remedy for a failure. Every
// attempt and every end of one is a row in the log. build makes the request, anew
// where a remedy changed it; a limit that is not 0 caps its reply.
func (a *Agent) exchange(ctx context.Context, t *turn, activity string, build func(limit int) (*prepared, error)) (*session.AssistantMessageData, *lost, error) {
	var req *prepared
	limit := 0
	for attempt := 1; ; attempt++ {
		a.doing(t, activity, 0)
		var err error
		if req == nil {
			if req, err = build(limit); err != nil {
				return nil, nil, err
			}
		}
		durable, err := a.announce(t, req)
		if err != nil {
			return nil, nil, err
		}
		reply, failed, err := a.stream(ctx, t, req, attempt, durable)
		if failed == nil {
			return reply, nil, err
		}
		next, err := a.recourse(ctx, t, req, attempt, failed, reply)
		if err != nil {
			return nil, nil, err
		}
		if !next.Again {
			return nil, &lost{failed, req.choice.Route, reply, next}, nil
		}
		if next.MaxTokens > 0 {
			limit = next.MaxTokens
		}
		if next.Rebuild || next.MaxTokens > 0 {
			req = nil
		}
	}
}

// recourse asks what to do about a failed attempt, logs it, and waits.
func (a *Agent) recourse(ctx context.Context, t *turn, req *prepared, attempt int, failed *llm.Error, reply *session.AssistantMessageData) (Recourse, error) {
	row := session.RequestAttemptData{Request: req.header.Request, Attempt: attempt, Code: string(failed.Code), Status: failed.Status, Message: failed.Message, Usage: reply.Usage, Cost: reply.Cost}
	if row.Usage != nil {
		row.Model = req.choice.Route.Name
	}
	var r Recourse
	var err error
	a.needs.routes.Learn(req.choice.Route.Name, failed)
	if ctx.Err() != nil {
		row.Code = string(llm.CodeInterrupted)
	} else {
		r, err = RequestError.Run(ctx, a.Realm(), &Failure{Agent: a, Turn: t.number, Step: t.step, Attempt: attempt, Route: req.choice.Route, Params: req.choice.Params, Err: failed, Aside: req.aside}, noRecourse)
	}
	if row.Final = !r.Again; r.Again {
		row.WaitMillis = r.Wait.Milliseconds()
	}
	if _, err := a.log.Append(a.background(), session.RequestAttempt.New(t.number, t.step, row)); err != nil {
		return Recourse{}, err
	}
	if err != nil || !r.Again {
		return r, err
	}
	a.doing(t, "retrying", 0)
	timer := time.NewTimer(r.Wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		r.Again = false
	}
	return r, nil
}

// build makes the bytes of a request out of the log and of what is registered now.
func (a *Agent) build(ctx context.Context, t *turn) (*prepared, error) {
	choice, err := Request.Run(ctx, a.Realm(), &Asking{Agent: a, Turn: t.number, Step: t.step}, func(ctx context.Context, _ *Asking) (Choice, error) {
		return a.choose(ctx, t)
	})
	if err != nil {
		return nil, err
	}
	t.window = choice.Route.Model.Window
	if choice.NewSeries != "" {
		t.series = choice.NewSeries
	}
	if err := a.compose(ctx); err != nil {
		return nil, err
	}
	return a.write(choice, a.log.Surface())
}

// write makes a request that shows the model a surface, as it is now.
func (a *Agent) write(choice Choice, surface []session.Entry) (*prepared, error) {
	messages, repairs := a.sent.normalise(a.log, surface, choice.Params)
	body, err := a.encode(choice, messages)
	if err != nil {
		return nil, err
	}
	route, sum := choice.Route, sha256.Sum256(body)
	req := &prepared{choice: choice, body: body, repairs: repairs, header: session.RequestHeaderData{
		Route: route.Name, Model: route.Model.ID, Wire: route.Wire, System: a.sent.systemHash, Tools: a.sent.toolsHash,
		Params: choice.Params, Body: hex.EncodeToString(sum[:]), Bytes: len(body), Surface: a.log.Reshaped(),
	}}
	for _, e := range slices.Backward(surface) {
		req.header.Surface = max(req.header.Surface, e.Seq)
		if e.Seq > 0 {
			break // the last one that is an event, or what hid others, came last
		}
	}
	return req, nil
}

func (a *Agent) encode(choice Choice, messages []llm.Message) ([]byte, error) {
	route := choice.Route
	body, err := route.Adapter.Encode(&llm.Request{Model: route.Model.ID, System: a.sent.system, Tools: a.sent.tools, Messages: messages, Params: choice.Params})
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "agent.request", err, "The request could not be written for %s. Nothing was sent; choose another model.", route.Name)
	}
	return body, nil
}

// choose is the route and the options that the session's own choice gives.
func (a *Agent) choose(ctx context.Context, t *turn) (Choice, error) {
	p, err := session.StateOf(a.log, Loop)
	if err != nil {
		return Choice{}, err
	}
	route, err := a.needs.routes.Resolve(ctx, p.Route)
	if err != nil {
		return Choice{}, err
	}
	params := route.Params
	if p.Effort != "" {
		params.Effort = p.Effort
	}
	if thinks := route.Model.Reasoning; thinks != nil && !*thinks {
		params.Effort = "" // a level that the model lacks is dropped, never an error
	}
	if vision := route.Model.Vision; vision != nil && !*vision {
		params.Quirks.TextOnly = true
	}
	if tools := route.Model.Tools; tools != nil && !*tools {
		params.Quirks.NoTools = true
	}
	if t.maxTokens > 0 {
		params.MaxTokens = t.maxTokens
	}
	return Choice{Route: route, Params: params}, nil
}

// normalise gives what the model is told: the surface in the form that the endpoint
// takes. Repairs are told once.
func (s *sent) normalise(log *session.Log, surface []session.Entry, params llm.Params) ([]llm.Message, []string) {
	if s.normaliser == nil || s.quirks != params.Quirks {
		s.normaliser = llm.NewNormaliser(llm.NormaliseOptions{TextOnly: params.Quirks.TextOnly, ShortIDs: params.Quirks.ShortIDs, Load: log.Blob})
		s.quirks = params.Quirks
	}
	history := make([]llm.Message, len(surface))
	for i, e := range surface {
		history[i] = e.Message
	}
	return s.normaliser.Run(history)
}

// announce logs the request's header. durable returns once that is on disk, which
// began meanwhile: only then may the request be sent to its end.
func (a *Agent) announce(t *turn, req *prepared) (durable func() error, err error) {
	p, err := session.StateOf(a.log, Loop)
	if err != nil {
		return nil, err
	}
	h := &req.header
	h.Request = p.Requests + 1
	h.Same, h.Prior = overlap(a.sent.body, req.body)
	drafts := make([]session.Draft, 0, 3)
	if cause := t.broke(p.Sent, h); cause != "" {
		drafts = append(drafts, session.PrefixBroken.New(t.number, t.step, session.PrefixBrokenData{Cause: cause}))
	}
	if len(req.repairs) > 0 {
		drafts = append(drafts, session.RequestRepaired.New(t.number, t.step, session.RequestRepairedData{Request: h.Request, Repairs: req.repairs}))
	}
	if h.Params.Quirks.NoTools && (p.Sent == nil || !p.Sent.Params.Quirks.NoTools) {
		drafts = append(drafts, session.Note.New(t.number, t.step, session.NoteData{Level: "warn", Text: fmt.Sprintf(
			"%s cannot call tools, so it can only talk: it reads, changes and runs nothing. Choose a model that can call tools, or start its server with tool calling on.", h.Route)}))
	}
	req.repairs, a.sent.body = nil, req.body
	if _, err := a.log.Append(a.background(), append(drafts, session.RequestHeader.New(t.number, t.step, *h))...); err != nil {
		return nil, err
	}
	durable = sync.OnceValue(func() error { return a.log.Flush(a.background()) })
	go durable()
	return durable, nil
}
