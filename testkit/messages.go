package testkit

import (
	"encoding/json"
	"fmt"
)

// messagesRules are those of Anthropic's Messages.
var messagesRules = wireRules{split: splitMessages, check: checkMessages}

func splitMessages(body []byte) (parts, error) {
	var v struct {
		Tools    json.RawMessage   `json:"tools"`
		System   json.RawMessage   `json:"system"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return parts{}, fmt.Errorf("the body is not a request: %w", err)
	}
	return parts{tools: v.Tools, system: v.System, messages: v.Messages}, nil
}

type messageBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	CallID    string          `json:"tool_use_id"`
	Content   []messageBlock  `json:"content"`
	Signature string          `json:"signature"`
}

func checkMessages(body []byte, p parts) error {
	if err := sound(body); err != nil {
		return err
	}
	if err := lastKey(body, "messages"); err != nil {
		return err
	}
	var head struct {
		Model string `json:"model"`
		Cap   int    `json:"max_tokens"`
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &head); err != nil || head.Model == "" || head.Cap <= 0 {
		return fmt.Errorf("the request names no model or no cap: %v", err)
	}
	var names []string
	var schema []json.RawMessage
	for _, t := range head.Tools {
		names, schema = append(names, t.Name), append(schema, t.Schema)
	}
	if err := schemas(names, schema); err != nil {
		return err
	}
	var pairs pairing
	last := ""
	for i, raw := range p.messages {
		var m struct {
			Role    string         `json:"role"`
			Content []messageBlock `json:"content"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if i == 0 && m.Role != "user" {
			return fmt.Errorf("the conversation begins with %q", m.Role)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		for _, b := range m.Content {
			if err := b.check(m.Role, &pairs); err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
		}
		if m.Role == "user" {
			// All results stand in the message right behind the calls.
			if err := pairs.settled(); err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
		}
		last = m.Role
	}
	if last != "user" {
		return fmt.Errorf("the last message is of %q", last)
	}
	return nil
}

func (b *messageBlock) check(role string, pairs *pairing) error {
	switch {
	case b.Type == "text":
		if blank(b.Text) {
			return fmt.Errorf("a text block is empty")
		}
		if role == "user" && len(pairs.waiting) > 0 {
			return pairs.settled()
		}
	case b.Type == "tool_use" && role == "assistant":
		if !isObject(b.Input) {
			return fmt.Errorf("the input of %s is no object: %s", b.ID, b.Input)
		}
		return pairs.call(b.ID, b.Name)
	case b.Type == "tool_result" && role == "user":
		for _, inner := range b.Content {
			if inner.Type == "text" && blank(inner.Text) {
				return fmt.Errorf("the result of %s holds an empty block", b.CallID)
			}
		}
		return pairs.result(b.CallID)
	case b.Type == "thinking" && role == "assistant":
		if b.Signature == "" {
			return fmt.Errorf("a thinking block is not signed")
		}
	case b.Type == "image" && role == "user", b.Type == "redacted_thinking" && role == "assistant":
	default:
		return fmt.Errorf("a block of the type %q in a message of %q", b.Type, role)
	}
	return nil
}
