package ptc

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// schema is what of a JSON Schema a type can say.
type schema struct {
	Type        any                `json:"type"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  any                `json:"additionalProperties"`
	Items       *schema            `json:"items"`
	Enum        []json.RawMessage  `json:"enum"`
	Const       json.RawMessage    `json:"const"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
}

// UnmarshalJSON takes a schema that is only true or false for one that says nothing, and
// leaves out what it does not understand: a type tells, it does not check.
func (s *schema) UnmarshalJSON(text []byte) error {
	type plain schema
	var p plain
	if err := json.Unmarshal(text, &p); err == nil {
		*s = schema(p)
	}
	return nil
}

// arguments is the type of a tool's argument.
func arguments(parameters json.RawMessage) string {
	var s schema
	if len(parameters) == 0 || json.Unmarshal(parameters, &s) != nil {
		return "object"
	}
	return s.typed(0)
}

// deepest bounds what is written out of a schema that comes from outside.
const deepest = 8

func (s *schema) typed(depth int) string {
	switch {
	case s == nil || depth > deepest:
		return "unknown"
	case len(s.Const) > 0:
		return string(s.Const)
	case len(s.Enum) > 0:
		return union(len(s.Enum), func(i int) string { return string(s.Enum[i]) })
	case len(s.AnyOf) > 0:
		return union(len(s.AnyOf), func(i int) string { return s.AnyOf[i].typed(depth + 1) })
	case len(s.OneOf) > 0:
		return union(len(s.OneOf), func(i int) string { return s.OneOf[i].typed(depth + 1) })
	}
	switch t := s.Type.(type) {
	case string:
		return s.ofType(t, depth)
	case []any:
		return union(len(t), func(i int) string {
			name, _ := t[i].(string)
			return s.ofType(name, depth)
		})
	}
	if s.Properties != nil {
		return s.object(depth)
	}
	return "unknown"
}

func union(n int, of func(int) string) string {
	var parts []string
	for i := range n {
		if p := of(i); !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " | ")
}

func (s *schema) ofType(name string, depth int) string {
	switch name {
	case "string", "boolean", "null":
		return name
	case "number", "integer":
		return "number"
	case "array":
		item := s.Items.typed(depth + 1)
		if strings.ContainsAny(item, " ") && !strings.HasPrefix(item, "{") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return s.object(depth)
	}
	return "unknown"
}

func (s *schema) object(depth int) string {
	if len(s.Properties) == 0 {
		if s.Additional == false {
			return "{}"
		}
		return "object"
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	place := func(name string) int { // what is needed first, in the order in which the tool names it
		if i := slices.Index(s.Required, name); i >= 0 {
			return i
		}
		return len(s.Required)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(place(a)-place(b), cmp.Compare(a, b)) })
	var b strings.Builder
	b.WriteString("{ ")
	for i, name := range names {
		p := s.Properties[name]
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(property(name))
		if !slices.Contains(s.Required, name) {
			b.WriteString("?")
		}
		b.WriteString(": " + p.typed(depth+1))
		if p != nil && p.Description != "" {
			b.WriteString(" /* " + strings.ReplaceAll(strings.Join(strings.Fields(p.Description), " "), "*/", "* /") + " */")
		}
	}
	b.WriteString(" }")
	return b.String()
}

var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`) })

// property is a name as it stands in an object's type.
func property(name string) string {
	if identifier().MatchString(name) {
		return name
	}
	text, err := json.Marshal(name)
	if err != nil {
		return `""` // a text always has a spelling
	}
	return string(text)
}
