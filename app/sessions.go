package app

import (
	"fairlead/agent"
	"fairlead/session"
)

// Sent is a request as it was sent, written again from the log of its session.
type Sent struct {
	// Header is what the log says of it: a [session.RequestHeaderData], for a title a
	// [session.TitleAskedData].
	Header any    `json:"header"`
	Body   string `json:"body"`
	// Reproduced is true where the bytes have the hash that was logged.
	Reproduced bool `json:"reproduced"`
}

// Request gives the exact bytes of the nth request of a session, counted from 1; see
// [agent.Rebuild]. Where they are not those that were sent, they come with an error.
func Request(log *session.Log, n int) (*Sent, error) {
	body, header, err := agent.Rebuild(log, n, encoder)
	return sent(body, header, err)
}

// TitleRequest gives the bytes of the request for the session's title, as [Request]
// does; NotFound where no model was asked for one.
func TitleRequest(log *session.Log) (*Sent, error) {
	body, header, err := agent.RebuildTitle(log, encoder)
	return sent(body, header, err)
}

func sent(body []byte, header any, err error) (*Sent, error) {
	if body == nil {
		return nil, err
	}
	return &Sent{Header: header, Body: string(body), Reproduced: err == nil}, err
}

// Proof is a report of [session.Library.Verify] as programs read it.
type Proof struct {
	ID     session.ID   `json:"id"`
	Valid  bool         `json:"valid"`
	Events int64        `json:"events"`
	Last   session.Mark `json:"last"`
	// Problems is empty, never null, where there is none.
	Problems []session.Problem `json:"problems"`
}

// Proved gives a report to programs.
func Proved(r *session.Report) Proof {
	return Proof{ID: r.ID, Valid: r.Valid(), Events: r.Events, Last: r.Last, Problems: append([]session.Problem{}, r.Problems...)}
}
