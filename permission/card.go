package permission

import (
	"bytes"
	"context"
	"encoding/json"

	"fairlead/tool"
)

// draw makes the card of a call: the tool's own, else its name with all arguments.
func draw(ctx context.Context, call *tool.Call) (*tool.Card, error) {
	if t, ok := call.Uses.(tool.Carder); ok {
		return t.Card(ctx, call)
	}
	var shown bytes.Buffer
	if err := json.Indent(&shown, call.Args, "", "  "); err != nil {
		return nil, err
	}
	return &tool.Card{Title: "use-tool", Hero: call.Tool, Parts: []tool.CardPart{{Name: "arguments", Kind: "json", Text: shown.String()}}}, nil
}

// fits lets the tool say why a call cannot work with what is there now.
func fits(ctx context.Context, call *tool.Call) error {
	if t, ok := call.Uses.(tool.Checker); ok {
		return t.Check(ctx, call)
	}
	return nil
}
