package config

import (
	"path"
	"slices"
)

// FolderPatch is where a folder may narrow what its sessions can do.
const FolderPatch = ".fairlead/patch.yaml"

// Narrowing is what a folder's patch may say: less.
type Narrowing struct {
	// Off are the ids of rows whose tools are not seen.
	Off []string
	// Tools are patterns of tool names.
	Tools Tools
}

// ReadNarrowing reads a folder's patch: rows that are disabled, and tools. Whatever
// else it says would widen, or could: the problems name it, with its place, and it
// does not count. A file that is no YAML says nothing.
func ReadNarrowing(text []byte, file string) (Narrowing, Problems) {
	var n Narrowing
	top, problems := Parse(text, &Layer{Name: "folder patch", File: file})
	if top == nil || top.IsNull() {
		return n, problems
	}
	if top.Kind != Map {
		problems.add(top.At, "the file is a map with the keys rows and tools")
		return n, problems
	}
	for _, e := range top.Keys {
		switch e.Name {
		case "rows":
			n.Off = rowsOff(e.Value, &problems)
		case "tools":
			found := len(problems)
			decode(e.Value, &n.Tools, "tools", &problems)
			for _, pattern := range slices.Concat(n.Tools.Allow, n.Tools.Deny) {
				if _, err := path.Match(pattern, ""); err != nil {
					problems.add(e.Value.At, "%q is no pattern of tool names", pattern)
				}
			}
			if len(problems) > found {
				n.Tools = Tools{Deny: []string{"*"}} // what was meant is not known
			}
		default:
			problems.add(e.At, "a folder may only narrow: it cannot say %q%s", e.Name, suggest(e.Name, []string{"rows", "tools"}))
		}
	}
	return n, problems
}

func rowsOff(list *Value, problems *Problems) []string {
	var off []string
	for _, p := range readPatches(list, problems) {
		switch {
		case p.plugin != "":
			problems.add(p.pluginAt, "a folder may only narrow: it cannot add the row %q", p.id)
		case p.config != nil:
			problems.add(p.config.At, "a folder may only narrow: it cannot configure the row %q", p.id)
		case p.disabled != nil && !*p.disabled:
			problems.add(p.toggleAt, "a folder may only narrow: it cannot enable the row %q", p.id)
		case p.disabled != nil:
			off = append(off, p.id)
		}
	}
	return off
}
