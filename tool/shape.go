package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shape is a JSON Schema, read once: the keywords that say what arguments must be
// (draft 2020-12, with the older spellings of the same). Keywords that only
// describe are left out, and unknown ones, because schemas come from outside.
type shape struct {
	never bool     // the schema false
	types []string // empty for any
	enum  []any
	ref   *shape

	properties map[string]*shape
	patterns   map[*regexp.Regexp]*shape
	additional *shape // nil for any
	names      *shape
	required   []string
	dependent  map[string][]string
	properly   limits // how many properties

	prefix []*shape
	items  *shape
	length limits // of an array
	unique bool

	text    limits // characters of a string
	pattern *regexp.Regexp

	minimum, maximum, above, below, step *float64

	all, any []*shape
	not      *shape
}

// limits are a smallest and a largest count; nil for none.
type limits struct{ least, most *float64 }

// mostShapes bounds a schema.
const mostShapes = 20_000

// shapeReader reads one document.
type shapeReader struct {
	root  any
	known map[string]*shape // by the pointer that refers to them
	count int
}

// readShape reads a schema. It fails for one that refers outside itself.
func readShape(text json.RawMessage) (*shape, error) {
	doc, rest, err := readValue(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(rest) != "" {
		return nil, fmt.Errorf("there is more text after the schema")
	}
	r := &shapeReader{root: doc, known: map[string]*shape{}}
	return r.refer("#")
}

// refer gives the shape that a reference names. It is known before it is read, so
// that a schema may refer to itself.
func (r *shapeReader) refer(pointer string) (*shape, error) {
	if s, ok := r.known[pointer]; ok {
		return s, nil
	}
	path, ok := strings.CutPrefix(pointer, "#")
	if !ok {
		return nil, fmt.Errorf("a tool's schema may not refer to %s", pointer)
	}
	at := r.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		part = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, fmt.Errorf("%s refers to nothing", pointer)
			}
			at = v[i]
		default:
			at = nil
		}
		if at == nil {
			return nil, fmt.Errorf("%s refers to nothing", pointer)
		}
	}
	s := &shape{}
	r.known[pointer] = s
	return s, r.fill(s, at)
}

func (r *shapeReader) read(v any) (*shape, error) {
	s := &shape{}
	return s, r.fill(s, v)
}

// fill reads what a schema says into s.
func (r *shapeReader) fill(s *shape, v any) error {
	if r.count++; r.count > mostShapes {
		return fmt.Errorf("the schema is too large")
	}
	if allowed, ok := v.(bool); ok {
		s.never = !allowed
		return nil
	}
	d, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("a schema is an object, not %s", describeValue(v))
	}
	s.types = words(d["type"])
	if d["nullable"] == true && len(s.types) > 0 {
		s.types = append(s.types, "null")
	}
	s.enum, _ = d["enum"].([]any)
	if constant, ok := d["const"]; ok {
		s.enum = []any{constant}
	}
	s.required = words(d["required"])
	s.unique = d["uniqueItems"] == true
	s.properly = limitsOf(d, "minProperties", "maxProperties")
	s.length = limitsOf(d, "minItems", "maxItems")
	s.text = limitsOf(d, "minLength", "maxLength")
	s.minimum, s.maximum = number(d["minimum"]), number(d["maximum"])
	s.above, s.below, s.step = number(d["exclusiveMinimum"]), number(d["exclusiveMaximum"]), number(d["multipleOf"])
	if p, ok := d["pattern"].(string); ok {
		s.pattern = pattern(p)
	}
	if deps, ok := d["dependentRequired"].(map[string]any); ok {
		s.dependent = map[string][]string{}
		for name, needs := range deps {
			s.dependent[name] = words(needs)
		}
	}
	return r.fillParts(s, d)
}

// fillParts reads the schemas inside a schema.
func (r *shapeReader) fillParts(s *shape, d map[string]any) (err error) {
	one := func(keyword string, into **shape) {
		if v, ok := d[keyword]; ok && err == nil {
			*into, err = r.read(v)
		}
	}
	list := func(keyword string, into *[]*shape) {
		each, _ := d[keyword].([]any)
		for _, v := range each {
			var part *shape
			if err == nil {
				part, err = r.read(v)
				*into = append(*into, part)
			}
		}
	}
	if pointer, ok := d["$ref"].(string); ok {
		if s.ref, err = r.refer(pointer); err != nil {
			return err
		}
	}
	if properties, ok := d["properties"].(map[string]any); ok {
		s.properties = make(map[string]*shape, len(properties))
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if err == nil {
				s.properties[name], err = r.read(properties[name])
			}
		}
	}
	if patterns, ok := d["patternProperties"].(map[string]any); ok {
		s.patterns = map[*regexp.Regexp]*shape{}
		for _, text := range slices.Sorted(maps.Keys(patterns)) {
			if p := pattern(text); p != nil && err == nil {
				s.patterns[p], err = r.read(patterns[text])
			}
		}
	}
	one("additionalProperties", &s.additional)
	one("propertyNames", &s.names)
	one("not", &s.not)
	list("prefixItems", &s.prefix)
	list("allOf", &s.all)
	list("anyOf", &s.any)
	// More than one of oneOf fitting is a fault of the schema, not of the arguments.
	list("oneOf", &s.any)
	if _, several := d["items"].([]any); several {
		list("items", &s.prefix)
		one("additionalItems", &s.items)
	} else {
		one("items", &s.items)
	}
	return err
}

// words are one string or a list of them.
func words(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, w := range v {
			if s, ok := w.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

func number(v any) *float64 {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil
	}
	return &f
}

func limitsOf(d map[string]any, least, most string) limits {
	return limits{number(d[least]), number(d[most])}
}

// pattern compiles an expression; one that Go's syntax does not have is not checked.
func pattern(text string) *regexp.Regexp {
	p, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return p
}

// target follows references.
func (s *shape) target() *shape {
	for range 32 {
		if s == nil || s.ref == nil {
			return s
		}
		s = s.ref
	}
	return s
}
