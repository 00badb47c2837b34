package toolbox

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:embed write.md
var writeText string

// writer is the tool write.
type writer struct{}

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (writer) Schema() llm.ToolSchema {
	return schema("write", writeText, `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`)
}

func (writer) args(call *tool.Call) writeArgs {
	var a writeArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (writer) ReadOnly(*tool.Call) bool { return false }

func (w writer) Present(call *tool.Call) session.Present {
	return presentPath(call, "write", w.args(call).Path)
}

func (w writer) Touches(call *tool.Call) []tool.Touch {
	return touches(call, w.args(call).Path, true)
}

func (w writer) Check(_ context.Context, call *tool.Call) error {
	a := w.args(call)
	_, err := planned(call, a.Path, a.revise)
	return err
}

func (w writer) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := w.args(call)
	r, err := planned(call, a.Path, a.revise)
	if err != nil {
		return nil, err
	}
	return r.card(call), nil
}

func (w writer) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := w.args(call)
	return carryOut(ctx, call, a.Path, a.revise)
}

// revise gives the content in the encoding and with the line ends of what it
// replaces.
func (a writeArgs) revise(call *tool.Call, r *revision) error {
	if r.was.About == nil {
		r.after, r.raw = a.Content, []byte(a.Content)
		return nil
	}
	if a.Content == "" && len(r.was.Raw) > 0 {
		return fault.New(fault.Invalid, "toolbox.write", "\"content\" is empty; it would empty %s, which has %s. Nothing was changed. If that is meant, empty or delete the file with a shell command.", shown(call, r.path), file.ByteCount(int64(len(r.was.Raw)))).WithCode("EMPTY_CONTENT")
	}
	r.after = withEnds(strings.ReplaceAll(a.Content, "\r\n", "\n"), r.before.Body)
	raw, err := r.before.Encode(r.after)
	r.raw = raw
	return err
}

// withEnds gives a text the line ends that are usual in another one.
func withEnds(plain, like string) string {
	crlf := strings.Count(like, "\r\n")
	if crlf*2 > strings.Count(like, "\n") {
		return strings.ReplaceAll(plain, "\n", "\r\n")
	}
	return plain
}

// said tells the model what a revision did.
func (r *revision) said(call *tool.Call) string {
	path := shown(call, r.path)
	switch {
	case r.remove:
		return fmt.Sprintf("Deleted %s, which had %s.", path, plural(lineCount(r.before.Body), "line"))
	case r.was.About == nil:
		return fmt.Sprintf("Wrote %s, a new file of %s.", path, plural(lineCount(r.after), "line"))
	case string(r.raw) == string(r.was.Raw):
		return fmt.Sprintf("%s has this content already; nothing was changed.", path)
	}
	return fmt.Sprintf("Changed %s: +%d −%d lines.", path, r.added, r.removed)
}
