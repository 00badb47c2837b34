package subagent

import (
	"encoding/json"

	"fairlead/session"
)

// The kinds of this room. A helper's own log holds what it was told to be; the others
// stand in the log of the session it works for.
var (
	Briefed = session.Kind[BriefedData]{Name: "helper/briefed", Doc: "this session is a helper's: whom it works for, and on what", Ignorable: true}
	Started = session.Kind[StartedData]{Name: "helper/started", Doc: "a helper is there and is about to be given its task", Ignorable: true}
	Changed = session.Kind[ChangedData]{Name: "helper/changed", Doc: "a helper has another state, or used up more", Ignorable: true}
	Ended   = session.Kind[EndedData]{Name: "helper/ended", Doc: "a helper's piece of work is over; it is reported together with this event", Ignorable: true}
)

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{Briefed, Started, Changed, Ended} }

// BriefedData is what a helper is. Depth is 1 for one that works for a chat.
type BriefedData struct {
	Parent session.ID `json:"parent"`
	Name   string     `json:"name"`
	Task   string     `json:"task"`
	Depth  int        `json:"depth"`
	// Fork is true where it began with what its parent knew.
	Fork bool `json:"fork,omitempty"`
	// Schema is what its answers must be, a JSON Schema; nil for text.
	Schema json.RawMessage `json:"schema,omitempty"`
	Budget Budget          `json:"budget,omitzero"`
}

// Budget is what a helper may use up in one piece of work; 0 is no limit of its own.
type Budget struct {
	Steps  int `json:"steps,omitempty"`
	Tokens int `json:"tokens,omitempty"` // in and out
}

// StartedData is a new helper. Task is its beginning, for a row.
type StartedData struct {
	Helper session.ID `json:"helper"`
	Name   string     `json:"name"`
	Task   string     `json:"task"`
	Call   string     `json:"call,omitempty"`
	Model  string     `json:"model,omitempty"` // the route
	Preset string     `json:"preset,omitempty"`
	Fork   bool       `json:"fork,omitempty"`
	Depth  int        `json:"depth"`
}

// ChangedData is the new state of a helper: what is set counts. Round is the piece of
// work, from 1 on.
type ChangedData struct {
	Helper session.ID `json:"helper"`
	Status string     `json:"status,omitempty"`
	Round  int        `json:"round,omitempty"`
	Tokens int        `json:"tokens,omitempty"`
	Steps  int        `json:"steps,omitempty"`
	// Told is set where a report went along that had been lost on its way.
	Told bool `json:"told,omitempty"`
}

// EndedData is the end of a piece of work. Text is the report or what there was of it,
// Value the answer where it had to fit a schema, Why a sentence where it is not done.
type EndedData struct {
	Helper  session.ID      `json:"helper"`
	Round   int             `json:"round"`
	Outcome string          `json:"outcome"`
	Text    string          `json:"text,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Why     string          `json:"why,omitempty"`
	Tokens  int             `json:"tokens"`
	Steps   int             `json:"steps"`
	Millis  int64           `json:"ms"`
	// Call is the call whose result is the report; "" where it is a message.
	Call string `json:"call,omitempty"`
}

// States of a helper at work.
const (
	Working = "working"
	Waiting = "waiting" // idle, while helpers of its own work
)

// Outcomes of a piece of work; each is the helper's state from then on.
const (
	Done        = "done"
	Empty       = "empty"       // it ended without an answer
	Unfit       = "unfit"       // its answer does not fit the schema
	Stopped     = "stopped"     // by a person, or with whom it works for
	Interrupted = "interrupted" // the process ended; it can go on
	Refused     = "refused"     // it needed an approval and nobody was there
	Spent       = "spent"       // a budget was used up
	Guarded     = "guarded"     // it went nowhere
	Cut         = "cut"         // its answer did not fit into the length of a reply
	Failed      = "failed"
	Lost        = "lost" // its session cannot be read
)
