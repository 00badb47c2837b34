package session

import (
	"bytes"
	"encoding/json"
	"slices"
)

// openTurn is what a host that ends now would leave unsettled.
type openTurn struct {
	Activity bool `json:"activity,omitempty"`
	Turn     int  `json:"turn,omitempty"`
	Step     int  `json:"step,omitempty"`
	// First is the seq of the turn's start, Began that of the open step's.
	First int64      `json:"first,omitempty"`
	Began int64      `json:"began,omitempty"`
	Calls []openCall `json:"calls,omitempty"`
}

// openCall is a call without a result. ID is empty as long as only the model's
// message knows it.
type openCall struct {
	ID      string `json:"id,omitempty"`
	ModelID string `json:"modelId,omitempty"`
	Parent  string `json:"parent,omitempty"`
	Started bool   `json:"started,omitempty"`
}

var openTurns = Projection[openTurn]{Name: "open-turn", Version: 1, Fold: foldOpen, Hidden: true}

func foldOpen(s openTurn, e Event) openTurn {
	switch e.Type {
	case ActivityStart.Name:
		s.Activity = true
	case ActivityEnd.Name:
		s.Activity = false
	case TurnStart.Name:
		return openTurn{Activity: s.Activity, Turn: e.Turn, First: e.Seq, Calls: s.Calls}
	case TurnEnd.Name:
		return openTurn{Activity: s.Activity}
	case StepStart.Name:
		s.Step, s.Began = e.Step, e.Seq
	case StepEnd.Name:
		s.Step, s.Began = 0, 0
	case AssistantMessage.Name:
		s.Calls = slices.Concat(s.Calls, asked(e))
	case ToolCall.Name, ToolSubcall.Name:
		if c, ok := callOf(e); ok {
			s.Calls = opened(s.Calls, c)
		}
	case ToolStarted.Name:
		if c, ok := callOf(e); ok {
			s.Calls = started(s.Calls, c.ID)
		}
	case ToolResult.Name:
		if c, ok := callOf(e); ok {
			s.Calls = closed(s.Calls, c)
		}
	}
	return s
}

// asked lists the calls of a model's message.
func asked(e Event) []openCall {
	// A quotation mark inside of a text has a backslash, so this is a key.
	at := bytes.Index(e.Data, []byte(`"calls":[`))
	if at < 0 {
		return nil
	}
	if calls, ok := askedIn(e.Data[at+len(`"calls":[`):]); ok {
		return calls
	}
	d, err := AssistantMessage.Decode(e)
	if err != nil {
		return nil
	}
	calls := make([]openCall, len(d.Calls))
	for i, c := range d.Calls {
		calls[i].ModelID = c.ID
	}
	return calls
}

// askedIn reads a list of calls from behind its bracket on as this room writes it, the
// id first, so that a long reply is not parsed for its ids. False means that it is
// written otherwise.
func askedIn(list []byte) ([]openCall, bool) {
	var calls []openCall
	for r := (reader{rest: list}); ; {
		id := r.word(`{"id":"`)
		if r.bad || !r.object() {
			return nil, false
		}
		calls = append(calls, openCall{ModelID: string(id)})
		switch {
		case r.has(`]`):
			return calls, true
		case !r.has(`,`):
			return nil, false
		}
	}
}

// callOf reads which call an event is about. Payloads begin with that as this room
// writes them, so that a large result is not parsed for its id.
func callOf(e Event) (openCall, bool) {
	r := reader{rest: e.Data}
	c := openCall{ID: string(r.word(`{"call":"`))}
	if r.bad {
		var d struct{ Call, ModelID, Parent string }
		if json.Unmarshal(e.Data, &d) != nil {
			return c, false
		}
		return openCall{ID: d.Call, ModelID: d.ModelID, Parent: d.Parent}, true
	}
	c.ModelID = string(r.wordIf(`,"modelId":"`))
	c.Parent = string(r.wordIf(`,"parent":"`))
	return c, true
}

// opened takes in a call that entered the pipeline: it is the first of the model's
// with its id that has not entered yet, or a new one.
func opened(calls []openCall, c openCall) []openCall {
	calls = slices.Clone(calls)
	if c.ModelID != "" {
		for i, o := range calls {
			if o.ID == "" && o.ModelID == c.ModelID {
				calls[i] = c
				return calls
			}
		}
	}
	return append(calls, c)
}

func started(calls []openCall, id string) []openCall {
	i := slices.IndexFunc(calls, func(c openCall) bool { return c.ID == id })
	if i < 0 {
		return calls
	}
	calls = slices.Clone(calls)
	calls[i].Started = true
	return calls
}

// closed drops the call a result answers: by our id, else by the model's.
func closed(calls []openCall, c openCall) []openCall {
	for i, o := range calls {
		if o.ID == c.ID && (o.ID != "" || o.ModelID == c.ModelID) {
			return slices.Concat(calls[:i], calls[i+1:])
		}
	}
	return calls
}
