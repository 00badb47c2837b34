package toolbox

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:embed read.md
var readText string

// reader is the tool read.
type reader struct{}

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
	Column int    `json:"column"`
}

func (reader) Schema() llm.ToolSchema {
	return schema("read", readText, `{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":1,"description":"first line"},"limit":{"type":"integer","minimum":1},"column":{"type":"integer","minimum":1,"description":"first character within that line"}},"required":["path"],"additionalProperties":false}`)
}

func (reader) args(call *tool.Call) readArgs {
	var a readArgs
	// The arguments passed the schema; what it leaves open has its zero value.
	_ = call.Decode(&a)
	return a
}

func (reader) ReadOnly(*tool.Call) bool { return true }
func (reader) Parallel(*tool.Call) bool { return true }

// Plain is the text of the file: without the numbers before its lines, and without the
// note behind the last one where that only says that the file ends.
func (reader) Plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		number, rest, numbered := strings.Cut(line, "→")
		if _, err := strconv.Atoi(number); numbered && err == nil {
			b.WriteString(rest)
		} else if strings.Contains(line, "; read on with offset ") || !strings.HasPrefix(line, "[") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (r reader) Present(call *tool.Call) session.Present {
	a := r.args(call)
	if isSpill(a.Path) {
		return session.Present{Verb: "read", What: a.Path}
	}
	return presentPath(call, "read", a.Path)
}

func (r reader) Touches(call *tool.Call) []tool.Touch {
	a := r.args(call)
	if isSpill(a.Path) {
		return nil
	}
	return touches(call, a.Path, false)
}

func (r reader) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	resolved, err := resolve(call, r.args(call).Path)
	if err != nil {
		return nil, err
	}
	return &tool.Card{Title: "read-file", Hero: shown(call, resolved), Facts: []tool.Fact{where(call, resolved)}, Binds: map[string]string{resolved: identity(resolved)}}, nil
}

// identity is [tool.Identity] for a card; what cannot be looked at is said so.
func identity(resolved string) string {
	id, err := tool.Identity(resolved)
	if err != nil {
		return "unreadable"
	}
	return id
}

func isSpill(path string) bool { return strings.HasPrefix(path, tool.SpillScheme) }

// readView is what the page shows of a read.
type readView struct {
	Kind  string `json:"kind"`
	Path  string `json:"path"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Lines int    `json:"lines,omitempty"`
	Lang  string `json:"lang,omitempty"`
}

func (r reader) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := r.args(call)
	if isSpill(a.Path) {
		raw, err := tool.Kept(call.Log, a.Path)
		if err != nil {
			return nil, err
		}
		return a.page(file.Text{Body: string(raw)}, a.Path)
	}
	p, err := at(call, a.Path, false)
	if err != nil {
		return nil, withNeighbours(call, a.Path, err)
	}
	defer p.Close()
	now, err := p.Read()
	switch {
	case fault.CodeOf(err) == file.CodeTooLarge:
		return a.large(call, p)
	case fault.Is(err, fault.NotFound):
		if noted := observe(ctx, call, p.Path, tool.Absent); noted != nil {
			return nil, noted
		}
		return nil, withNeighbours(call, a.Path, err)
	case err != nil:
		return nil, err
	}
	if err := observe(ctx, call, p.Path, now.Sum); err != nil {
		return nil, err
	}
	path := shown(call, p.Path)
	if body, rendered, err := asText(ctx, path, now.Raw); rendered {
		if err != nil {
			return nil, err
		}
		return a.page(file.Text{Body: body, Rendered: true}, path)
	}
	if t, ok := file.Decode(now.Raw); ok {
		return a.page(t, path)
	}
	if result, err := picture(ctx, call, path, now.Raw); result != nil || err != nil {
		return result, err
	}
	return nil, binary(path, now.Raw, now.About.Size())
}

// binary says kindly what a file is that is no text.
func binary(path string, raw []byte, size int64) error {
	what := http.DetectContentType(raw)
	if what == "application/octet-stream" || strings.HasPrefix(what, "text/") {
		what = "unknown format"
	}
	return fault.New(fault.Invalid, "toolbox.read", "%s is not text but binary data (%s, %s). It was not read. Where its content matters, use a program for its format.", path, what, file.ByteCount(size)).WithCode(file.CodeBinary)
}

// withNeighbours adds to a not-found error the names in the folder that are like
// the one asked for.
func withNeighbours(call *tool.Call, path string, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	missing := shownAsked(call, path)
	text := missing + " does not exist."
	if close := neighbours(call, path); len(close) > 0 {
		text += " In its folder there is " + strings.Join(close, ", ") + "."
	} else {
		text += " Look with glob or list."
	}
	return fault.Wrap(fault.NotFound, "toolbox.read", err, "%s", text).WithCode(file.CodeNotFound)
}

// neighbours are up to three names in a path's folder that differ from its own by
// little: case, ending, a letter.
func neighbours(call *tool.Call, path string) []string {
	folder, err := at(call, path, false)
	if err != nil {
		return nil
	}
	defer folder.Close()
	dir, err := folder.Folder.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(2000)
	if err != nil && len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	var close []string
	stem := strings.ToLower(strings.TrimSuffix(folder.Name, filepath.Ext(folder.Name)))
	for _, n := range names {
		low := strings.ToLower(n)
		if low == strings.ToLower(folder.Name) || stem != "" && (strings.HasPrefix(low, stem) || len(stem) > 3 && strings.Contains(low, stem)) {
			close = append(close, n)
		}
	}
	return close[:min(3, len(close))]
}

// Limits of one read. All of it stays under what the pipeline would shorten.
const (
	readLines   = 2000
	readBytes   = 48_000
	lineChars   = 2000   // of a line in a range
	columnBytes = 40_000 // of a line that is read from a column on
)

// page gives the asked range of a text.
func (a readArgs) page(t file.Text, path string) (*tool.Result, error) {
	total := lineCount(t.Body)
	from := max(a.Offset, 1)
	if total == 0 {
		return note(path, "[the file is empty"+suffix(t.Kept())+"]"), nil
	}
	if from > total {
		return nil, fault.New(fault.Invalid, "toolbox.read", "%s has %s; line %d is past its end.", path, plural(total, "line"), from).WithCode("PAST_END")
	}
	w := window{rest: skipLines(t.Body, from-1), line: from, column: max(a.Column, 1), end: true}
	if w.column > 1 && !w.skip() {
		return nil, fault.New(fault.Invalid, "toolbox.read", "Line %d of %s has fewer than %d characters.", from, path, w.column).WithCode("PAST_END")
	}
	limit := readLines
	if a.Limit > 0 {
		limit = min(a.Limit, readLines)
	}
	out := w.render(limit)
	switch {
	case out.done && from == 1 && w.column == 1:
		out.add(endNote(t, total, false))
	case out.done:
		out.add(endNote(t, total, true))
	default:
		out.add(fmt.Sprintf("[lines %d to %d of %d; read on with offset %d]", from, out.to, total, out.to+1))
	}
	return &tool.Result{Content: llm.Text(out.String()), View: readView{Kind: "read", Path: path, From: from, To: out.to, Lines: total, Lang: language(path)}}, nil
}

func suffix(s string) string {
	if s == "" {
		return ""
	}
	return "; " + s
}

// endNote is the last line of a read that reaches the end: what a whole read need
// not say is left out.
func endNote(t file.Text, total int, ranged bool) string {
	var parts []string
	if ranged {
		parts = append(parts, fmt.Sprintf("end of the file, %s", plural(total, "line")))
	}
	if !strings.HasSuffix(t.Body, "\n") {
		parts = append(parts, "no line end after the last line")
	}
	if kept := t.Kept(); kept != "" {
		parts = append(parts, kept)
	}
	if parts == nil {
		return ""
	}
	return "[" + strings.Join(parts, "; ") + "]"
}

func note(path, text string) *tool.Result {
	return &tool.Result{Content: llm.Text(text), View: readView{Kind: "read", Path: path, Lang: language(path)}}
}

func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
