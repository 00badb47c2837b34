package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"time"
	"unicode/utf8"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/wire"
)

// Adapter is an [llm.Adapter] that plays a script without a network.
type Adapter struct {
	player *Player
}

// New makes an adapter for a script.
func New(s *Script) *Adapter { return &Adapter{player: NewPlayer(s)} }

// body is the wire format of a model in process: what a script may look at.
type body struct {
	Model    string           `json:"model"`
	Params   llm.Params       `json:"params"`
	Tools    []llm.ToolSchema `json:"tools,omitempty"`
	System   string           `json:"system,omitempty"`
	Messages []llm.Message    `json:"messages"`
}

// Encode writes a request as JSON with the messages last.
func (a *Adapter) Encode(req *llm.Request) ([]byte, error) {
	b, err := json.Marshal(body{req.Model, req.Params, req.Tools, req.System, req.Messages})
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "scripted.encode", err, "The request cannot be written as JSON. Nothing was sent.")
	}
	return b, nil
}

// Models gives the script's one model.
func (a *Adapter) Models(context.Context) ([]llm.Model, error) {
	yes, no := true, false
	s := a.player.script
	return []llm.Model{{ID: s.Model, Name: "Scripted model", Window: s.Window, Slots: 1, Tools: &yes, Reasoning: &yes, Vision: &no, Source: "server"}}, nil
}

// Stream plays the reply to an encoded request.
func (a *Adapter) Stream(ctx context.Context, encoded []byte) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var b body
		if err := json.Unmarshal(encoded, &b); err != nil {
			yield(llm.Chunk{}, &llm.Error{Code: llm.CodeRefused, Status: http.StatusBadRequest, RetryAfter: -1, Err: err})
			return
		}
		history := make([]turn, len(b.Messages))
		for i, m := range b.Messages {
			history[i] = turn{m.Role, llm.Plain(m.Content), m.Failed}
		}
		s := a.player.script
		characters := utf8.RuneCount(encoded)
		if prompt, over := s.overflow(characters); over {
			yield(llm.Chunk{}, &llm.Error{Code: llm.CodeOverflow, Status: http.StatusBadRequest, RetryAfter: -1, Message: tooLong(prompt, s.Window), Prompt: prompt, Window: s.Window})
			return
		}
		r := a.player.reply(asked{system: b.System, tools: len(b.Tools) > 0, history: history})
		show := show{ctx: ctx, yield: yield, reply: r, player: a.player}
		if err := show.play(s.count(r, characters)); err != nil && err != errGone {
			yield(llm.Chunk{}, err)
		}
	}
}

func tooLong(prompt, window int) string {
	return fmt.Sprintf("the request exceeds the available context size: %d tokens, window %d", prompt, window)
}

// show plays one reply to one consumer.
type show struct {
	ctx    context.Context
	yield  func(llm.Chunk, error) bool
	reply  *reply
	player *Player
	calls  int
	begun  bool
}

// errGone ends a show whose consumer broke off.
var errGone = &llm.Error{Code: llm.CodeInterrupted}

func (s *show) play(usage *llm.Usage) *llm.Error {
	finish := llm.FinishReason("")
	for _, a := range s.reply.acts {
		var err *llm.Error
		switch a.verb {
		case verbWait:
			err = s.wait(a.wait)
		case verbThink:
			for text := range pieces(a.text, s.reply.piece) {
				if err = s.give(llm.Chunk{Reasoning: &llm.Reasoning{Text: text, Field: llm.FieldReasoningContent}}); err != nil {
					break
				}
			}
		case verbSay:
			for text := range pieces(a.text, s.reply.piece) {
				if err = s.give(llm.Chunk{Text: text}); err != nil {
					break
				}
			}
		case verbCall:
			err = s.call(a)
		case verbFinish:
			finish = llm.FinishReason(a.text)
		case verbFail:
			err = refused(a)
			err.Started = s.begun
		case verbCut:
			err = &llm.Error{Code: llm.CodeStreamCut, RetryAfter: -1, Started: s.begun, Message: "the script cut the reply"}
		case verbHang:
			<-s.ctx.Done()
			err = s.interrupted()
		}
		if err != nil {
			return err
		}
	}
	if finish == "" {
		finish = llm.FinishStop
		if s.calls > 0 {
			finish = llm.FinishCalls
		}
	}
	if !s.begun {
		return &llm.Error{Code: llm.CodeEmpty, RetryAfter: -1, Message: "the reply was empty"}
	}
	return s.give(llm.Chunk{Finish: finish, Usage: usage})
}

func (s *show) call(a act) *llm.Error {
	i := s.calls
	s.calls++
	id := fmt.Sprintf("call_%d", s.player.ids.Add(1))
	if err := s.give(llm.Chunk{Call: &llm.CallFragment{Index: i, ID: id, Name: a.name}}); err != nil {
		return err
	}
	for text := range pieces(a.text, s.reply.piece) {
		if err := s.give(llm.Chunk{Call: &llm.CallFragment{Index: i, Arguments: text}}); err != nil {
			return err
		}
	}
	return nil
}

func (s *show) give(c llm.Chunk) *llm.Error {
	if c.Finish == "" {
		if err := s.wait(s.reply.pace); err != nil {
			return err
		}
		s.begun = true
	}
	if s.ctx.Err() != nil {
		return s.interrupted()
	}
	if !s.yield(c, nil) {
		return errGone
	}
	return nil
}

func (s *show) wait(d time.Duration) *llm.Error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.ctx.Done():
		return s.interrupted()
	}
}

func (s *show) interrupted() *llm.Error {
	return &llm.Error{Code: llm.CodeInterrupted, RetryAfter: -1, Started: s.begun, Err: context.Cause(s.ctx)}
}

// refused gives the failure that a script names, as an adapter would read it.
func refused(a act) *llm.Error {
	if a.status == 0 {
		return &llm.Error{Code: llm.CodeTransport, Message: a.text, RetryAfter: -1}
	}
	e := wire.Classify(a.status, nil, refusal(a))
	if a.wait > 0 {
		e.RetryAfter = a.wait
	}
	return e
}

// refusal is the body of a failure in the common form.
func refusal(a act) []byte {
	b, err := json.Marshal(object{"error": object{"code": a.status, "type": "scripted", "message": a.text}})
	if err != nil {
		panic("scripted: a number and two strings do not encode: " + err.Error())
	}
	return b
}
