package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"fairlead/fault"
)

// Problem is how a failure travels.
type Problem struct {
	Error ProblemBody `json:"error"`
}

// ProblemBody has the kind's word, a sentence for the person, the technical text
// for Details, and a stable code where programs need to tell.
type ProblemBody struct {
	Kind    string         `json:"kind"`
	Message string         `json:"message"`
	Key     string         `json:"key,omitempty"`
	Values  map[string]any `json:"values,omitempty"`
	Details string         `json:"details,omitempty"`
	Code    string         `json:"code,omitempty"`
}

// refusal is an answer with a status that no fault kind has: it is HTTP's own.
type refusal struct {
	status int
	fault  *fault.Error
}

func refuse(status int, kind fault.Kind, code, text string) *refusal {
	return &refusal{status: status, fault: fault.New(kind, "server", "%s", text).WithCode(code)}
}

func (r *refusal) Error() string { return r.fault.Error() }
func (r *refusal) Unwrap() error { return r.fault }

// problemOf says how an error travels. Details are the operator's chain: it holds
// no secret, because errors never do.
func problemOf(err error) (int, Problem) {
	body := ProblemBody{Kind: fault.KindOf(err).String(), Message: fault.Person(err), Code: fault.CodeOf(err)}
	if details := err.Error(); details != body.Message {
		body.Details = details
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		body.Key, body.Values = e.Key, e.Values
	}
	status := fault.KindOf(err).HTTPStatus()
	if r, ok := err.(*refusal); ok {
		status, body.Details = r.status, ""
	}
	return status, Problem{Error: body}
}

func writeProblem(w http.ResponseWriter, err error) {
	status, body := problemOf(err)
	writeJSON(w, status, body)
}

// writeJSON answers.
func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"kind":"internal","message":"The answer could not be written as JSON."}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	write(w, append(text, '\n'))
}

// write sends the body of an answer. A reader that takes too long loses the rest;
// that it is gone is no failure of ours.
func write(w http.ResponseWriter, body []byte) {
	// A writer without deadlines (a test's recorder) is bounded by its own reader.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
	_, _ = w.Write(body)
}
