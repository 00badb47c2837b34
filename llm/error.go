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
	// Started is true where any byte of a reply had arrived.
	Started bool  `json:"started,omitempty"`
	Err     error `json:"-"`
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
	case CodeRateLimit, CodeServer, CodeTransport, CodeTimeout, CodeStreamCut, CodeEmpty:
		return true
	}
	return false
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
