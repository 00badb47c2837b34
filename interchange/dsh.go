package interchange

import (
	"encoding/json"
	"strings"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// dshLine is a line of a DeepSeek Harness log (session.jsonl): a header, then events
// with a number and a time in milliseconds.
type dshLine struct {
	Type string          `json:"type"`
	Seq  int64           `json:"seq"`
	Time int64           `json:"time"`
	Data json.RawMessage `json:"data"`

	Version *int   `json:"version"` // of the header
	ID      string `json:"id"`
	Cwd     string `json:"cwd"`
}

// dshMessage is a message in it. Content is text or blocks; a block of a call or a
// result carries its own fields.
type dshMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type dshBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	CallID    string          `json:"callId"`
	ToolUseID string          `json:"toolUseId"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"isError"`
}

func readDSH(lines []line) (*conversation, error) {
	c := &conversation{origin: "dsh"}
	for _, l := range lines {
		var e dshLine
		if err := l.decode(&e); err != nil {
			return nil, err
		}
		if e.Type == "" {
			c.id, c.folder = e.ID, e.Cwd
			continue
		}
		at := time.UnixMilli(e.Time)
		var err error
		switch e.Type {
		case "user/message":
			err = c.dshPerson(l, e.Data, at)
		case "assistant/message":
			err = c.dshReply(l, e.Data, at)
		case "tool/result":
			err = c.dshResult(l, e.Data, at)
		case "session/title":
			var d struct {
				Title string `json:"title"`
			}
			if err = json.Unmarshal(e.Data, &d); err == nil {
				c.title = session.CleanTitle(d.Title)
			}
		case "turn/start", "turn/end", "step/start", "step/end", "tool/call", "assistant/chunk", "text-chunks", "reasoning-chunks", "tool-call-chunks", "request/header", "request/context":
			// markers, and pieces of what the messages hold whole
		default:
			c.skip("event of type " + e.Type)
		}
		if err != nil {
			return nil, l.wrong("its data does not fit "+e.Type, err)
		}
	}
	return c, nil
}

func dshBlocks(raw json.RawMessage) ([]dshBlock, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []dshBlock{{Type: "text", Text: text}}, nil
	}
	var list []dshBlock
	return list, json.Unmarshal(raw, &list)
}

func (c *conversation) dshPerson(_ line, data json.RawMessage, at time.Time) error {
	var d struct {
		dshMessage
		Source struct {
			Kind string `json:"kind"`
		} `json:"source"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	if k := d.Source.Kind; k != "" && k != "user" && k != "user-rpc" {
		c.skip("message from " + k)
		return nil
	}
	list, err := dshBlocks(d.Content)
	if err != nil {
		return err
	}
	var said []llm.Part
	for _, b := range list {
		if b.Type == "text" {
			said = append(said, llm.Part{Text: b.Text})
		} else {
			c.skip("block of type " + b.Type)
		}
	}
	if len(said) > 0 {
		c.items = append(c.items, item{at: at, person: said})
	}
	return nil
}

func (c *conversation) dshReply(_ line, data json.RawMessage, at time.Time) error {
	var d struct {
		Message     dshMessage `json:"message"`
		Interrupted bool       `json:"interrupted"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	list, err := dshBlocks(d.Message.Content)
	if err != nil {
		return err
	}
	m := &session.AssistantMessageData{Interrupted: d.Interrupted}
	for _, b := range list {
		switch b.Type {
		case "text":
			m.Content = append(m.Content, llm.Part{Text: b.Text})
		case "reasoning", "thinking":
			m.Reasoning = append(m.Reasoning, llm.Reasoning{Text: b.Text, Field: "reasoning_content"})
		case "tool-call", "tool_call", "tool-use":
			m.Calls = append(m.Calls, llm.Call{ID: first(b.CallID, b.ToolUseID, b.ID), Name: b.Name, Arguments: rawText(b.Arguments)})
		default:
			c.skip("block of type " + b.Type)
		}
	}
	c.items = append(c.items, item{at: at, model: m})
	return nil
}

func (c *conversation) dshResult(_ line, data json.RawMessage, at time.Time) error {
	var d struct {
		Message dshMessage      `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	list, err := dshBlocks(d.Message.Content)
	if err != nil {
		return err
	}
	for _, b := range list {
		if b.Type != "tool-result" && b.Type != "tool_result" {
			c.skip("block of type " + b.Type)
			continue
		}
		inner, err := dshBlocks(b.Content)
		if err != nil {
			return err
		}
		var texts []string
		for _, t := range inner {
			texts = append(texts, t.Text)
		}
		c.items = append(c.items, item{at: at, result: &session.ToolResultData{ModelID: first(b.CallID, b.ToolUseID, b.ID), Content: llm.Text(strings.Join(texts, "\n")),
			Failed: b.IsError || len(d.Error) > 0 && string(d.Error) != "null"}})
	}
	return nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// rawText gives arguments as text, whether the file holds them as text or as JSON.
func rawText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
