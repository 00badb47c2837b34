package agent

import (
	"fairlead/llm"
	"fairlead/session"
)

// Progress is where a session's loop stands, as the log tells it.
type Progress struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
	// Open is true from turn/start to turn/end.
	Open bool   `json:"open"`
	Mode string `json:"mode,omitempty"`
	// Route and Effort were chosen last; an empty Route means the default.
	Route  string `json:"route,omitempty"`
	Effort string `json:"effort,omitempty"`
	Titled bool   `json:"titled,omitempty"`
	// TitleAsked is true once a model was asked for a title.
	TitleAsked bool `json:"titleAsked,omitempty"`
	// Requests counts everything sent, retries included.
	Requests int       `json:"requests"`
	Usage    llm.Usage `json:"usage"`
	// Cost is what the ended turns cost, nil where that is known of none; Unpriced
	// of them have a part whose cost is unknown.
	Cost     *llm.Money `json:"costUsd,omitempty"`
	Unpriced int        `json:"unpriced,omitempty"`
	// Last is the end of the last turn.
	Last *session.TurnEndData `json:"last,omitempty"`
	// Sent is the last request's header, which the next one is compared with.
	Sent *session.RequestHeaderData `json:"sent,omitempty"`
}

// Loop folds the progress. Turn numbers go on after a restart because they are
// read from here.
var Loop = session.Projection[Progress]{
	Name:    "loop",
	Version: 2,
	Init:    func() Progress { return Progress{Usage: llm.UnknownUsage()} },
	Fold:    foldProgress,
	View: func(p Progress) any {
		p.Sent = nil
		return p
	},
}

func foldProgress(p Progress, e session.Event) Progress {
	switch e.Type {
	case session.TurnStart.Name:
		if d, err := session.TurnStart.Decode(e); err == nil {
			p.Mode = d.Mode
		}
		p.Turn, p.Step, p.Open = e.Turn, 0, true
	case session.StepStart.Name:
		p.Step = e.Step
	case session.TurnEnd.Name:
		p.Open = false
		if d, err := session.TurnEnd.Decode(e); err == nil {
			p.Last = &d
			p.Usage = p.Usage.Add(d.Usage)
			switch {
			case d.Cost != nil:
				sum := *d.Cost
				if p.Cost != nil {
					sum += *p.Cost
				}
				p.Cost = &sum
			case d.Steps > 0:
				p.Unpriced++
			}
		}
	case session.ModelSelected.Name:
		if d, err := session.ModelSelected.Decode(e); err == nil {
			p.Route, p.Effort = d.Route, d.Effort
		}
	case session.Titled.Name:
		p.Titled = true
		if d, err := session.Titled.Decode(e); err == nil && d.Usage != nil {
			p.Usage = p.Usage.Add(*d.Usage)
		}
	case session.TitleAsked.Name:
		p.TitleAsked = true
	case session.RequestHeader.Name:
		if d, err := session.RequestHeader.Decode(e); err == nil {
			p.Sent, p.Requests = &d, d.Request
		}
	}
	return p
}

// Reuse measures how far requests extend each other.
type Reuse struct {
	Requests int `json:"requests"`
	// Same of Counted bytes of earlier requests stood unchanged at the start of the
	// request after them; equal numbers are a ratio of 1.
	Same    int64 `json:"same"`
	Counted int64 `json:"counted"`
	Breaks  int   `json:"breaks"`
	// Cause is why the prefix broke last.
	Cause string `json:"cause,omitempty"`
}

// Ratio is Same of Counted, 1 where nothing was counted yet.
func (r Reuse) Ratio() float64 {
	if r.Counted == 0 {
		return 1
	}
	return float64(r.Same) / float64(r.Counted)
}

// Prefix folds the reuse of requests.
var Prefix = session.Projection[Reuse]{
	Name:    "prefix",
	Version: 1,
	Init:    func() Reuse { return Reuse{} },
	Fold: func(r Reuse, e session.Event) Reuse {
		switch e.Type {
		case session.RequestHeader.Name:
			if d, err := session.RequestHeader.Decode(e); err == nil {
				r.Requests++
				r.Same += int64(d.Same)
				r.Counted += int64(d.Prior)
			}
		case session.PrefixBroken.Name:
			if d, err := session.PrefixBroken.Decode(e); err == nil {
				r.Breaks++
				r.Cause = d.Cause
			}
		}
		return r
	},
	View: func(r Reuse) any {
		return map[string]any{"requests": r.Requests, "ratio": r.Ratio(), "breaks": r.Breaks, "cause": r.Cause}
	},
}

// Projections lists what this room folds.
func Projections() []session.AnyProjection {
	return []session.AnyProjection{Inbox, Loop, Prefix, Surroundings}
}
