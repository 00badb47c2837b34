package extension

import (
	"context"
	_ "embed"
	"fmt"

	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed package_keep.md
var keepText string

// keep is the tool package_keep: it writes into the plugin folder, which the gate takes
// for protected in every mode.
type keep struct {
	shelf   *shelf
	plugins *Plugins
}

func (keep) Schema() llm.ToolSchema {
	return described("package_keep", keepText, nameProperty+`,"version":{"type":"integer","minimum":1,"description":"the newest where it is left out"}`, "name")
}

// Rare says what it is for.
func (keep) Rare() string { return "Saves a package as a plugin, for the person to review." }

func (t keep) Touches(call *tool.Call) []tool.Touch {
	return []tool.Touch{{Path: t.plugins.file(arguments(call).Name), Change: true}}
}

func (keep) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "write", What: "plugin " + arguments(call).Name}
}

// Check finds out what would fail before anybody is asked.
func (t keep) Check(_ context.Context, call *tool.Call) error {
	a := arguments(call)
	_, _, err := t.shelf.find(a.Name, a.Version)
	return err
}

// Card shows what the file would be.
func (t keep) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := arguments(call)
	_, v, err := t.shelf.find(a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	path := t.plugins.file(a.Name)
	return &tool.Card{Title: "new-file", Hero: path, Why: v.purpose, Parts: []tool.CardPart{{Name: "new-file", Kind: "text", Path: path, Text: v.code}}}, nil
}

func (t keep) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	a := arguments(call)
	_, v, err := t.shelf.find(a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	if err := t.plugins.Keep(a.Name, []byte(v.code)); err != nil {
		return nil, err
	}
	return tool.Text(fmt.Sprintf("Version %d of %s was saved as a plugin. It does not run: the person has to review it first.", v.number, a.Name)), nil
}
