package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostJudged bounds one check: a schema from outside may refer to itself in every
// alternative, and then there is no end of ways to try.
const mostJudged = 100_000

// judged is one check of arguments: what is wrong with them, in words.
type judged struct {
	tool       string
	complaints []string
	depth      int
	left       *int // how many more values may be judged
}

func newJudged(tool string) *judged {
	left := mostJudged
	return &judged{tool: tool, left: &left}
}

// fits reports whether a value has a shape, within what is left.
func (s *shape) fits(value any, left *int) bool {
	j := &judged{left: left}
	j.judge(s, value, nil)
	return len(j.complaints) == 0
}

func (j *judged) say(at []string, format string, args ...any) {
	j.complaints = append(j.complaints, strconv.Quote(place(at))+" "+fmt.Sprintf(format, args...))
}

// judge compares a value with a shape. at is where the value stands.
func (j *judged) judge(s *shape, value any, at []string) {
	if s == nil {
		return
	}
	j.depth++
	defer func() { j.depth-- }()
	if *j.left--; *j.left < 0 || j.depth > 2*maxDepth {
		if len(j.complaints) == 0 {
			j.say(at, "cannot be checked: it is nested too deep, or the schema of %s has no end", j.tool)
		}
		return
	}
	if s.never {
		j.say(at, "must not be there")
		return
	}
	if s.ref != nil {
		j.judge(s.ref, value, at)
	}
	if !s.hasType(value) {
		j.say(at, "must be %s, but is %s", anyOf(s.types), describeValue(value))
		return
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(v any) bool { return string(canonical(v)) == string(canonical(value)) }) {
		choices := make([]string, len(s.enum))
		for i, v := range s.enum {
			choices[i] = string(canonical(v))
		}
		j.say(at, "must be one of %s, but is %s", strings.Join(choices, ", "), describeValue(value))
		return
	}
	switch v := value.(type) {
	case map[string]any:
		j.object(s, v, at)
	case []any:
		j.array(s, v, at)
	case string:
		j.count(s.text, utf8.RuneCountInString(v), "character", at)
		if s.pattern != nil && !s.pattern.MatchString(v) {
			j.say(at, "must match %s, but is %s", s.pattern, describeValue(v))
		}
	case json.Number:
		j.number(s, v, at)
	}
	j.combine(s, value, at)
}

func (s *shape) hasType(value any) bool {
	if len(s.types) == 0 {
		return true
	}
	got := typeOf(value)
	return slices.Contains(s.types, got) || got == "integer" && slices.Contains(s.types, "number")
}

func (j *judged) object(s *shape, object map[string]any, at []string) {
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			j.say(below(at, name), "is missing%s", wanted(s.properties[name]))
		}
	}
	j.count(s.properly, len(object), "field", at)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value, where := object[name], below(at, name)
		for _, need := range s.dependent[name] {
			if _, ok := object[need]; !ok {
				j.say(below(at, need), "is missing, it belongs to %q", name)
			}
		}
		if s.names != nil && !s.names.fits(name, j.left) {
			j.say(where, "is no name that can stand there")
		}
		property, named := s.properties[name]
		if named {
			j.judge(property, value, where)
		}
		for p, shape := range s.patterns {
			if p.MatchString(name) {
				named = true
				j.judge(shape, value, where)
			}
		}
		switch {
		case named || s.additional == nil:
		case s.additional.never:
			j.unknown(s, name, where)
		default:
			j.judge(s.additional, value, where)
		}
	}
}

// unknown says of a field that nobody asked for what it may have been meant to be.
func (j *judged) unknown(s *shape, name string, at []string) {
	names := slices.Sorted(maps.Keys(s.properties))
	switch close := Near(name, names); {
	case len(close) > 0:
		j.say(at, "is not an argument of %s, did you mean %s?", j.tool, OrList(close))
	case len(names) > 0:
		j.say(at, "is not an argument of %s, which takes %s", j.tool, strings.Join(names, ", "))
	default:
		j.say(at, "is not an argument of %s, which takes none", j.tool)
	}
}

func (j *judged) array(s *shape, list []any, at []string) {
	j.count(s.length, len(list), "item", at)
	seen := map[string]bool{}
	for i, value := range list {
		where := below(at, strconv.Itoa(i))
		if s.unique {
			key := string(canonical(value))
			if seen[key] {
				j.say(where, "is in the list twice")
			}
			seen[key] = true
		}
		if i < len(s.prefix) {
			j.judge(s.prefix[i], value, where)
		} else {
			j.judge(s.items, value, where)
		}
	}
}

func (j *judged) count(l limits, n int, noun string, at []string) {
	if l.least != nil && float64(n) < *l.least {
		j.say(at, "must have at least %v %ss, but has %d", *l.least, noun, n)
	}
	if l.most != nil && float64(n) > *l.most {
		j.say(at, "must have at most %v %ss, but has %d", *l.most, noun, n)
	}
}

func (j *judged) number(s *shape, n json.Number, at []string) {
	f, err := n.Float64()
	if err != nil {
		return // too large for the comparison; the type is right
	}
	switch {
	case s.minimum != nil && f < *s.minimum:
		j.say(at, "must be at least %v, but is %s", *s.minimum, n)
	case s.maximum != nil && f > *s.maximum:
		j.say(at, "must be at most %v, but is %s", *s.maximum, n)
	case s.above != nil && f <= *s.above:
		j.say(at, "must be more than %v, but is %s", *s.above, n)
	case s.below != nil && f >= *s.below:
		j.say(at, "must be less than %v, but is %s", *s.below, n)
	case s.step != nil && *s.step > 0:
		if q := f / *s.step; math.Abs(q-math.Round(q)) > 1e-9*math.Max(1, math.Abs(q)) {
			j.say(at, "must be a multiple of %v, but is %s", *s.step, n)
		}
	}
}

// combine judges the schemas that all, one or none of which must fit.
func (j *judged) combine(s *shape, value any, at []string) {
	for _, part := range s.all {
		j.judge(part, value, at)
	}
	if s.not != nil && s.not.fits(value, j.left) {
		j.say(at, "must not be %s", describeValue(value))
	}
	if len(s.any) == 0 {
		return
	}
	// The complaints of the alternative that fits best are the most useful ones.
	var best *judged
	var types []string
	for _, part := range s.any {
		tried := &judged{tool: j.tool, depth: j.depth, left: j.left}
		if tried.judge(part, value, at); len(tried.complaints) == 0 {
			return
		}
		types = append(types, part.target().types...)
		if part.target().hasType(value) && (best == nil || len(tried.complaints) < len(best.complaints)) {
			best = tried
		}
	}
	if best == nil {
		j.say(at, "must be %s, but is %s", anyOf(slices.Compact(types)), describeValue(value))
		return
	}
	j.complaints = append(j.complaints, best.complaints...)
}

// below gives the place of a part; the slice is its own.
func below(at []string, part string) []string { return append(slices.Clone(at), part) }

// place writes a location as people do: items[2].text.
func place(location []string) string {
	var b strings.Builder
	for _, part := range location {
		switch {
		case strings.Trim(part, "0123456789") == "" && part != "":
			b.WriteString("[" + part + "]")
		case b.Len() > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
	}
	if b.Len() == 0 {
		return "arguments"
	}
	return b.String()
}

// wanted says what a missing property should be.
func wanted(s *shape) string {
	if s = s.target(); s == nil || len(s.types) == 0 {
		return ""
	}
	return ", it must be " + anyOf(s.types)
}

// anyOf writes type names with their articles.
func anyOf(types []string) string {
	if len(types) == 0 {
		return "something else"
	}
	named := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "null":
			named[i] = t
		case "integer", "array", "object":
			named[i] = "an " + t
		default:
			named[i] = "a " + t
		}
	}
	return strings.Join(named, " or ")
}

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}
