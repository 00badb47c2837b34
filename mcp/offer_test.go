package mcp_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"fairlead/tool"
)

func TestNamesFitAreUniqueAndLastOverRestarts(t *testing.T) {
	long := strings.Repeat("a_rather_long_name_of_a_tool_", 3)
	var list []string
	for _, name := range []string{"plain", "with.dot", "with/dot", "with dot", long + "one", long + "two", "é"} {
		list = append(list, fmt.Sprintf(`{"name":%q,"description":"is %s","inputSchema":{"type":"object"}}`, name, name))
	}
	const server1 = "my-very-long-company-server-name"
	h := newHouse(t, map[string]map[string]any{server1: server("raw", "["+strings.Join(list, ",")+"]")})
	h.approve(server1)
	names := h.names()
	fits, seen := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), map[string]bool{}
	for _, n := range names {
		if !fits.MatchString(n) || seen[n] {
			t.Errorf("%q does not fit, or is there twice", n)
		}
		seen[n] = true
		says(t, h.run(n, nil), "called")
	}
	if len(names) != 7 || !seen["mcp__"+server1+"__plain"] {
		t.Errorf("names %v", names)
	}
	again := open(t, h.home)
	if got := strings.Join(again.names(), " "); got != strings.Join(names, " ") {
		t.Errorf("after a restart %s, before %s", got, strings.Join(names, " "))
	}
}

func TestOneOddToolHurtsNoneOfItsNeighbours(t *testing.T) {
	big := strings.Repeat("x", 40_000)
	h := newHouse(t, map[string]map[string]any{"odd": server("raw", `[
		{"name":"plain","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},
		{"name":"union","inputSchema":{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"string"}}}]}},
		{"name":"nested","inputSchema":{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}]},"n":{"anyOf":[{"type":"integer"},{"type":"number"},{"type":"null"}]},"s":{"type":["string","null"]}},"additionalProperties":{}}},
		{"name":"refs","inputSchema":{"type":"object","$defs":{"x":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/x"}}}},
		{"name":"output","inputSchema":{"type":"object"},"outputSchema":{"$id":"x","description":"y"}},
		{"name":"bounds","inputSchema":{"type":"object","properties":{"a":{"type":"string","maxLength":65536}}}},
		{"name":"none","inputSchema":null},
		{"name":"text","inputSchema":{"type":"string"}},
		{"name":"huge","inputSchema":{"type":"object","description":"`+big+`"}},
		{"name":"plain","description":"a second one of this name","inputSchema":{"type":"object"}},
		{"name":"","inputSchema":{"type":"object"}},
		{"name":"hidden","description":"Good.\u001b[2J\u202e `+strings.Repeat("word ", 1000)+`","inputSchema":{"type":"object","description":"\u200bx"}}
	]`)})
	s := h.approve("odd")
	for name, args := range map[string]any{"plain": map[string]any{"a": "x"}, "union": map[string]any{"b": "x"}, "nested": map[string]any{"a": 1, "n": nil, "s": nil, "more": true}, "refs": map[string]any{"a": "x"},
		"output": nil, "bounds": map[string]any{"a": "x"}, "none": nil, "hidden": nil} {
		if r := h.run("mcp__odd__"+name, args); r.Failed {
			t.Errorf("%s cannot be called: %s", name, plain(r))
		}
	}
	if r := h.run("mcp__odd__plain", map[string]any{"a": []int{1}}); r.Code != tool.CodeArguments {
		t.Errorf("wrong arguments reached the server: %s", plain(r))
	}
	if s, err := h.servers.Test(t.Context(), "odd"); err != nil || len(s.Skipped) != 4 {
		raw, _ := json.Marshal(s.Skipped)
		t.Errorf("skipped %s, %v", raw, err)
	}
	says(t, h.run("tool_help", map[string]any{"name": "mcp__odd__hidden"}), "Good.[2J word")
	for _, one := range s.Tools {
		if strings.ContainsAny(one.Now.Description+string(one.Now.Schema), "\x1b\u202e\u200b") || len(one.Now.Description) > 2100 {
			t.Errorf("%s is not clean or bounded: %.200q", one.Name, one.Now.Description)
		}
	}
}
