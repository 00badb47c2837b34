package config

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	"fairlead/fault"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Kind of a value.
type Kind uint8

// The kinds.
const (
	Scalar Kind = iota
	Map
	List
)

// Value is a piece of YAML that knows where it came from. Values are not changed
// once made; laying one over another makes a new one.
type Value struct {
	At   Origin
	Kind Kind
	// Scalar is a string, int64, uint64, float64, bool or nil.
	Scalar any
	Keys   []Entry  // of a map, in the order they were first written
	Items  []*Value // of a list
	// Flow is true for a map or list written in brackets.
	Flow bool
}

// Entry is one key of a map.
type Entry struct {
	Name  string
	At    Origin
	Value *Value
}

// Get finds the value under a key of a map, nil where there is none.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	for _, e := range v.Keys {
		if e.Name == name {
			return e.Value
		}
	}
	return nil
}

// ValueOf makes a value of what encoding/json makes of a text: maps, slices, texts,
// numbers, booleans and nil. A float without a fraction becomes a whole number.
// Anything else is an error of this build.
func ValueOf(v any) (*Value, error) {
	switch v := v.(type) {
	case nil, string, bool, int64, uint64:
		return &Value{Scalar: v}, nil
	case int:
		return &Value{Scalar: int64(v)}, nil
	case float64:
		if n := int64(v); float64(n) == v && -1<<53 < n && n < 1<<53 {
			return &Value{Scalar: n}, nil
		}
		return &Value{Scalar: v}, nil
	case []any:
		list := &Value{Kind: List}
		for _, item := range v {
			made, err := ValueOf(item)
			if err != nil {
				return nil, err
			}
			list.Items = append(list.Items, made)
		}
		return list, nil
	case map[string]any:
		m := &Value{Kind: Map}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			made, err := ValueOf(v[name])
			if err != nil {
				return nil, err
			}
			m.Keys = append(m.Keys, Entry{Name: name, Value: made})
		}
		return m, nil
	}
	return nil, fault.New(fault.Internal, "config.value", "A %T cannot be written as YAML.", v)
}

// Equal reports whether v and w say the same, wherever they came from. The order of
// keys does not matter.
func (v *Value) Equal(w *Value) bool {
	if v == nil || w == nil {
		return v == w
	}
	if v.Kind != w.Kind || v.Scalar != w.Scalar || len(v.Keys) != len(w.Keys) || len(v.Items) != len(w.Items) {
		return false
	}
	for i := range v.Items {
		if !v.Items[i].Equal(w.Items[i]) {
			return false
		}
	}
	for _, e := range v.Keys {
		if other := w.Get(e.Name); other == nil || !e.Value.Equal(other) {
			return false
		}
	}
	return true
}

// lay puts the map over on top of v: each key replaces the same key below, deep maps
// are merged key by key, and a null takes the key away, so that the plugin's default
// holds again.
func (v *Value) lay(over *Value, deep bool) *Value {
	merged := Value{At: over.At, Kind: Map}
	if v != nil {
		merged.At, merged.Keys = v.At, slices.Clone(v.Keys)
	}
	for _, e := range over.Keys {
		i := slices.IndexFunc(merged.Keys, func(o Entry) bool { return o.Name == e.Name })
		switch {
		case e.Value.IsNull():
			if i >= 0 {
				merged.Keys = slices.Delete(merged.Keys, i, i+1)
			}
		case i < 0:
			merged.Keys = append(merged.Keys, e)
		case deep && e.Value.Kind == Map && merged.Keys[i].Value.Kind == Map:
			merged.Keys[i].Value = merged.Keys[i].Value.lay(e.Value, true)
		default:
			merged.Keys[i] = e
		}
	}
	return &merged
}

// IsNull reports whether v is a null.
func (v *Value) IsNull() bool { return v.Kind == Scalar && v.Scalar == nil }

// With gives v with the value at a path of keys put in, maps on the way made where
// they are missing. A null takes the key out, and the maps that become empty by it.
func (v *Value) With(path []string, value *Value) *Value {
	if len(path) == 0 {
		return value
	}
	m := &Value{Kind: Map}
	if v != nil && v.Kind == Map {
		m.Keys = slices.Clone(v.Keys)
	}
	i := slices.IndexFunc(m.Keys, func(e Entry) bool { return e.Name == path[0] })
	var inner *Value
	if i >= 0 {
		inner = m.Keys[i].Value
	}
	inner = inner.With(path[1:], value)
	gone := inner.IsNull() || value.IsNull() && inner.Kind == Map && len(inner.Keys) == 0
	switch {
	case gone && i >= 0:
		m.Keys = slices.Delete(m.Keys, i, i+1)
	case gone:
	case i >= 0:
		m.Keys[i].Value = inner
	default:
		m.Keys = append(m.Keys, Entry{Name: path[0], Value: inner})
	}
	return m
}

// Any reports whether some scalar in v, or some key, is as asked.
func (v *Value) Any(is func(any) bool) bool {
	if v.Kind == Scalar {
		return is(v.Scalar)
	}
	return slices.ContainsFunc(v.Items, func(item *Value) bool { return item.Any(is) }) ||
		slices.ContainsFunc(v.Keys, func(e Entry) bool { return is(e.Name) || e.Value.Any(is) })
}

// Parse reads one YAML document of the layer. An empty one is nil.
func Parse(text []byte, layer *Layer) (*Value, Problems) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if at := notUTF8(text); at >= 0 {
		before := text[:at]
		line := bytes.Count(before, []byte("\n"))
		return nil, Problems{{Origin{layer, line + 1, at - bytes.LastIndexByte(before, '\n')}, "a byte that is not UTF-8; save the file in that encoding"}}
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, Problems{yamlProblem(err, layer)}
	}
	r := reader{layer: layer}
	var top *Value
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		v := r.value(doc.Body)
		if top != nil {
			r.problems.add(v.At, "a second document; one file holds one")
			break
		}
		top = v
	}
	return top, r.problems
}

func notUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func yamlProblem(err error, layer *Layer) Problem {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
		p := e.GetToken().Position
		return Problem{Origin{layer, p.Line, p.Column}, e.GetMessage()}
	}
	return Problem{Origin{layer, 1, 1}, err.Error()}
}

// reader turns the syntax tree of one file into values.
type reader struct {
	layer    *Layer
	problems Problems
}

func (r *reader) at(t *token.Token) Origin {
	return Origin{r.layer, cmp.Or(t.Position.Line, 1), cmp.Or(t.Position.Column, 1)}
}

func (r *reader) value(n ast.Node) *Value {
	v := &Value{At: r.at(n.GetToken())}
	switch n := n.(type) {
	case *ast.MappingNode:
		v.Kind, v.Flow = Map, n.IsFlowStyle
		if len(n.Values) > 0 {
			v.At = r.at(n.Values[0].Key.GetToken())
		}
		for _, pair := range n.Values {
			v.Keys = append(v.Keys, r.entry(pair))
		}
	case *ast.MappingValueNode:
		v.Kind = Map
		v.Keys = []Entry{r.entry(n)}
		v.At = v.Keys[0].At
	case *ast.SequenceNode:
		v.Kind, v.Flow = List, n.IsFlowStyle
		for _, item := range n.Values {
			v.Items = append(v.Items, r.value(item))
		}
	case *ast.StringNode:
		v.Scalar = n.Value
	case *ast.LiteralNode:
		v.Scalar = n.Value.Value
	case *ast.IntegerNode:
		v.Scalar = whole(n.Value)
	case *ast.FloatNode:
		v.Scalar = n.Value
	case *ast.BoolNode:
		v.Scalar = n.Value
	case *ast.NullNode:
	default:
		r.problems.add(v.At, "%s is not understood here; write plain maps, lists, texts, numbers and booleans", n.Type())
	}
	return v
}

func (r *reader) entry(pair *ast.MappingValueNode) Entry {
	at := r.at(pair.Key.GetToken())
	if _, plain := pair.Key.(ast.ScalarNode); !plain {
		r.problems.add(at, "%s is not understood as a key; write a plain word", pair.Key.Type())
	}
	return Entry{pair.Key.GetToken().Value, at, r.value(pair.Value)}
}

// whole makes int64 of what fits and leaves uint64 for what does not.
func whole(v any) any {
	if u, ok := v.(uint64); ok && u <= 1<<63-1 {
		return int64(u)
	}
	return v
}
