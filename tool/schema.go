package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// schema checks the arguments of one tool. It is read on first use, so that a tool
// nobody calls costs nothing at the start.
type schema struct {
	tool string
	text json.RawMessage

	once  sync.Once
	shape *shape
	err   error // why it cannot be read; then nothing is checked
}

func (s *schema) read() *shape {
	s.once.Do(func() {
		if len(s.text) == 0 {
			return
		}
		read, err := readShape(s.text)
		if err != nil {
			s.err = err
			return
		}
		s.shape = read
	})
	return s.shape
}

// mostComplaints is how many faults one answer names.
const mostComplaints = 6

// check validates an object and gives it back, with values of the wrong type
// converted where that loses nothing ("3" where an integer is wanted).
func (s *schema) check(object map[string]any) (map[string]any, error) {
	shape := s.read()
	if shape == nil {
		return object, nil
	}
	first := newJudged(s.tool)
	if first.judge(shape, object, nil); len(first.complaints) == 0 {
		return object, nil
	}
	left := mostJudged
	if fitted, ok := shape.fit(object, &left).(map[string]any); ok && shape.fits(fitted, &left) {
		return fitted, nil
	}
	lines := first.complaints
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if more := len(lines) - mostComplaints; more > 0 {
		lines = append(lines[:mostComplaints], fmt.Sprintf("%d more faults", more))
	}
	return nil, errors.New(strings.Join(lines, "; "))
}

// fit converts values whose type is not the wanted one, where nothing is lost. What
// is left bounds the effort, as in a check.
func (s *shape) fit(value any, left *int) any {
	if s = s.target(); s == nil || *left <= 0 {
		return value
	}
	*left--
	if len(s.any) > 0 && !s.fits(value, left) {
		for _, part := range s.any {
			if fitted := part.fit(value, left); part.fits(fitted, left) {
				return fitted
			}
		}
	}
	if !s.hasType(value) {
		value = convert(s.types, value)
	}
	switch v := value.(type) {
	case map[string]any:
		object := maps.Clone(v)
		for name, property := range s.properties {
			before, given := object[name]
			switch {
			case !given:
			case before == nil && !slices.Contains(s.required, name) && !property.fits(nil, left):
				delete(object, name)
			default:
				object[name] = property.fit(before, left)
			}
		}
		return object
	case []any:
		list := slices.Clone(v)
		for i := range list {
			if i < len(s.prefix) {
				list[i] = s.prefix[i].fit(list[i], left)
			} else {
				list[i] = s.items.fit(list[i], left)
			}
		}
		return list
	}
	return value
}

// convert changes a value into the first wanted type that holds all of it.
func convert(wanted []string, value any) any {
	for _, want := range wanted {
		switch v := value.(type) {
		case string:
			inner, rest, err := readValue(strings.TrimSpace(v))
			if err != nil || strings.TrimSpace(rest) != "" {
				continue
			}
			if got := typeOf(inner); got == want && got != "null" || want == "number" && got == "integer" {
				return inner
			}
		case json.Number:
			if want == "string" {
				return v.String()
			}
		case bool:
			if want == "string" {
				return fmt.Sprint(v)
			}
		}
	}
	return value
}
