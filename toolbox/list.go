package toolbox

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:embed list.md
var listText string

// lister is the tool list.
type lister struct{}

// mostEntries is how many names of a folder an answer shows.
const mostEntries = 500

func (lister) Schema() llm.ToolSchema {
	return schema("list", listText, `{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`)
}

func (lister) path(call *tool.Call) string {
	var a struct{ Path string }
	_ = call.Decode(&a) // the arguments passed the schema
	return a.Path
}

func (lister) ReadOnly(*tool.Call) bool { return true }
func (lister) Parallel(*tool.Call) bool { return true }

func (l lister) Present(call *tool.Call) session.Present {
	return presentPath(call, "read", l.path(call))
}

func (l lister) Touches(call *tool.Call) []tool.Touch { return touches(call, l.path(call), false) }

// filesView is what the page shows of found or listed files.
type filesView struct {
	Kind      string `json:"kind"`
	Count     int    `json:"count"`
	Truncated bool   `json:"truncated,omitempty"`
}

func (l lister) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	resolved, err := resolve(call, l.path(call))
	if err != nil {
		return nil, err
	}
	root, err := file.OpenFolder(workspace(call), resolved, false)
	if err != nil {
		if fault.CodeOf(err) == file.CodeNotFolder {
			return nil, fault.Wrap(fault.Invalid, "toolbox.list", err, "%s is not a folder; use read.", shown(call, resolved)).WithCode(file.CodeNotFolder)
		}
		return nil, withNeighbours(call, l.path(call), err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil && len(entries) == 0 {
		return nil, file.Unreachable(resolved, err)
	}
	folder, err := newHandle(root)
	if err != nil {
		return nil, file.Unreachable(resolved, err)
	}
	defer folder.close()
	rules := rulesAbove(resolved, workspace(call)).with(folder, "", entries)
	var lines []string
	left := 0
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(boolOrder(a.IsDir(), b.IsDir()), strings.Compare(a.Name(), b.Name()))
	})
	for _, e := range entries {
		if rules.ignored(e.Name(), e.IsDir()) {
			left++
			continue
		}
		lines = append(lines, entryLine(root, e))
	}
	return listed(ctx, call, lines, mostEntries, notes(left), "The folder is empty")
}

// boolOrder puts true first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func entryLine(root *os.Root, e fs.DirEntry) string {
	switch {
	case e.IsDir():
		return e.Name() + "/"
	case e.Type()&fs.ModeSymlink != 0:
		if target, err := root.Readlink(e.Name()); err == nil {
			return e.Name() + " → " + target
		}
	case e.Type()&fs.ModeType != 0:
		return e.Name() + " (" + file.Special(e.Type()) + ")"
	}
	about, err := e.Info()
	if err != nil {
		return e.Name()
	}
	return e.Name() + "  " + file.ByteCount(about.Size())
}

func notes(ignored int) []string {
	if ignored == 0 {
		return nil
	}
	return []string{plural(ignored, "ignored entry")}
}

// listed answers with lines, shortened to a number of them; then the whole list is
// kept beside the log. Notes say what else was left out.
func listed(ctx context.Context, call *tool.Call, lines []string, most int, notes []string, none string) (*tool.Result, error) {
	result := &tool.Result{View: filesView{Kind: "files", Count: len(lines), Truncated: len(lines) > most}}
	var b strings.Builder
	shownLines := lines
	if len(lines) > most {
		ref, err := call.Keep(ctx, strings.Join(lines, "\n")+"\n")
		if err != nil {
			return nil, err
		}
		result.Spill, shownLines = &ref, lines[:most]
		notes = append([]string{fmt.Sprintf("the first %s of %s; the rest: read with path %s and offset %d", grouped(most), grouped(len(lines)), tool.Locator(ref), most+1)}, notes...)
	}
	for _, line := range shownLines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	switch {
	case len(lines) == 0 && len(notes) > 0:
		fmt.Fprintf(&b, "[%s; left out: %s]", strings.ToLower(none[:1])+none[1:], strings.Join(notes, "; "))
	case len(lines) == 0:
		b.WriteString(none + ".")
	case len(notes) > 0 && result.Spill == nil:
		fmt.Fprintf(&b, "[left out: %s]", strings.Join(notes, "; "))
	case len(notes) > 0:
		fmt.Fprintf(&b, "[%s]", strings.Join(notes, "; left out: "))
	}
	result.Content = llm.Text(strings.TrimSuffix(b.String(), "\n"))
	return result, nil
}
