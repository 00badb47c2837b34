package toolbox

import (
	"context"
	_ "embed"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:embed glob.md
var globText string

// globber is the tool glob.
type globber struct{}

// mostPaths is how many paths an answer shows.
const mostPaths = 200

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func (globber) Schema() llm.ToolSchema {
	return schema("glob", globText, `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"folder"}},"required":["pattern"],"additionalProperties":false}`)
}

// args splits an absolute pattern into its folder and the rest.
func (globber) args(call *tool.Call) globArgs {
	var a globArgs
	_ = call.Decode(&a) // the arguments passed the schema
	a.Pattern = filepath.ToSlash(a.Pattern)
	if path.IsAbs(a.Pattern) {
		a.Path, a.Pattern = doublestar.SplitPattern(a.Pattern)
	}
	a.Pattern = strings.TrimPrefix(a.Pattern, "./")
	return a
}

func (globber) ReadOnly(*tool.Call) bool { return true }
func (globber) Parallel(*tool.Call) bool { return true }

func (g globber) Present(call *tool.Call) session.Present {
	a := g.args(call)
	return session.Present{Verb: "find", What: a.Pattern, Full: a.Pattern + " in " + asked(call, a.Path)}
}

func (g globber) Touches(call *tool.Call) []tool.Touch {
	return touches(call, g.args(call).Path, false)
}

func (g globber) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := g.args(call)
	match, err := pathMatcher(a.Pattern)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var paths []string
	w := &walk{visit: func(_ int, f found) {
		if !f.entry.IsDir() && match(f.rel) {
			mu.Lock()
			defer mu.Unlock()
			paths = append(paths, f.rel)
		}
	}}
	resolved, err := walkFrom(ctx, call, a.Path, w)
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	if base := shown(call, resolved); base != "." {
		for i, p := range paths {
			paths[i] = filepath.Join(base, filepath.FromSlash(p))
		}
	}
	var notes []string
	if n := int(w.skipped.Load()); n > 0 {
		notes = append(notes, plural(n, "unreadable folder"))
	}
	none := "No file matches"
	if n := int(w.ignored.Load()); n > 0 && len(paths) == 0 {
		notes = append(notes, plural(n, "entry")+" that ignore files name")
	}
	return listed(ctx, call, paths, mostPaths, notes, none)
}

// pathMatcher matches paths from a folder down. A pattern without a slash is about
// names, at any depth.
func pathMatcher(pattern string) (func(rel string) bool, error) {
	if pattern == "" || !doublestar.ValidatePattern(pattern) {
		return nil, fault.New(fault.Invalid, "toolbox.glob", "%q is not a pattern: a bracket or brace is not closed. Escape it with a backslash where it is meant as a character.", pattern).WithCode("INVALID_PATTERN")
	}
	if !strings.Contains(pattern, "/") && !strings.Contains(pattern, "**") {
		return func(rel string) bool { return doublestar.MatchUnvalidated(pattern, path.Base(rel)) }, nil
	}
	return func(rel string) bool { return doublestar.MatchUnvalidated(pattern, rel) }, nil
}

// walkFrom walks the folder that an argument names.
func walkFrom(ctx context.Context, call *tool.Call, path string, w *walk) (resolved string, err error) {
	resolved, err = resolve(call, path)
	if err != nil {
		return "", err
	}
	var root *os.Root
	if root, err = file.OpenFolder(workspace(call), resolved, false); err != nil {
		return resolved, withNeighbours(call, path, err)
	}
	defer root.Close()
	return resolved, w.run(ctx, root, rulesAbove(resolved, workspace(call)))
}
