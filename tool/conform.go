package tool

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"fairlead/fault"
)

// Conform reads the JSON value that a text holds, in a code fence or not, and holds it
// against a schema as the arguments of calls are held against theirs: what loses
// nothing is converted. The error says what does not fit, in words for a model. An
// empty text is a check of the schema alone: fault.Invalid where it cannot be read.
func Conform(text json.RawMessage, schema json.RawMessage) (json.RawMessage, error) {
	s, err := readShape(schema)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "tool.conform", err, "The schema cannot be used: %v.", err)
	}
	if len(text) == 0 {
		return nil, nil
	}
	value, rest, err := readValue(unfence(strings.TrimSpace(string(text))))
	if err != nil {
		return nil, errors.New("it is no JSON: " + err.Error())
	}
	if strings.TrimSpace(rest) != "" {
		return nil, errors.New("something stands behind the JSON value")
	}
	j := newJudged("the answer")
	if j.judge(s, value, nil); len(j.complaints) == 0 {
		return canonical(value), nil
	}
	left := mostJudged
	if fitted := s.fit(value, &left); s.fits(fitted, &left) {
		return canonical(fitted), nil
	}
	slices.Sort(j.complaints)
	lines := slices.Compact(j.complaints)
	return nil, errors.New(strings.Join(lines[:min(len(lines), mostComplaints)], "; "))
}
