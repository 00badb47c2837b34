package external

import (
	"slices"

	"fairlead/llm"
	"fairlead/session"
)

// What a session keeps of a run; the rest is what the call's result says.
var (
	RunStarted = session.Kind[RunStartedData]{Name: "run/started", Doc: "an external agent is asked", Ignorable: true}
	RunEnded   = session.Kind[RunEndedData]{Name: "run/ended", Doc: "an external agent is done, with how it ended", Ignorable: true}
)

// RunStartedData is a run that begins. Prompt is its beginning; AgentSession is set where
// a session of the agent is gone on with.
type RunStartedData struct {
	Run          string `json:"run"`
	Call         string `json:"call"`
	Agent        string `json:"agent"`
	Prompt       string `json:"prompt"`
	Access       Access `json:"access"`
	Effort       Effort `json:"effort,omitempty"`
	AgentSession string `json:"agentSession,omitempty"`
}

// RunEndedData is a run that is over. State and Code are as in [Run].
type RunEndedData struct {
	Run          string     `json:"run"`
	Call         string     `json:"call"`
	Agent        string     `json:"agent"`
	State        string     `json:"state"`
	Code         string     `json:"code"`
	Reason       string     `json:"reason,omitempty"`
	Millis       int64      `json:"ms"`
	Count        int64      `json:"count"`
	Dropped      int64      `json:"droppedEvents"`
	Turns        int        `json:"turns,omitempty"`
	Usage        *llm.Usage `json:"usage,omitempty"`
	Cost         *llm.Money `json:"costUsd,omitempty"`
	AgentSession string     `json:"agentSession,omitempty"`
}

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{RunStarted, RunEnded} }

// Delegated is a run as its session's log tells of it. Ended is nil while it goes on, and
// where its host ended before it did.
type Delegated struct {
	RunStartedData
	At    int64         `json:"at"` // Unix milliseconds
	Ended *RunEndedData `json:"ended,omitempty"`
}

// mostDelegated is how many runs of a session its projection tells of.
const mostDelegated = 50

var runsProjection = session.Projection[[]Delegated]{
	Name: "runs", Version: 1,
	Init: func() []Delegated { return []Delegated{} },
	Fold: func(list []Delegated, ev session.Event) []Delegated {
		switch {
		case RunStarted.Of(ev):
			d, err := RunStarted.Decode(ev)
			if err != nil {
				return list
			}
			list = append(slices.Clone(list), Delegated{RunStartedData: d, At: ev.At})
			return list[max(0, len(list)-mostDelegated):]
		case RunEnded.Of(ev):
			d, err := RunEnded.Decode(ev)
			if err != nil {
				return list
			}
			at := slices.IndexFunc(list, func(r Delegated) bool { return r.Run == d.Run })
			if at >= 0 {
				list = slices.Clone(list)
				list[at].Ended = &d
			}
		}
		return list
	},
}

// Projections are what the slice folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{runsProjection} }
