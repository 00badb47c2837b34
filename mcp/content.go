package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/llm"
	"fairlead/tool"
)

const (
	// mostText is how much text of one result is taken, in bytes; what a model reads of
	// it is cut by the pipeline, which keeps the whole.
	mostText = 4 << 20
	// A result gives that many pictures at most, each that large.
	mostPictures     = 8
	mostPictureBytes = 5 << 20
)

// translate makes a result of what a server gave.
func translate(ctx context.Context, call *tool.Call, r *sdk.CallToolResult) (*tool.Result, error) {
	c := &contents{ctx: ctx, call: call}
	for _, one := range r.Content {
		if err := c.add(one); err != nil {
			return nil, err
		}
	}
	if r.StructuredContent != nil {
		c.structured(r.StructuredContent)
	}
	out := &tool.Result{Content: c.parts(), Failed: r.IsError}
	if r.IsError {
		out.Code = "MCP_TOOL_FAILED"
	}
	return out, nil
}

// contents gathers what a model can read.
type contents struct {
	ctx      context.Context
	call     *tool.Call
	text     strings.Builder
	left     int // bytes that were too much
	pictures []llm.Part
}

func (c *contents) say(text string) {
	if text = tool.Outside(text); text == "" {
		return
	}
	if c.text.Len() > 0 {
		c.text.WriteByte('\n')
	}
	if room := mostText - c.text.Len(); len(text) > room {
		c.left += len(text) - max(0, room)
		text = strings.ToValidUTF8(text[:max(0, room)], "")
	}
	c.text.WriteString(text)
}

func (c *contents) add(one sdk.Content) error {
	switch one := one.(type) {
	case *sdk.TextContent:
		c.say(one.Text)
	case *sdk.ImageContent:
		return c.picture(one.Data)
	case *sdk.AudioContent:
		c.say(fmt.Sprintf("[sound of %d bytes, which cannot be heard here]", len(one.Data)))
	case *sdk.ResourceLink:
		c.say(fmt.Sprintf("[resource %s: %s]", tool.OutsideLine(one.URI, 300), tool.OutsideLine(one.Name, 200)))
	case *sdk.EmbeddedResource:
		return c.resource(one.Resource)
	default:
		c.say("[something of a kind that is not known here]")
	}
	return nil
}

func (c *contents) resource(r *sdk.ResourceContents) error {
	switch {
	case r == nil:
	case len(r.Blob) == 0:
		c.say("[resource " + tool.OutsideLine(r.URI, 300) + "]\n" + r.Text)
	case strings.HasPrefix(r.MIMEType, "image/"):
		return c.picture(r.Blob)
	default:
		c.say(fmt.Sprintf("[resource %s: %d bytes that are no text]", tool.OutsideLine(r.URI, 300), len(r.Blob)))
	}
	return nil
}

// picture keeps a picture beside the log; it is one by its bytes, not by its label.
func (c *contents) picture(data []byte) error {
	kind := http.DetectContentType(data)
	switch {
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind):
		c.say(fmt.Sprintf("[%d bytes that are no picture which can be shown]", len(data)))
		return nil
	case len(c.pictures) == mostPictures || len(data) > mostPictureBytes:
		c.say(fmt.Sprintf("[a picture of %d bytes was left out]", len(data)))
		return nil
	}
	ref, err := c.call.Log.PutBlob(c.ctx, data)
	if err != nil {
		return err
	}
	c.pictures = append(c.pictures, llm.Part{MIME: kind, Blob: ref.SHA256})
	return nil
}

// structured adds the structured form of a result where the text does not say it
// already.
func (c *contents) structured(v any) {
	raw, err := json.Marshal(v)
	if err != nil || c.text.Len() > 0 && c.said(raw) {
		return
	}
	c.say(string(raw))
}

// said reports whether the text holds the same: as JSON, with its keys in whatever
// order, or as the texts inside.
func (c *contents) said(raw []byte) bool {
	var text, value any
	if json.Unmarshal(raw, &value) != nil {
		return false
	}
	if json.Unmarshal([]byte(c.text.String()), &text) == nil && reflect.DeepEqual(text, value) {
		return true
	}
	texts, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for _, v := range texts {
		if s, ok := v.(string); !ok || !strings.Contains(c.text.String(), strings.TrimSpace(tool.Outside(s))) {
			return false
		}
	}
	return true
}

func (c *contents) parts() []llm.Part {
	text := c.text.String()
	if c.left > 0 {
		text += fmt.Sprintf("\n[%d more bytes were left out]", c.left)
	}
	if text == "" && len(c.pictures) == 0 {
		text = "(nothing)"
	}
	return append(llm.Text(text), c.pictures...)
}
