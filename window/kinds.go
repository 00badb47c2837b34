package window

import (
	"fairlead/llm"
	"fairlead/session"
)

// The event kinds of this room.
var (
	Measured = session.Kind[MeasuredData]{Name: "context/measured", Doc: "how full the model's context was with a request, and with what", Ignorable: true}
	Withheld = session.Kind[WithheldData]{Name: "context/withheld", Doc: "a message does not fit and is not sent; a mark stands for it",
		Message: func(d WithheldData) *llm.Message { return &llm.Message{Role: llm.User, Content: llm.Text(d.Mark)} },
		Shadow:  func(d WithheldData) session.Span { return d.Shadows }}

	Started = session.Kind[StartedData]{Name: "compaction/start", Doc: "room is being made in the context", Ignorable: true}
	Pruned  = session.Kind[PrunedData]{Name: "compaction/pruned", Doc: "an old result or message is shortened for the model",
		Message: func(d PrunedData) *llm.Message {
			return &llm.Message{Role: d.Role, CallID: d.CallID, Failed: d.Failed, Content: d.Content}
		},
		Shadow: func(d PrunedData) session.Span { return d.Shadows }}
	Summary = session.Kind[SummaryData]{Name: "compaction/summary", Doc: "stands for the oldest part of the conversation",
		Message: func(d SummaryData) *llm.Message { return &llm.Message{Role: llm.User, Content: llm.Text(d.Message)} },
		Shadow:  func(d SummaryData) session.Span { return d.Shadows }}
	Ended = session.Kind[EndedData]{Name: "compaction/end", Doc: "making room is over, with what it gave", Ignorable: true}
)

// Kinds lists what this room declares.
func Kinds() []session.AnyKind {
	return []session.AnyKind{Measured, Withheld, Started, Pruned, Summary, Ended}
}

// MeasuredData is one request: its size, and what the context was filled with.
type MeasuredData struct {
	Route string `json:"route"`
	// Tokens is the size of the request: as the server counted it where Measured is
	// true, else estimated.
	Tokens   int  `json:"tokens"`
	Measured bool `json:"measured"`
	// Window is the model's, Source how it is known.
	Window int    `json:"window"`
	Source string `json:"source"`
	// Start is the size from which older parts are summarised, Soon that it is near.
	Start int  `json:"start"`
	Soon  bool `json:"soon,omitempty"`
	// Plain is the plain estimate of the same request: with Tokens it gives the density.
	Plain int   `json:"plain"`
	Parts Parts `json:"parts"` // they add up to Tokens
	// Total is the request with its reply, as the server counted them; 0 is unknown.
	Total int `json:"total,omitempty"`
	// Read is set where the server read less than it was sent: what it says it read.
	Read int `json:"read,omitempty"`
}

// WithheldData is a message that is longer than the model can read.
type WithheldData struct {
	Shadows session.Span `json:"shadows"`
	ID      string       `json:"id,omitempty"` // of the message
	Tokens  int          `json:"tokens"`       // its size
	Room    int          `json:"room"`         // what an empty session would have for it
	Mark    string       `json:"mark"`         // what the model sees
}

// StartedData opens a compaction. By is "size", "person" or "refusal".
type StartedData struct {
	By     string `json:"by"`
	Before int    `json:"before"` // tokens
	Window int    `json:"window"`
}

// PrunedData is what the model sees in the place of one message from now on.
type PrunedData struct {
	Shadows session.Span `json:"shadows"`
	Role    llm.Role     `json:"role"`
	CallID  string       `json:"callId,omitempty"`
	Failed  bool         `json:"failed,omitempty"`
	Content []llm.Part   `json:"content"`
	Left    int          `json:"left"` // bytes that are left out
}

// SummaryData stands for the oldest part of a conversation.
type SummaryData struct {
	Shadows session.Span `json:"shadows"`
	// Items is how many entries of the surface it stands for, earlier summaries not
	// counted but what they stood for.
	Items int `json:"items"`
	// Text is the summary, by the model, or where it gave none by the harness.
	Text string `json:"text"`
	By   string `json:"by"` // "model" or "harness"
	// Said is the newest message of the person in that part, where none stands behind
	// it, and Told what the harness told there that still holds, word for word.
	Said *Carried  `json:"said,omitempty"`
	Told []Carried `json:"told,omitempty"`
	// Message is the whole of what the model sees.
	Message string    `json:"message"`
	Route   string    `json:"route,omitempty"`
	Usage   llm.Usage `json:"usage"`
	// Cost is what it cost, nil where that is unknown.
	Cost *llm.Money `json:"costUsd,omitempty"`
}

// Carried is a message that goes on word for word.
type Carried struct {
	Source string `json:"source,omitempty"`
	Text   string `json:"text"`
}

// EndedData closes a compaction.
type EndedData struct {
	By string `json:"by"`
	// Before and After are tokens; After is estimated until the next request.
	Before int `json:"before"`
	After  int `json:"after"`
	Window int `json:"window"`
	Start  int `json:"start"`
	// Items is how many entries were summarised or shortened.
	Items  int `json:"items"`
	Pruned int `json:"pruned,omitempty"`
	Pieces int `json:"pieces,omitempty"`
	// Plain is the plain estimate afterwards, Parts what it consists of, as After.
	Plain int   `json:"plain"`
	Parts Parts `json:"parts"`
	// Error says why it ended before it was done.
	Error string `json:"error,omitempty"`
}
