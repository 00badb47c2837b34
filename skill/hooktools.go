package skill

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"fairlead/tool"
)

// use is a call as a hook sees it: under the name and with the arguments that hooks
// are written for.
type use struct {
	name  string
	input any
}

// uses gives the ways in which a call shows to hooks: under one name, and for a change
// of several files at once also as the change of each, so that a guard of edits sees
// every one of them.
func uses(call *tool.Call) []use {
	if c, ok := call.Uses.(tool.Commander); ok {
		if cmd, ok := c.Command(call); ok {
			return []use{{"Bash", map[string]any{"command": cmd.Text, "cwd": cmd.Dir}}}
		}
	}
	var a arguments
	if err := call.Decode(&a); err != nil {
		return []use{{call.Tool, call.Args}}
	}
	switch call.Tool {
	case "read":
		return []use{{"Read", fields{"file_path": a.at(call), "offset": a.Offset, "limit": a.Limit}.given()}}
	case "write":
		return []use{{"Write", map[string]any{"file_path": a.at(call), "content": a.Content}}}
	case "edit":
		return []use{{"Edit", map[string]any{"file_path": a.at(call), "old_string": a.Old, "new_string": a.New, "replace_all": a.All}}}
	case "multi_edit":
		edits := make([]map[string]any, len(a.Edits))
		for i, e := range a.Edits {
			edits[i] = map[string]any{"old_string": e.Old, "new_string": e.New, "replace_all": e.All}
		}
		input := map[string]any{"file_path": a.at(call), "edits": edits}
		return []use{{"MultiEdit", input}, {"Edit", input}}
	case "apply_patch":
		return patchUses(call, a.Patch)
	case "glob":
		return []use{{"Glob", fields{"pattern": a.Pattern, "path": a.Path}.given()}}
	case "grep":
		return []use{{"Grep", fields{"pattern": a.Pattern, "path": a.Path, "glob": a.Glob, "-i": a.IgnoreCase}.given()}}
	case "list":
		return []use{{"LS", map[string]any{"path": a.at(call)}}}
	case "web_fetch":
		return []use{{"WebFetch", call.Args}}
	case "web_search":
		return []use{{"WebSearch", call.Args}}
	case "todo":
		return []use{{"TodoWrite", call.Args}}
	}
	return []use{{call.Tool, call.Args}}
}

// patchUses shows a patch whole, as Codex does, and as an edit of each of its files.
func patchUses(call *tool.Call, patch string) []use {
	list := []use{{"apply_patch", map[string]any{"command": patch}}}
	t, ok := call.Uses.(tool.Toucher)
	if !ok {
		return list
	}
	var paths []string
	for _, touch := range t.Touches(call) {
		if touch.Change && !slices.Contains(paths, touch.Path) {
			paths = append(paths, touch.Path)
			list = append(list, use{"Edit", map[string]any{"file_path": touch.Path, "patch": patch}}, use{"Write", map[string]any{"file_path": touch.Path, "patch": patch}})
		}
	}
	return list
}

// arguments are those of all the tools that hooks have other names for.
type arguments struct {
	Path       string `json:"path"`
	Content    string `json:"content"`
	Old        string `json:"old"`
	New        string `json:"new"`
	All        bool   `json:"all"`
	Patch      string `json:"patch"`
	Pattern    string `json:"pattern"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Offset     int    `json:"offset"`
	Limit      int    `json:"limit"`
	Edits      []struct {
		Old string `json:"old"`
		New string `json:"new"`
		All bool   `json:"all"`
	} `json:"edits"`
}

// at gives the path absolute, as hooks expect it.
func (a arguments) at(call *tool.Call) string {
	if filepath.IsAbs(a.Path) {
		return a.Path
	}
	return filepath.Join(call.Folder, a.Path)
}

// fields are arguments of which those with their zero value are left out.
type fields map[string]any

func (f fields) given() map[string]any {
	out := map[string]any{}
	for name, v := range f {
		if v != "" && v != 0 && v != false {
			out[name] = v
		}
	}
	return out
}

// matching gives the uses of a call that a hook runs for: only the first, where it
// fits; else every one that does.
func (h hook) matching(all []use) []use {
	if h.matcher.names == nil && h.matcher.expression == nil || h.matcher.fits(all[0].name) {
		return all[:1]
	}
	var list []use
	seen := map[string]bool{}
	for _, u := range all[1:] {
		text, err := json.Marshal(u.input)
		if h.matcher.fits(u.name) && (err != nil || !seen[string(text)]) {
			seen[string(text)] = true
			list = append(list, u)
		}
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
