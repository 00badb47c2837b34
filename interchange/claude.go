package interchange

import (
	"encoding/json"
	"strings"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// claudeLine is a line of a Claude Code transcript (~/.claude/projects/*/ID.jsonl):
// one block of a message a line, with the message as the Messages API has it.
type claudeLine struct {
	Type        string    `json:"type"`
	Timestamp   time.Time `json:"timestamp"`
	SessionID   string    `json:"sessionId"`
	Cwd         string    `json:"cwd"`
	IsSidechain bool      `json:"isSidechain"`
	IsMeta      bool      `json:"isMeta"`
	IsSummary   bool      `json:"isCompactSummary"`
	Summary     string    `json:"summary"`
	Message     *struct {
		ID      string          `json:"id"`
		Role    string          `json:"role"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input       int `json:"input_tokens"`
			CacheRead   int `json:"cache_read_input_tokens"`
			CacheCreate int `json:"cache_creation_input_tokens"`
			Output      int `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// claudeBlock is a content block of the Messages API.
type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

func readClaude(lines []line) (*conversation, error) {
	c := &conversation{origin: "claude-code"}
	open := "" // id of the reply that lines still add to
	for _, l := range lines {
		var e claudeLine
		if err := l.decode(&e); err != nil {
			return nil, err
		}
		if e.SessionID != "" && c.id == "" {
			c.id, c.folder = e.SessionID, e.Cwd
		}
		switch {
		case e.Type == "summary":
			c.title = session.CleanTitle(e.Summary)
		case e.IsSidechain:
			c.skip("line of a sub-agent")
		case e.Message == nil || e.Type != "user" && e.Type != "assistant":
			c.skip("line of type " + e.Type)
		case e.IsMeta || e.IsSummary:
			c.skip("line of the product itself")
		case e.Type == "user":
			open = ""
			if err := c.claudeUser(l, e); err != nil {
				return nil, err
			}
		default:
			if err := c.claudeReply(l, e, open); err != nil {
				return nil, err
			}
			open = e.Message.ID
		}
	}
	return c, nil
}

// blocks reads content that is a text or a list of blocks.
func blocks(l line, raw json.RawMessage) ([]claudeBlock, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}, nil
	}
	var list []claudeBlock
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, l.wrong("its content is neither text nor blocks", err)
	}
	return list, nil
}

func (c *conversation) claudeUser(l line, e claudeLine) error {
	list, err := blocks(l, e.Message.Content)
	if err != nil {
		return err
	}
	var said []llm.Part
	for _, b := range list {
		switch b.Type {
		case "text":
			said = append(said, llm.Part{Text: b.Text})
		case "tool_result":
			text, err := c.plainBlocks(l, b.Content)
			if err != nil {
				return err
			}
			c.items = append(c.items, item{at: e.Timestamp, result: &session.ToolResultData{ModelID: b.ToolUseID, Content: llm.Text(text), Failed: b.IsError}})
		default:
			c.skip("block of type " + b.Type)
		}
	}
	if len(said) > 0 {
		c.items = append(c.items, item{at: e.Timestamp, person: said})
	}
	return nil
}

// plainBlocks joins the texts of a result.
func (c *conversation) plainBlocks(l line, raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	list, err := blocks(l, raw)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, b := range list {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		} else {
			c.skip("block of type " + b.Type)
		}
	}
	return strings.Join(texts, "\n"), nil
}

func (c *conversation) claudeReply(l line, e claudeLine, open string) error {
	list, err := blocks(l, e.Message.Content)
	if err != nil {
		return err
	}
	m := &session.AssistantMessageData{Model: e.Message.Model}
	if last := len(c.items) - 1; last >= 0 && open != "" && open == e.Message.ID && c.items[last].model != nil {
		m = c.items[last].model // the same reply goes on
	} else {
		c.items = append(c.items, item{at: e.Timestamp, model: m})
	}
	for _, b := range list {
		switch b.Type {
		case "text":
			m.Content = append(m.Content, llm.Part{Text: b.Text})
		case "thinking":
			m.Reasoning = append(m.Reasoning, llm.Reasoning{Text: b.Thinking, Field: "thinking", Signature: b.Signature})
		case "tool_use":
			m.Calls = append(m.Calls, llm.Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		default:
			c.skip("block of type " + b.Type)
		}
	}
	if u := e.Message.Usage; u != nil {
		m.Usage = &llm.Usage{Input: u.Input + u.CacheRead + u.CacheCreate, Cached: u.CacheRead, Output: u.Output, Reasoning: -1}
	}
	return nil
}
