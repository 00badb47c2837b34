package server

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/session"
)

// TestARunsStreamEndsWhenItsHelpersHaveReported: the end of a turn is held back while
// helpers work; the turn in which their report is read belongs to the run.
func TestARunsStreamEndsWhenItsHelpersHaveReported(t *testing.T) {
	seq := int64(0)
	event := func(turn int, kind string, data string) session.Frame {
		seq++
		return session.Frame{Event: &session.Event{Seq: seq, Type: kind, Turn: turn, Data: json.RawMessage(data)}}
	}
	report := event(0, "inbox/changed", `{"op":"queued","message":{"id":"r1","origin":"helper","delivery":"steer"}}`)
	for name, c := range map[string]struct {
		frames []session.Frame
		want   []string
	}{
		"a report wakes": {
			[]session.Frame{
				event(1, "helper/started", `{"helper":"h"}`), event(1, "turn/end", `{"reason":{"kind":"completed"}}`),
				report, event(0, "helper/ended", `{"helper":"h"}`), event(2, "turn/start", `{"origin":"helper"}`),
				event(2, "inbox/changed", `{"op":"claimed","ids":["r1"]}`), event(2, "turn/end", `{"reason":{"kind":"completed"}}`),
			},
			[]string{"start", "helper", "queue", "helper", "start", "queue", "done"},
		},
		"a helper crashed and wakes nobody": {
			[]session.Frame{
				event(1, "helper/started", `{"helper":"h"}`), event(1, "turn/end", `{"reason":{"kind":"completed"}}`),
				event(0, "helper/ended", `{"helper":"h","outcome":"failed"}`),
			},
			[]string{"start", "helper", "helper", "done"},
		},
		"nothing works": {
			[]session.Frame{event(1, "turn/end", `{"reason":{"kind":"completed"}}`), report},
			[]string{"start", "done"},
		},
	} {
		var got []string
		run := turnFrames{message: "m1", send: func(f TurnFrame) { got = append(got, f.Type) }}
		run.add(event(1, "user/message", `{"id":"m1"}`))
		for _, f := range c.frames {
			run.add(f)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || !run.over {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
