package server

import (
	"strings"

	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/tool"
)

// turnFrames turns the frames of a log into those of one run: the turn that takes in
// message, and those that the reports of its helpers begin.
type turnFrames struct {
	message string
	send    func(TurnFrame)

	turn  int // 0 until the message was taken in
	over  bool
	said  map[channel]int64 // bytes sent so far
	calls map[string]TurnFrame
	draft map[channel]*drafting
	helpers
}

// channel is one stream of text within a reply.
type channel struct {
	message, name string
	call          int
}

// drafting is a call whose arguments are being written.
type drafting struct {
	size  int64
	lines int
	tail  string
}

// tailLength is how much of a draft its frame shows.
const tailLength = 200

// passedOn are event kinds of slices whose payload is a frame's data as it is.
var passedOn = map[string]string{
	"context/measured": "context", "question/asked": "question", "plan/proposed": "plan", "todo/written": "todo",
	"goal/changed": "goal", "helper/started": "helper", "helper/changed": "helper", "helper/ended": "helper", "note": "notice",
}

func (t *turnFrames) add(f session.Frame) {
	switch {
	case t.over:
	case f.Live != nil && f.Live.Type == "delta":
		if d, ok := f.Live.Data.(session.DeltaData); ok && t.turn != 0 {
			t.delta(d)
		}
	case f.Event != nil:
		t.event(*f.Event)
	}
}

// event takes in an event. One that cannot be read is left out: it is in the log.
func (t *turnFrames) event(e session.Event) {
	if t.turn == 0 {
		t.await(e)
		return
	}
	t.helpers.take(e)
	t.runTurn(e)
	if t.ended != nil && t.helpers.quiet() {
		t.finish(*t.ended)
	}
}

func (t *turnFrames) runTurn(e session.Event) {
	if t.ended != nil && reported(e) {
		t.ended = nil
		t.start(e.Turn)
		return
	}
	if session.InboxChanged.Of(e) {
		t.send(TurnFrame{Type: "queue", Data: e.Data})
		return
	}
	if e.Turn != t.turn && (e.Turn != 0 || passedOn[e.Type] != "helper") {
		return
	}
	switch e.Type {
	case session.AssistantDelta.Name:
		if d, err := session.AssistantDelta.Decode(e); err == nil {
			t.delta(d)
		}
	case session.AssistantMessage.Name:
		if d, err := session.AssistantMessage.Decode(e); err == nil {
			t.reply(d)
		}
	case session.ToolCall.Name, session.ToolStarted.Name, session.ToolResult.Name, tool.Asked.Name, tool.Decided.Name:
		t.call(e)
	case session.TurnEnd.Name:
		if d, err := session.TurnEnd.Decode(e); err == nil {
			t.end(d)
		}
	default:
		if name, ok := passedOn[e.Type]; ok {
			t.send(TurnFrame{Type: name, Data: e.Data})
		}
	}
}

// await looks for the turn that takes the message in.
func (t *turnFrames) await(e session.Event) {
	switch e.Type {
	case session.UserMessage.Name:
		if d, err := session.UserMessage.Decode(e); err == nil && d.ID == t.message {
			t.start(e.Turn)
		}
	case session.InboxChanged.Name:
		d, err := session.InboxChanged.Decode(e)
		if err != nil {
			return
		}
		for _, id := range d.IDs {
			if id != t.message {
				continue
			}
			switch d.Op {
			case "claimed":
				if e.Turn != 0 {
					t.start(e.Turn)
				}
			case "removed":
				t.finish(TurnFrame{Type: "done", Reason: session.EndReason{Kind: session.EndAborted, By: "user"}, Cancelled: true})
			}
		}
	}
}

func (t *turnFrames) start(turn int) {
	t.turn = turn
	t.said, t.calls, t.draft = map[channel]int64{}, map[string]TurnFrame{}, map[channel]*drafting{}
	t.send(TurnFrame{Type: "start", ID: t.message, Turn: turn})
}

// delta sends what is new of a piece: live pieces and packs of the log overlap.
func (t *turnFrames) delta(d session.DeltaData) {
	at := channel{message: d.Message, name: d.Channel, call: d.Call}
	have := t.said[at]
	if d.Offset > have || d.Offset+int64(len(d.Text)) <= have {
		return // a later piece comes again in a pack, in order
	}
	text := d.Text[have-d.Offset:]
	t.said[at] = have + int64(len(text))
	switch d.Channel {
	case "text":
		t.send(TurnFrame{Type: "delta", Text: text})
	case "reasoning":
		t.send(TurnFrame{Type: "reasoning", Text: text})
	case "call":
		w := t.draft[at]
		if w == nil {
			w = &drafting{}
			t.draft[at] = w
		}
		w.size += int64(len(text))
		w.lines += strings.Count(text, "\n") + strings.Count(text, `\n`)
		w.tail += text
		if cut := len(w.tail) - tailLength; cut > 0 {
			w.tail = strings.ToValidUTF8(w.tail[cut:], "")
		}
		t.send(TurnFrame{Type: "tool-draft", Name: d.Name, Size: w.size, Lines: w.lines, Tail: w.tail})
	}
}

// reply sends what the deltas left out, so that the frames hold the whole message.
func (t *turnFrames) reply(d session.AssistantMessageData) {
	var thought string
	for _, r := range d.Reasoning {
		thought += r.Text
	}
	for _, whole := range []struct{ name, text string }{{"reasoning", thought}, {"text", llm.Plain(d.Content)}} {
		if have := t.said[channel{message: d.ID, name: whole.name}]; have < int64(len(whole.text)) {
			t.delta(session.DeltaData{Message: d.ID, Channel: whole.name, Offset: have, Text: whole.text[have:]})
		}
	}
}

// call sends a tool's row as it is now; its id is ours.
func (t *turnFrames) call(e session.Event) {
	var id string
	change := func(*TurnFrame) {}
	switch e.Type {
	case session.ToolCall.Name:
		d, err := session.ToolCall.Decode(e)
		if err != nil {
			return
		}
		id, change = d.Call, func(f *TurnFrame) { f.Name, f.Present, f.State = d.Tool, &d.Present, "queued" }
	case tool.Asked.Name:
		d, err := tool.Asked.Decode(e)
		if err != nil {
			return
		}
		id, change = d.Call, func(f *TurnFrame) { f.State, f.Data = "proposed", e.Data }
	case tool.Decided.Name:
		d, err := tool.Decided.Decode(e)
		if err != nil || d.Decision != permission.Approved {
			return
		}
		id, change = d.Call, func(f *TurnFrame) { f.State = "queued" }
	case session.ToolStarted.Name:
		d, err := session.ToolStarted.Decode(e)
		if err != nil {
			return
		}
		id, change = d.Call, func(f *TurnFrame) { f.State = "running" }
	case session.ToolResult.Name:
		d, err := session.ToolResult.Decode(e)
		if err != nil {
			return
		}
		id, change = d.Call, func(f *TurnFrame) {
			f.State, f.DeniedBy, f.View, f.Code = "done", d.DeniedBy, d.View, d.Code
			switch {
			case d.DeniedBy != "":
				f.State = "denied"
			case d.Code == session.CodeNotStarted || d.Code == tool.CodeStopped:
				f.State = "stopped"
			case d.Failed:
				f.State = "error"
			}
		}
	}
	f := t.calls[id]
	f.Type, f.ID, f.Data = "tool", id, nil
	change(&f)
	t.calls[id] = f
	t.send(f)
}

func (t *turnFrames) end(d session.TurnEndData) {
	if d.Error != nil {
		t.send(TurnFrame{Type: "error", Code: d.Error.Code, Message: d.Error.Message, Details: d.Error.Details})
	}
	if d.Text != "" {
		t.send(TurnFrame{Type: "delta", Own: true, Text: d.Text, Key: d.Key})
	}
	t.ended = &TurnFrame{Type: "done", Usage: d.Usage, Reason: d.Reason, Cancelled: d.Reason.Kind == session.EndAborted}
}

func (t *turnFrames) finish(f TurnFrame) {
	t.over = true
	t.send(f)
}
