package llm

import (
	"fmt"
	"time"

	"fairlead/fault"
)

// Code names a failure of a model call in one vocabulary for every wire.
type Code string

// The codes, with what a retry may hope for.
const (
	CodeRateLimit   Code = "rate-limit"    // retry after a wait
	CodeLoading     Code = "loading"       // the server is loading its model: retry
	CodeServer      Code = "server"        // 5xx, overloaded: retry
	CodeTransport   Code = "transport"     // connection refused, reset: retry
	CodeTimeout     Code = "timeout"       // no data in time: retry
	CodeStreamCut   Code = "stream-cut"    // ended in the middle: retry
	CodeEmpty       Code = "empty"         // a reply with nothing in it: retry
	CodeNotAPI      Code = "not-an-api"    // HTML or other foreign text: no retry
	CodeAuth        Code = "auth"          // key missing or refused: no retry
	CodeModel       Code = "model-unknown" // the endpoint has no such model: no retry
	CodeOverflow    Code = "overflow"      // the request does not fit the window: no retry unchanged
	CodeRefused     Code = "refused"       // 400-like: no retry unchanged
	CodeQuota       Code = "quota"         // out of credit: no retry
	CodeInterrupted Code = "interrupted"   // we stopped it ourselves
)

// Error is a failed model call.
type Error struct {
	Code Code `json:"code"`
	// Status is the HTTP status; 0 where none was received.
	Status int `json:"status,omitempty"`
	// Message is the server's own text, shortened and cleaned, for Details.
	Message string `json:"message,omitempty"`
	// RetryAfter is the wait the server asked for; negative where it named none.
	RetryAfter time.Duration `json:"-"`
	// Started is true where a part of the reply had arrived.
	Started bool `json:"started,omitempty"`
	// Wants is what to change in the request, so that the endpoint takes it: one
	// more try with it is sensible. Zero where the refusal names nothing.
	Wants Quirks `json:"wants,omitzero"`
	// Window, Prompt and Room are tokens as a refusal told them: the model's window,
	// the request's size, and the longest reply that would still fit. 0 was not told.
	Window int   `json:"window,omitempty"`
	Prompt int   `json:"prompt,omitempty"`
	Room   int   `json:"room,omitempty"`
	Err    error `json:"-"`
}

func (e *Error) Error() string {
	s := string(e.Code)
	if e.Status != 0 {
		s = fmt.Sprintf("%s (HTTP %d)", s, e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Code {
	case CodeRateLimit, CodeLoading, CodeServer, CodeTransport, CodeTimeout, CodeStreamCut, CodeEmpty:
		return true
	}
	return false
}

// Remedy says what may help against a failure.
type Remedy string

// The remedies.
const (
	RemedyRetry   Remedy = "retry"   // the same request again, later
	RemedyChange  Remedy = "change"  // the request with what the endpoint wants, once
	RemedyShorten Remedy = "shorten" // the request with a smaller cap on the reply
	RemedyCompact Remedy = "compact" // a shorter history
	RemedyTell    Remedy = "tell"    // only the person can help
)

// Remedy gives the remedy of e.
func (e *Error) Remedy() Remedy {
	switch {
	case e.Wants != Quirks{}:
		return RemedyChange
	case e.Code == CodeOverflow && e.Room > 0:
		return RemedyShorten
	case e.Code == CodeOverflow:
		return RemedyCompact
	case e.Retryable():
		return RemedyRetry
	}
	return RemedyTell
}

// FaultKind gives the kind a front door reports.
func (e *Error) FaultKind() fault.Kind {
	switch e.Code {
	case CodeOverflow:
		return fault.TooLarge
	case CodeInterrupted:
		return fault.Cancelled
	case CodeRefused:
		return fault.Invalid
	}
	return fault.Unavailable
}
