package toolbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed edit.md
var editText string

//go:embed multi_edit.md
var multiEditText string

// editor is the tool edit.
type editor struct{}

// multiEditor is the tool multi_edit.
type multiEditor struct{}

// editArgs serve both tools.
type editArgs struct {
	Path string `json:"path"`
	change
	Edits []change `json:"edits"`
}

func (editor) Schema() llm.ToolSchema {
	return schema("edit", editText, `{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}},"required":["path","old","new"],"additionalProperties":false}`)
}

func (multiEditor) Schema() llm.ToolSchema {
	return schema("multi_edit", multiEditText, `{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}},"required":["old","new"],"additionalProperties":false}}},"required":["path","edits"],"additionalProperties":false}`)
}

func edits(call *tool.Call) editArgs {
	var a editArgs
	_ = call.Decode(&a) // the arguments passed the schema
	if a.Edits == nil {
		a.Edits = []change{a.change}
	}
	return a
}

func (editor) ReadOnly(*tool.Call) bool      { return false }
func (multiEditor) ReadOnly(*tool.Call) bool { return false }

func (editor) Present(call *tool.Call) session.Present      { return edits(call).present(call) }
func (multiEditor) Present(call *tool.Call) session.Present { return edits(call).present(call) }

func (editor) Touches(call *tool.Call) []tool.Touch { return touches(call, edits(call).Path, true) }
func (multiEditor) Touches(call *tool.Call) []tool.Touch {
	return touches(call, edits(call).Path, true)
}

func (editor) Check(_ context.Context, call *tool.Call) error      { return edits(call).check(call) }
func (multiEditor) Check(_ context.Context, call *tool.Call) error { return edits(call).check(call) }

func (editor) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	return edits(call).card(call)
}

func (multiEditor) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	return edits(call).card(call)
}

func (editor) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := edits(call)
	return carryOut(ctx, call, a.Path, a.revise)
}

func (multiEditor) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := edits(call)
	return carryOut(ctx, call, a.Path, a.revise)
}

func (a editArgs) present(call *tool.Call) session.Present {
	return presentPath(call, "change", a.Path)
}

func (a editArgs) check(call *tool.Call) error {
	_, err := planned(call, a.Path, a.revise)
	return err
}

func (a editArgs) card(call *tool.Call) (*tool.Card, error) {
	r, err := planned(call, a.Path, a.revise)
	if err != nil {
		return nil, err
	}
	return r.card(call), nil
}

// revise makes the edits one after the other.
func (a editArgs) revise(call *tool.Call, r *revision) error {
	if r.was.About == nil {
		return withNeighbours(call, a.Path, fault.New(fault.NotFound, "toolbox.edit", "%s does not exist.", shown(call, r.path)))
	}
	r.after = r.before.Body
	for i, c := range a.Edits {
		body, err := c.apply(r.after)
		if err != nil {
			return numbered(err, i, len(a.Edits), "Edit")
		}
		r.after = body
	}
	raw, err := r.before.Encode(r.after)
	r.raw = raw
	return err
}

// numbered says which of several parts of a change failed.
func numbered(err error, i, of int, part string) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || of == 1 {
		return err
	}
	again := *e
	again.Text = fmt.Sprintf("%s %d of %d: %s", part, i+1, of, e.Text)
	return &again
}
