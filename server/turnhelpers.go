package server

import (
	"encoding/json"

	"fairlead/agent"
	"fairlead/session"
)

// helpers follows what a run leaves at work when its turn ends: helpers that it
// started, and their reports on the way to it.
type helpers struct {
	ended   *TurnFrame // the end of the run, held back until nothing works for it
	working map[string]bool
	reports map[string]bool // by message
}

// fromHelper is the origin of a message that is a helper's report, and of its turn.
const fromHelper = "helper"

func (h *helpers) take(e session.Event) {
	if e.Type == session.InboxChanged.Name {
		h.inbox(e)
		return
	}
	if passedOn[e.Type] != "helper" {
		return
	}
	var d struct{ Helper, Status string }
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	switch {
	case e.Type == "helper/ended":
		delete(h.working, d.Helper)
	case e.Type == "helper/started" || d.Status == "working":
		if h.working == nil {
			h.working = map[string]bool{}
		}
		h.working[d.Helper] = true
	}
}

func (h *helpers) inbox(e session.Event) {
	d, err := session.InboxChanged.Decode(e)
	if err != nil {
		return
	}
	if d.Op == "queued" && d.Message.Origin == fromHelper && d.Message.Delivery != agent.Inject {
		if h.reports == nil {
			h.reports = map[string]bool{}
		}
		h.reports[d.Message.ID] = true
	}
	for _, id := range d.IDs {
		delete(h.reports, id)
	}
}

// quiet reports whether nothing is at work for the run. A report and the end that it
// tells of are in the log together, the report first.
func (h *helpers) quiet() bool { return len(h.working) == 0 && len(h.reports) == 0 }

// reported says whether an event begins a turn in which reports are read.
func reported(e session.Event) bool {
	if !session.TurnStart.Of(e) {
		return false
	}
	d, err := session.TurnStart.Decode(e)
	return err == nil && d.Origin == fromHelper
}
