package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema checks the arguments of one tool. It is compiled on first use, so that a
// tool nobody calls costs nothing at the start.
type schema struct {
	tool string
	text json.RawMessage

	once     sync.Once
	compiled *jsonschema.Schema
	err      error
}

// noLoader refuses to fetch what a schema refers to: schemas come from outside.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a tool's schema may not refer to %s", url)
}

// compile gives nil for a tool without parameters and for a schema that does not
// compile; the reason of the latter is in s.err.
func (s *schema) compile() *jsonschema.Schema {
	s.once.Do(func() {
		if len(s.text) == 0 {
			return
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(s.text)))
		if err != nil {
			s.err = err
			return
		}
		const at = "urn:fairlead:arguments"
		c := jsonschema.NewCompiler()
		c.UseLoader(noLoader{})
		if s.err = c.AddResource(at, doc); s.err == nil {
			s.compiled, s.err = c.Compile(at)
		}
	})
	return s.compiled
}

// check validates an object and gives it back, with values of the wrong type
// converted where that loses nothing ("3" where an integer is wanted).
func (s *schema) check(object map[string]any) (map[string]any, error) {
	compiled := s.compile()
	if compiled == nil {
		return object, nil
	}
	first := compiled.Validate(object)
	if first == nil {
		return object, nil
	}
	fitted, ok := fit(compiled, object).(map[string]any)
	if ok {
		if second := compiled.Validate(fitted); second == nil {
			return fitted, nil
		}
	}
	failure, ok := errors.AsType[*jsonschema.ValidationError](first)
	if !ok {
		return nil, first
	}
	return nil, errors.New(s.explain(failure, object))
}

// fit converts values whose type is not the wanted one, where nothing is lost.
func fit(s *jsonschema.Schema, value any) any {
	if s == nil {
		return value
	}
	if s.Ref != nil {
		return fit(s.Ref, value)
	}
	if s.Types != nil {
		value = convert(s.Types.ToStrings(), value)
	}
	switch v := value.(type) {
	case map[string]any:
		object := maps.Clone(v)
		for name, property := range s.Properties {
			before, given := object[name]
			if !given {
				continue
			}
			if before == nil && !slices.Contains(s.Required, name) && !admits(property, "null") {
				delete(object, name)
				continue
			}
			object[name] = fit(property, before)
		}
		return object
	case []any:
		items := s.Items2020
		if items == nil {
			items, _ = s.Items.(*jsonschema.Schema)
		}
		list := slices.Clone(v)
		for i := range list {
			list[i] = fit(items, list[i])
		}
		return list
	}
	return value
}

func admits(s *jsonschema.Schema, kind string) bool {
	return s.Types == nil || slices.Contains(s.Types.ToStrings(), kind)
}

// convert changes a value into the first wanted type that holds all of it.
func convert(wanted []string, value any) any {
	if len(wanted) == 0 || slices.Contains(wanted, typeOf(value)) || slices.Contains(wanted, "number") && typeOf(value) == "integer" {
		return value
	}
	for _, want := range wanted {
		switch v := value.(type) {
		case string:
			if want == "string" {
				return v
			}
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

// mostComplaints is how many faults one answer names.
const mostComplaints = 6

// explain says for every fault which argument it is and what is wanted there.
func (s *schema) explain(failure *jsonschema.ValidationError, object map[string]any) string {
	var lines []string
	for _, leaf := range leaves(failure, nil) {
		lines = append(lines, s.complaint(leaf, object)...)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if more := len(lines) - mostComplaints; more > 0 {
		lines = append(lines[:mostComplaints], fmt.Sprintf("%d more faults", more))
	}
	return strings.Join(lines, "; ")
}

func leaves(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(found, e)
	}
	for _, cause := range e.Causes {
		found = leaves(cause, found)
	}
	return found
}

func (s *schema) complaint(e *jsonschema.ValidationError, object map[string]any) []string {
	where := place(e.InstanceLocation)
	value, owner := lookUp(object, s.compiled, e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		lines := make([]string, len(k.Missing))
		for i, name := range k.Missing {
			lines[i] = fmt.Sprintf("%q is missing%s", place(append(slices.Clone(e.InstanceLocation), name)), wantedAt(owner, name))
		}
		return lines
	case *kind.AdditionalProperties:
		lines := make([]string, len(k.Properties))
		for i, name := range k.Properties {
			lines[i] = s.unknownArgument(e.InstanceLocation, owner, name)
		}
		return lines
	case *kind.Type:
		return []string{fmt.Sprintf("%q must be %s, but is %s", where, anyOf(k.Want), describeValue(value))}
	case *kind.Enum:
		words := make([]string, len(k.Want))
		for i, w := range k.Want {
			words[i] = string(canonical(w))
		}
		return []string{fmt.Sprintf("%q must be one of %s, but is %s", where, strings.Join(words, ", "), describeValue(value))}
	}
	return []string{fmt.Sprintf("%q: %s", where, e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))}
}

func (s *schema) unknownArgument(at []string, owner *jsonschema.Schema, name string) string {
	line := fmt.Sprintf("%q is not an argument of %s", place(append(slices.Clone(at), name)), s.tool)
	if owner == nil {
		return line
	}
	names := slices.Sorted(maps.Keys(owner.Properties))
	if close := near(name, names); len(close) > 0 {
		return line + ", did you mean " + orList(close) + "?"
	}
	return line + ", which takes " + strings.Join(names, ", ")
}

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

// lookUp finds the value at a location and the schema that speaks of it.
func lookUp(value any, s *jsonschema.Schema, location []string) (any, *jsonschema.Schema) {
	for _, part := range location {
		for s != nil && s.Ref != nil {
			s = s.Ref
		}
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
			if s != nil {
				s = s.Properties[part]
			}
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(v) {
				return nil, nil
			}
			value = v[i]
			if s != nil {
				s = s.Items2020
			}
		}
	}
	return value, s
}

// wantedAt says what a missing property should be.
func wantedAt(owner *jsonschema.Schema, name string) string {
	if owner == nil || owner.Properties[name] == nil || owner.Properties[name].Types == nil {
		return ""
	}
	return ", it must be " + anyOf(owner.Properties[name].Types.ToStrings())
}

// anyOf writes type names with their articles.
func anyOf(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "null":
			words[i] = t
		case "integer", "array", "object":
			words[i] = "an " + t
		default:
			words[i] = "a " + t
		}
	}
	return strings.Join(words, " or ")
}
