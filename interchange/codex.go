package interchange

import (
	"encoding/json"
	"strings"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// codexLine is a line of a Codex rollout (~/.codex/sessions/…/rollout-*.jsonl): an
// item of the Responses API in an envelope; older files have the items bare.
type codexLine struct {
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Cwd       string          `json:"cwd"`
	Model     string          `json:"model"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"` // of a custom tool
	CallID    string          `json:"call_id"`
	Action    json.RawMessage `json:"action"` // of a local shell call
	Output    json.RawMessage `json:"output"`
	Message   string          `json:"message"` // of a compaction
	Content   []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

func readCodex(lines []line) (*conversation, error) {
	r := codexReader{conversation: &conversation{origin: "codex"}}
	for _, l := range lines {
		var e codexLine
		if err := l.decode(&e); err != nil {
			return nil, err
		}
		kind, raw := e.Type, e.Payload
		if len(raw) == 0 { // the older form: the line is the item
			raw = l.text
			if kind != "" {
				kind = "response_item"
			} else {
				kind = "session_meta"
			}
		}
		var it codexItem
		if err := json.Unmarshal(raw, &it); err != nil {
			return nil, l.wrong("its payload does not fit its type", err)
		}
		r.line(kind, it, e.Timestamp)
	}
	return r.conversation, nil
}

type codexReader struct {
	*conversation
	model string
	reply *session.AssistantMessageData // the reply that items still add to
}

func (r *codexReader) line(kind string, it codexItem, at time.Time) {
	switch kind {
	case "session_meta":
		if r.id == "" {
			r.id, r.folder = it.ID, it.Cwd
		}
	case "turn_context":
		r.model = it.Model
		if r.folder == "" {
			r.folder = it.Cwd
		}
	case "response_item":
		r.item(it, at)
	case "event_msg":
		// the same things once more, for the terminal
	default:
		r.skip("line of type " + kind)
	}
}

func (r *codexReader) item(it codexItem, at time.Time) {
	switch it.Type {
	case "message":
		r.message(it, at)
	case "reasoning":
		m := r.open(at)
		for _, s := range it.Summary {
			m.Reasoning = append(m.Reasoning, llm.Reasoning{Text: s.Text, Field: "reasoning"})
		}
	case "function_call":
		m := r.open(at)
		m.Calls = append(m.Calls, llm.Call{ID: it.CallID, Name: it.Name, Arguments: it.Arguments})
	case "custom_tool_call":
		args, _ := json.Marshal(map[string]string{"input": it.Input}) // a map of strings always marshals
		m := r.open(at)
		m.Calls = append(m.Calls, llm.Call{ID: it.CallID, Name: it.Name, Arguments: string(args)})
	case "local_shell_call":
		m := r.open(at)
		m.Calls = append(m.Calls, llm.Call{ID: it.CallID, Name: "local_shell", Arguments: string(it.Action)})
	case "function_call_output", "custom_tool_call_output":
		r.reply = nil
		text, failed := codexOutput(it.Output)
		r.items = append(r.items, item{at: at, result: &session.ToolResultData{ModelID: it.CallID, Content: llm.Text(text), Failed: failed}})
	default:
		r.skip("item of type " + it.Type)
	}
}

// open gives the reply that is being put together: a call after a call belongs to
// the same one.
func (r *codexReader) open(at time.Time) *session.AssistantMessageData {
	if r.reply == nil {
		r.reply = &session.AssistantMessageData{Model: r.model}
		r.items = append(r.items, item{at: at, model: r.reply})
	}
	return r.reply
}

func (r *codexReader) message(it codexItem, at time.Time) {
	var texts []string
	for _, c := range it.Content {
		if c.Text == "" {
			r.skip("content of type " + c.Type)
			continue
		}
		texts = append(texts, c.Text)
	}
	text := strings.Join(texts, "\n")
	switch it.Role {
	case "assistant":
		m := r.open(at)
		m.Content = append(m.Content, llm.Part{Text: text})
	case "user":
		r.reply = nil
		if strings.HasPrefix(text, "<environment_context>") || strings.HasPrefix(text, "<user_instructions>") || strings.HasPrefix(text, "# AGENTS.md instructions") {
			r.skip("message of the product itself")
			return
		}
		r.items = append(r.items, item{at: at, person: llm.Text(text)})
	default:
		r.skip("message of role " + it.Role)
	}
}

// codexOutput reads an output: a text, which may itself be JSON with an exit code, or
// an object with content.
func codexOutput(raw json.RawMessage) (text string, failed bool) {
	if json.Unmarshal(raw, &text) != nil {
		var object struct {
			Content string `json:"content"`
			Success *bool  `json:"success"`
		}
		if json.Unmarshal(raw, &object) != nil {
			return string(raw), false
		}
		return object.Content, object.Success != nil && !*object.Success
	}
	var inner struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &inner) == nil && inner.Output != nil {
		return *inner.Output, inner.Metadata.ExitCode != 0
	}
	return text, false
}
