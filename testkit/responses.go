package testkit

import (
	"encoding/json"
	"fmt"
)

// responsesRules are those of Responses.
var responsesRules = wireRules{split: splitResponses, check: checkResponses}

func splitResponses(body []byte) (parts, error) {
	var v struct {
		Tools        json.RawMessage   `json:"tools"`
		Instructions json.RawMessage   `json:"instructions"`
		Input        []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return parts{}, fmt.Errorf("the body is not a request: %w", err)
	}
	return parts{tools: v.Tools, system: v.Instructions, messages: v.Input}, nil
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Sealed    string          `json:"encrypted_content"`
}

func checkResponses(body []byte, p parts) error {
	if err := sound(body); err != nil {
		return err
	}
	if err := lastKey(body, "input"); err != nil {
		return err
	}
	var head struct {
		Model string `json:"model"`
		Tools []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &head); err != nil || head.Model == "" {
		return fmt.Errorf("the request names no model: %v", err)
	}
	var names []string
	var parameters []json.RawMessage
	for _, t := range head.Tools {
		names, parameters = append(names, t.Name), append(parameters, t.Parameters)
	}
	if err := schemas(names, parameters); err != nil {
		return err
	}
	var pairs pairing
	var last responsesItem
	for i, raw := range p.messages {
		var it responsesItem
		if err := json.Unmarshal(raw, &it); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if err := it.check(last, &pairs); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		last = it
	}
	if last.Type != "function_call_output" && last.Role != "user" {
		return fmt.Errorf("the last item is %q of %q", last.Type, last.Role)
	}
	return pairs.settled()
}

func (it *responsesItem) check(before responsesItem, pairs *pairing) error {
	if before.Type == "reasoning" && it.Type != "reasoning" && it.Type != "function_call" && it.Role != "assistant" {
		return fmt.Errorf("thinking is not followed by what it led to")
	}
	switch it.Type {
	case "message":
		if err := pairs.settled(); err != nil {
			return err
		}
		return itemText(it.Content)
	case "function_call":
		// The calls of a step stand together, before the first of their results.
		if before.Type == "function_call_output" {
			if err := pairs.settled(); err != nil {
				return err
			}
		}
		if !isObject([]byte(it.Arguments)) {
			return fmt.Errorf("the arguments of %s are no object: %s", it.CallID, it.Arguments)
		}
		if err := characters([]byte(it.Arguments)); err != nil {
			return err
		}
		return pairs.call(it.CallID, it.Name)
	case "function_call_output":
		if err := itemText(it.Output); err != nil {
			return err
		}
		return pairs.result(it.CallID)
	case "reasoning":
		if it.Sealed == "" {
			return fmt.Errorf("thinking goes back without its seal")
		}
		return nil
	}
	return fmt.Errorf("an item of the type %q", it.Type)
}

// itemText refuses content that says nothing.
func itemText(content json.RawMessage) error {
	var text string
	if json.Unmarshal(content, &text) == nil {
		if blank(text) {
			return fmt.Errorf("the content is empty")
		}
		return nil
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(content, &list); err != nil || len(list) == 0 {
		return fmt.Errorf("the content is neither text nor a list: %v", err)
	}
	for _, p := range list {
		if p.Type != "input_image" && blank(p.Text) {
			return fmt.Errorf("a part of the type %q is empty", p.Type)
		}
	}
	return nil
}
