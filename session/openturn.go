package session

import (
	"slices"

	"fairlead/llm"
)

// openTurn is what a host that ends now would leave unsettled.
type openTurn struct {
	Activity bool `json:"activity,omitempty"`
	Turn     int  `json:"turn,omitempty"`
	Step     int  `json:"step,omitempty"`
	// Began is the seq of the open step's start; Started the time of the turn's.
	Began   int64      `json:"began,omitempty"`
	Started int64      `json:"started,omitempty"`
	Steps   int        `json:"steps,omitempty"`
	Usage   llm.Usage  `json:"usage"`
	Calls   []openCall `json:"calls,omitempty"`
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
		return openTurn{Activity: s.Activity, Turn: e.Turn, Started: e.At, Calls: s.Calls}
	case TurnEnd.Name:
		return openTurn{Activity: s.Activity}
	case StepStart.Name:
		s.Step, s.Began = e.Step, e.Seq
		s.Steps++
	case StepEnd.Name:
		s.Step, s.Began = 0, 0
	case AssistantMessage.Name:
		if d, err := AssistantMessage.Decode(e); err == nil {
			if d.Usage != nil {
				s.Usage = s.Usage.Add(*d.Usage)
			}
			for _, c := range d.Calls {
				s.Calls = append(slices.Clone(s.Calls), openCall{ModelID: c.ID})
			}
		}
	case ToolCall.Name, ToolSubcall.Name:
		if d, err := decodeCall(e); err == nil {
			s.Calls = opened(s.Calls, openCall{ID: d.Call, ModelID: d.ModelID, Parent: d.Parent})
		}
	case ToolStarted.Name:
		if d, err := ToolStarted.Decode(e); err == nil {
			if i := slices.IndexFunc(s.Calls, func(c openCall) bool { return c.ID == d.Call }); i >= 0 {
				s.Calls = slices.Clone(s.Calls)
				s.Calls[i].Started = true
			}
		}
	case ToolResult.Name:
		if d, err := ToolResult.Decode(e); err == nil {
			s.Calls = closed(s.Calls, d)
		}
	}
	return s
}

func decodeCall(e Event) (ToolCallData, error) {
	if ToolSubcall.Of(e) {
		return ToolSubcall.Decode(e)
	}
	return ToolCall.Decode(e)
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

// closed drops the call a result answers: by our id, else by the model's.
func closed(calls []openCall, d ToolResultData) []openCall {
	for i, o := range calls {
		if o.ID != "" && o.ID == d.Call || o.ID == "" && d.Call == "" && o.ModelID == d.ModelID {
			return slices.Concat(calls[:i], calls[i+1:])
		}
	}
	return calls
}
