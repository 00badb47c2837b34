package toolbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

// FilesPlugin registers the tools for files.
func FilesPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "file-tools",
		Doc:    "lets the model read, write, change, find and search files",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			offerMentions(f)
			for _, t := range fileTools() {
				if err := registry.Register(f, t); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func fileTools() []tool.Tool {
	return []tool.Tool{reader{}, writer{}, editor{}, multiEditor{}, patcher{}, lister{}, globber{}, grepper{}}
}

// schema describes a tool; the text is the file beside its code.
func schema(name, text, parameters string) llm.ToolSchema {
	return llm.ToolSchema{Name: name, Description: strings.TrimSpace(text), Parameters: json.RawMessage(parameters)}
}

// asked gives an absolute path for one of the arguments, links not followed; "" is
// the session's folder.
func asked(call *tool.Call, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(call.Folder, path)
}

// resolve gives the file that a path of the arguments means.
func resolve(call *tool.Call, path string) (string, error) {
	switch {
	case strings.ContainsRune(path, 0):
		return "", fault.New(fault.Invalid, "toolbox.path", "The path holds a NUL character. Nothing was changed.")
	case path == "~" || strings.HasPrefix(path, "~/"):
		return "", fault.New(fault.Invalid, "toolbox.path", "~ is not expanded in %q; give the absolute path.", path)
	case path == "":
		path = "."
	}
	resolved, err := call.Resolve(path)
	if err == nil && tool.Within("/proc/"+strconv.Itoa(os.Getpid()), resolved) {
		// Its environment and memory hold the keys that no child and no model gets.
		return "", fault.New(fault.Denied, "toolbox.path", "%s belongs to the process that runs this session; the file tools do not look into it.", path).WithCode("OWN_PROCESS")
	}
	return resolved, err
}

// workspace is the session's folder, resolved; "" where there is none.
func workspace(call *tool.Call) string {
	if call.Folder == "" {
		return ""
	}
	resolved, err := call.Resolve(call.Folder)
	if err != nil {
		return ""
	}
	return resolved
}

// at opens the place that a path of the arguments means.
func at(call *tool.Call, path string, create bool) (*file.Place, error) {
	resolved, err := resolve(call, path)
	if err != nil {
		return nil, err
	}
	return file.Reach(workspace(call), resolved, create)
}

// shown writes a path the way people and models name it: from the workspace down,
// whole where it is elsewhere.
func shown(call *tool.Call, path string) string {
	base := workspace(call)
	if base == "" || !tool.Within(base, path) {
		return path
	}
	relative, err := filepath.Rel(base, path)
	if err != nil {
		return path
	}
	return relative
}

// shownAsked is shown for a path as it stands in the arguments.
func shownAsked(call *tool.Call, path string) string {
	if resolved, err := resolve(call, path); err == nil {
		return shown(call, resolved)
	}
	return path
}

// touches names a path as given and, where links lead elsewhere, as resolved.
func touches(call *tool.Call, path string, change bool) []tool.Touch {
	given := asked(call, path)
	list := []tool.Touch{{Path: given, Change: change}}
	if resolved, err := resolve(call, path); err == nil && resolved != given {
		list = append(list, tool.Touch{Path: resolved, Change: change})
	}
	return list
}

// presentPath shows a call by the file it is about.
func presentPath(call *tool.Call, verb, path string) session.Present {
	given := asked(call, path)
	return session.Present{Verb: verb, What: shownAsked(call, path), Full: given}
}

// where says on a card whether a path is in the workspace.
func where(call *tool.Call, resolved string) tool.Fact {
	if base := workspace(call); base != "" && tool.Within(base, resolved) {
		return tool.Fact{Key: "card.inside"}
	}
	return tool.Fact{Key: "card.outside", Warn: true}
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return grouped(n) + " " + stem + "ies"
	}
	if strings.HasSuffix(noun, "ch") {
		return grouped(n) + " " + noun + "es"
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes a number with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
