package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"fairlead/fault"
	"fairlead/tool"
)

func TestAValueConformsOrIsToldWhyNot(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	for text, want := range map[string]string{
		`{"n":3}`: `{"n":3}`, "```json\n{\"n\": 3}\n```": `{"n":3}`, `{"n":"3"}`: `{"n":3}`,
	} {
		if got, err := tool.Conform(json.RawMessage(text), json.RawMessage(schema)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{}`: `"n"`, `{"n":"three"}`: "must be", `three`: "no JSON", `{"n":3} and more`: "behind", " ": "no JSON",
	} {
		if _, err := tool.Conform(json.RawMessage(text), json.RawMessage(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := tool.Conform(nil, json.RawMessage(`{"$ref":"http://elsewhere"}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("a schema that cannot be read: %v", err)
	}
}
