package testkit

import (
	"encoding/json"
	"fmt"
)

// chatRules are those of Chat Completions.
var chatRules = wireRules{split: splitChat, check: checkChat}

func splitChat(body []byte) (parts, error) {
	var v struct {
		Tools    json.RawMessage   `json:"tools"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return parts{}, fmt.Errorf("the body is not a request: %w", err)
	}
	p := parts{tools: v.Tools, messages: v.Messages}
	var first struct {
		Role string `json:"role"`
	}
	if len(v.Messages) > 0 && json.Unmarshal(v.Messages[0], &first) == nil && first.Role == "system" {
		p.system, p.messages = v.Messages[0], v.Messages[1:]
	}
	return p, nil
}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func checkChat(body []byte, p parts) error {
	if err := sound(body); err != nil {
		return err
	}
	if err := lastKey(body, "messages"); err != nil {
		return err
	}
	var head struct {
		Model string `json:"model"`
		Tools []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &head); err != nil || head.Model == "" {
		return fmt.Errorf("the request names no model: %v", err)
	}
	var names []string
	var parameters []json.RawMessage
	for _, t := range head.Tools {
		names, parameters = append(names, t.Function.Name), append(parameters, t.Function.Parameters)
	}
	if err := schemas(names, parameters); err != nil {
		return err
	}
	var pairs pairing
	last := ""
	for i, raw := range p.messages {
		var m chatMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if err := m.check(&pairs, i == 0); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		last = m.Role
	}
	if last != "user" && last != "tool" {
		return fmt.Errorf("the last message is of %q", last)
	}
	return pairs.settled()
}

func (m *chatMessage) check(pairs *pairing, first bool) error {
	if first && m.Role != "user" {
		return fmt.Errorf("the conversation begins with %q", m.Role)
	}
	if m.Role == "tool" {
		if err := pairs.result(m.CallID); err != nil {
			return err
		}
		return m.text(false)
	}
	if err := pairs.settled(); err != nil {
		return err
	}
	switch m.Role {
	case "user":
		return m.text(false)
	case "assistant":
		for _, c := range m.ToolCalls {
			if err := pairs.call(c.ID, c.Function.Name); err != nil {
				return err
			}
			var arguments string
			if json.Unmarshal(c.Function.Arguments, &arguments) != nil || !isObject([]byte(arguments)) {
				return fmt.Errorf("the arguments of %s are not an object in a string: %s", c.ID, c.Function.Arguments)
			}
			if err := characters([]byte(arguments)); err != nil {
				return fmt.Errorf("the arguments of %s: %w", c.ID, err)
			}
		}
		return m.text(len(m.ToolCalls) > 0)
	}
	return fmt.Errorf("the role %q is not known here", m.Role)
}

// text refuses content that says nothing, unless it may be missing.
func (m *chatMessage) text(mayMiss bool) error {
	var text string
	if len(m.Content) == 0 || string(m.Content) == "null" || json.Unmarshal(m.Content, &text) == nil {
		if blank(text) && !(mayMiss && text == "") {
			return fmt.Errorf("the content is empty")
		}
		return nil
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(m.Content, &list); err != nil {
		return err
	}
	if m.Role != "user" {
		return fmt.Errorf("the content of %q is a list", m.Role)
	}
	for _, p := range list {
		if p.Type != "image_url" && (p.Type != "text" || blank(p.Text)) {
			return fmt.Errorf("a part of the type %q is empty or not known", p.Type)
		}
	}
	return nil
}
