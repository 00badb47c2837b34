package app

import (
	"context"
	"encoding/json"
	"slices"

	"fairlead/fault"
	"fairlead/session"
)

// place is what an event is on the surface.
type place int

const (
	nowhere place = iota
	stands        // for itself
	hides         // in the place of others
)

// role says what an event is on the surface.
func role(kinds session.KindTable, e session.Event) (place, error) {
	kind := kinds[e.Type]
	switch {
	case kind == nil:
		return nowhere, nil
	case kind.Describe().Shadows:
		return hides, nil
	case !kind.Describe().Visible:
		return nowhere, nil
	case session.ToolResult.Of(e):
		d, err := session.ToolResult.Decode(e)
		if d.Parent != "" {
			return nowhere, err
		}
	}
	return stands, nil
}

// again drafts a recorded event as it is.
func again(e session.Event) session.Draft {
	return session.Draft{Type: e.Type, Turn: e.Turn, Step: e.Step, Ignorable: e.Ignorable, Data: json.RawMessage(e.Data)}
}

// hide takes out of the model's sight what had been taken out of it before the next
// recorded request. Events of the replay have other numbers, and stand in the same
// order.
func (t *tape) hide(ctx context.Context, log *session.Log) error {
	recorded := t.hiding[t.requests]
	t.requests++
	if len(recorded) == 0 {
		return nil
	}
	var now []int64
	for e, err := range log.Events(1) {
		if err != nil {
			return err
		}
		if what, err := role(kinds(), e); err != nil {
			return err
		} else if what == stands {
			now = append(now, e.Seq)
		}
	}
	drafts := make([]session.Draft, len(recorded))
	for i, e := range recorded {
		drafts[i] = again(e)
		data, err := t.moved(e, now)
		if err != nil {
			return err
		}
		drafts[i].Data = data
	}
	_, err := log.Append(ctx, drafts...)
	return err
}

// moved gives the payload of an event that hides others, with the numbers that those
// have in the replay.
func (t *tape) moved(e session.Event, now []int64) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	var span session.Span
	err := json.Unmarshal(e.Data, &fields)
	if err == nil {
		err = json.Unmarshal(fields["shadows"], &span)
	}
	from, ok1 := slices.BinarySearch(t.visible, span.From)
	to, ok2 := slices.BinarySearch(t.visible, span.To)
	if err != nil || !ok1 || !ok2 || max(from, to) >= len(now) {
		return nil, fault.Wrap(fault.Internal, "app.replay", err, "What event %d hides is not in the replay.", e.Seq)
	}
	if fields["shadows"], err = json.Marshal(session.Span{From: now[from], To: now[to]}); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}
