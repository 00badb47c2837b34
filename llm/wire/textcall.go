package wire

import (
	"encoding/json"
	"strings"
)

// parseCall reads a call in text form: a JSON object with name and arguments, as
// Hermes and Qwen models write it, or a function tag with a tag for each parameter,
// as Qwen Coder does. A tool that was not offered is not called.
func (s *Split) parseCall(text string) (Delta, bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var v struct {
			Name       string    `json:"name"`
			Arguments  Arguments `json:"arguments"`
			Parameters Arguments `json:"parameters"`
		}
		if json.Unmarshal([]byte(text), &v) != nil {
			return Delta{}, false
		}
		if v.Arguments == "" {
			v.Arguments = v.Parameters
		}
		_, ok := s.Calls(v.Name)
		return Delta{Name: v.Name, Arguments: string(v.Arguments)}, ok
	}
	rest, ok := strings.CutPrefix(text, "<function=")
	if !ok {
		return Delta{}, false
	}
	name, rest, ok := strings.Cut(rest, ">")
	if !ok {
		return Delta{}, false
	}
	types, ok := s.Calls(name)
	if !ok {
		return Delta{}, false
	}
	arguments := map[string]json.RawMessage{}
	for {
		_, after, ok := strings.Cut(rest, "<parameter=")
		if !ok {
			break
		}
		parameter, after, ok := strings.Cut(after, ">")
		if !ok {
			return Delta{}, false
		}
		value, after, ok := strings.Cut(after, "</parameter>")
		if !ok {
			return Delta{}, false
		}
		arguments[parameter] = typed(strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n"), types[parameter])
		rest = after
	}
	b, err := json.Marshal(arguments)
	return Delta{Name: name, Arguments: string(b)}, err == nil
}

// typed gives a parameter's text as the JSON value its schema asks for.
func typed(text, kind string) json.RawMessage {
	if kind != "" && kind != "string" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return AppendString(nil, text)
}

// Arguments are a call's arguments as they came: a string, or from servers that
// have parsed them the object itself.
type Arguments string

// UnmarshalJSON takes both forms; null is empty.
func (a *Arguments) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, (*string)(a))
	case string(b) != "null":
		*a = Arguments(b)
	}
	return nil
}
