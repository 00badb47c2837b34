package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Kind says what sort of failure an error is. The set is closed: its order and
// its words are part of the HTTP contract.
type Kind uint8

// The kinds, from the caller's mistake to ours.
const (
	Internal    Kind = iota // a defect or a failing machine; the zero Kind
	Invalid                 // the request is malformed or contradicts itself
	Denied                  // a person, a rule or a mode said no
	NotFound                // the thing named is not there
	Conflict                // somebody else was first, or the thing changed meanwhile
	Unavailable             // a needed part is missing or does not answer now
	TooLarge                // it does not fit a limit
	Cancelled               // somebody stopped it
)

var words = [...]string{"internal", "invalid", "denied", "not_found", "conflict", "unavailable", "too_large", "cancelled"}

// String gives the word used on the wire.
func (k Kind) String() string {
	if int(k) < len(words) {
		return words[k]
	}
	return words[Internal]
}

var statuses = [...]int{
	http.StatusInternalServerError, http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound,
	http.StatusConflict, http.StatusServiceUnavailable, http.StatusRequestEntityTooLarge, 499,
}

// HTTPStatus maps the kind to a status code. Cancelled is 499, the code that
// proxies use for a client that went away; HTTP names none.
func (k Kind) HTTPStatus() int { return statuses[k] }

var acpCodes = [...]int{-32603, -32602, -32000, -32002, -32001, -32003, -32602, -32800}

// ACPCode maps the kind to a JSON-RPC error code as the Agent Client Protocol
// uses them (JSON-RPC 2.0 section 5.1; -32800 is "request cancelled").
func (k Kind) ACPCode() int { return acpCodes[k] }

// Error is a failure whose meaning is known. The first wrapper that knows the
// meaning makes one; wrappers above it add only their operation with %w.
type Error struct {
	Kind Kind
	// Op is the operation that failed, "room.verb" such as "session.open".
	Op string
	// Code is a stable word for programs ("model-unavailable"); empty where the kind says enough.
	Code string
	// Text is for the person: what happened, what was or was not changed, one next step.
	Text string
	// Key and Values are the same text for the message catalog; empty where there is only Text.
	Key    string
	Values map[string]any
	// Model tells the model what to do next; empty means that Text serves both.
	Model string
	// Err is the cause, for the operator. It may be nil.
	Err error
}

// New makes an error of a kind with a text for the person.
func New(kind Kind, op, format string, args ...any) *Error {
	return &Error{Kind: kind, Op: op, Text: fmt.Sprintf(format, args...)}
}

// Wrap gives a cause its kind and a text for the person.
func Wrap(kind Kind, op string, err error, format string, args ...any) *Error {
	return &Error{Kind: kind, Op: op, Err: err, Text: fmt.Sprintf(format, args...)}
}

// WithCode returns e with its code set, for use at the place where e is made.
func (e *Error) WithCode(code string) *Error { e.Code = code; return e }

// ForTheModel returns e with the model's text set, for use at the place where e is made.
func (e *Error) ForTheModel(format string, args ...any) *Error {
	e.Model = fmt.Sprintf(format, args...)
	return e
}

// Error prints the operator's view: operation, text, cause.
func (e *Error) Error() string {
	s := e.Text
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// KindOf finds the kind of err: that of the outermost [Error] in its chain,
// Cancelled for a cancelled context, Unavailable for a passed deadline,
// Internal for anything else. KindOf(nil) is Internal; ask only about failures.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	}
	return Internal
}

// Is reports whether err is of the kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// CodeOf gives the code of the outermost [Error] that has one, or "".
func CodeOf(err error) string {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		if e.Code != "" {
			return e.Code
		}
	}
	return ""
}

// Person gives the text for the person: that of the outermost [Error], else the
// error as it prints.
func Person(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Text != "" {
		return e.Text
	}
	return err.Error()
}

// ForModel gives the text for the model: the outermost Model text, else the
// person's.
func ForModel(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Model != "" {
		return e.Model
	}
	return Person(err)
}
