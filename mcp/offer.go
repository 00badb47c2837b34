package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/tool"
)

// offered is one tool as its server describes it, and so what a person approves.
type offered struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

func (o offered) digest() string { return digestOf(o) }

// What a server may describe, so that no description fills a window.
const (
	mostTools       = 512
	mostNameBytes   = 128
	mostSchemaBytes = 32 << 10
	mostDescription = 2000 // characters of a tool's, and of a whole listing line
	mostLine        = 120
)

// skipped is a tool that is not offered to a model, and why.
type skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// readTools takes the tools off a listing. A tool that cannot be used is named; its
// neighbours are not touched by it. Output schemas are of no use here and are not
// looked at.
func readTools(list []*sdk.Tool) (tools []offered, left []skipped) {
	seen := map[string]bool{}
	for _, t := range list {
		if t == nil {
			continue
		}
		o, err := readTool(t)
		switch {
		case err != nil:
			left = append(left, skipped{tool.OutsideLine(t.Name, mostNameBytes), err.Error()})
		case seen[o.Name]:
			left = append(left, skipped{o.Name, "the server lists two tools of this name"})
		case len(tools) == mostTools:
			left = append(left, skipped{o.Name, fmt.Sprintf("the server lists more than %d tools", mostTools)})
		default:
			seen[o.Name] = true
			tools = append(tools, o)
		}
	}
	return tools, left
}

func readTool(t *sdk.Tool) (offered, error) {
	if t.Name == "" || len(t.Name) > mostNameBytes || tool.Outside(t.Name) != t.Name {
		return offered{}, fmt.Errorf("its name is empty, too long or holds control characters")
	}
	schema, err := readSchema(t.InputSchema)
	if err != nil {
		return offered{}, err
	}
	return offered{t.Name, clip(strings.TrimSpace(tool.Outside(t.Description)), mostDescription), schema}, nil
}

// readSchema makes the schema of arguments one of an object, whatever it says at its
// root: tools take named arguments. What it holds stays, so that what only one server
// understands still reaches it.
func readSchema(v any) (json.RawMessage, error) {
	object, ok := v.(map[string]any)
	if v == nil {
		object, ok = map[string]any{}, true
	}
	if !ok {
		return nil, fmt.Errorf("the schema of its arguments is no object")
	}
	clean, _ := cleanStrings(object).(map[string]any)
	delete(clean, "$schema")
	delete(clean, "$id")
	switch kind := clean["type"].(type) {
	case nil:
		clean["type"] = "object"
	case string:
		if kind != "object" {
			return nil, fmt.Errorf("its arguments are of type %s, not an object", tool.OutsideLine(kind, 20))
		}
	case []any:
		clean["type"] = "object" // "object or null" and the like
	}
	raw, err := json.Marshal(clean)
	if err != nil {
		return nil, fmt.Errorf("the schema of its arguments cannot be written")
	}
	if len(raw) > mostSchemaBytes {
		return nil, fmt.Errorf("the schema of its arguments has %d bytes, more than %d", len(raw), mostSchemaBytes)
	}
	return raw, nil
}

// cleanStrings cleans every text inside a JSON value.
func cleanStrings(v any) any {
	switch v := v.(type) {
	case string:
		return tool.Outside(v)
	case []any:
		for i := range v {
			v[i] = cleanStrings(v[i])
		}
	case map[string]any:
		for k, inner := range v {
			v[k] = cleanStrings(inner)
		}
	}
	return v
}

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
