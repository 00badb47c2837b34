package fairlead_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layer gives every room its height. A room may import lower rooms only; a room
// inside another one (llm/openai) has its own entry or its parent's height.
var layer = map[string]int{
	"cmd/fairlead": 9,
	"app":          8,
	"server":       7, "acp": 7, "rpc": 7, "tui": 7, "fleet": 7,
	"permission": 6, "window": 6, "toolbox": 6, "undo": 6, "skill": 6, "web": 6, "mcp": 6, "ptc": 6, "extension": 6,
	"subagent": 6, "external": 6, "goal": 6, "task": 6, "turnguard": 6,
	"agent": 5,
	"tool":  4, "store": 4, "catalog": 4, "interchange": 4, "testkit": 4,
	"session": 3, "settings": 3, "llm/openai": 3, "llm/anthropic": 3, "llm/local": 3, "llm/scripted": 3,
	"llm": 2, "command": 2, "sandbox": 2, "script": 2, "config": 2,
	"graph": 1,
	"fault": 0, "i18n": 0, "ui": 0,
}

// inside names the rooms that have rooms of their own: a part may import its
// whole's other parts, and the whole may import its parts.
var inside = map[string]string{
	"permission/proof": "permission",
	"llm/wire":         "llm",
	"tool/file":        "tool",
}

// outside are programs and tests that stand beside the house and may see all of it.
var outside = []string{"bench", "crash", "examples", "ui/e2e", "cmd/fairlead"}

// frontDoors may see these rooms and no other slice.
var frontDoorSees = map[string]bool{
	"agent": true, "session": true, "command": true, "settings": true, "permission": true, "catalog": true,
	"graph": true, "tool": true, "llm": true, "fault": true, "i18n": true, "ui": true, "interchange": true,
}

// room finds the room a package belongs to and its height.
func room(dir string) (string, int, bool) {
	for d := dir; d != "."; d = parent(d) {
		if whole, ok := inside[d]; ok {
			return whole, layer[whole], true
		}
		if height, ok := layer[d]; ok {
			return d, height, true
		}
	}
	return "", 0, false
}

func parent(dir string) string {
	i := strings.LastIndexByte(dir, '/')
	if i < 0 {
		return "."
	}
	return dir[:i]
}

func isOutside(dir string) bool {
	for _, o := range outside {
		if dir == o || strings.HasPrefix(dir, o+"/") {
			return true
		}
	}
	return dir == "."
}

// arrow judges one import and gives the reason it must not be.
func arrow(from, to string) error {
	fromRoom, fromHeight, ok := room(from)
	if !ok {
		return fmt.Errorf("package %s belongs to no room; give it a layer in layers_test.go", from)
	}
	toRoom, toHeight, ok := room(to)
	if !ok {
		return fmt.Errorf("%s imports %s, which belongs to no room", from, to)
	}
	switch {
	case fromRoom == toRoom:
		return nil
	case toRoom == "testkit":
		return fmt.Errorf("%s imports testkit, which is for tests only", from)
	case toHeight >= fromHeight:
		return fmt.Errorf("%s (layer %d) imports %s (layer %d); imports go strictly downwards. "+
			"What one room needs of a sibling goes through the log, a projection by name, or a key declared lower down", from, fromHeight, to, toHeight)
	case fromHeight == 7 && toHeight == 6 && !frontDoorSees[toRoom]:
		return fmt.Errorf("front door %s imports slice %s; slices show themselves by projections, views and commands", from, to)
	}
	return nil
}

func TestImportsGoStrictlyDownwards(t *testing.T) {
	for _, f := range sources(t) {
		external := f.Test && strings.HasSuffix(f.AST.Name.Name, "_test")
		if external || isOutside(f.Dir) {
			continue
		}
		for _, imp := range f.imports() {
			to, ok := strings.CutPrefix(imp, "fairlead/")
			if !ok || (f.Test && to == "testkit") {
				continue
			}
			if err := arrow(f.Dir, to); err != nil {
				t.Errorf("%s: %v", f.Path, err)
			}
		}
	}
}

func TestArrowsAreJudged(t *testing.T) {
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"agent", "session", true},
		{"session", "agent", false},
		{"permission", "toolbox", false},
		{"permission", "permission/proof", true},
		{"llm/openai", "llm", true},
		{"llm", "llm/openai", false},
		{"server", "permission", true},
		{"server", "toolbox", false},
		{"toolbox", "testkit", false},
		{"somewhere", "fault", false},
	} {
		if err := arrow(c.from, c.to); (err == nil) != c.allowed {
			t.Errorf("%s → %s: %v, want allowed %v", c.from, c.to, err, c.allowed)
		}
	}
}

// reserved names what only one room may import, and why.
var reserved = map[string]struct {
	rooms  []string
	reason string
}{
	"os/exec": {[]string{"sandbox"}, "children are started by sandbox.Start only, so that every one is confined, scrubbed and ended"},
}

func TestReservedImportsStayInTheirRoom(t *testing.T) {
	for _, f := range sources(t) {
		if f.Test || (isOutside(f.Dir) && f.Dir != "cmd/fairlead") {
			continue
		}
		for _, imp := range f.imports() {
			rule, ok := reserved[imp]
			if !ok {
				continue
			}
			here, _, _ := room(f.Dir)
			if !slices.Contains(rule.rooms, here) {
				t.Errorf("%s imports %s; only %s may: %s", f.Path, imp, strings.Join(rule.rooms, ", "), rule.reason)
			}
		}
	}
}
