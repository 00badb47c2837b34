package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/wire"
)

// Encode writes the body of a Chat Completions request.
func (a *Chat) Encode(req *llm.Request) ([]byte, error) {
	size := len(req.System) + 1024
	for _, t := range req.Tools {
		size += len(t.Description) + len(t.Parameters) + 128
	}
	for i := range req.Messages {
		size += messageSize(&req.Messages[i])
	}
	e := encoder{b: make([]byte, 0, size+size/8), dialect: a.opt.Dialect}
	if err := e.request(req); err != nil {
		return nil, err
	}
	return e.b, nil
}

func messageSize(m *llm.Message) int {
	n := 128
	for _, p := range m.Content {
		n += len(p.Text) + base64.StdEncoding.EncodedLen(len(p.Bytes)) + 64
	}
	for _, c := range m.Calls {
		n += len(c.Arguments) + len(c.Name) + len(c.ID) + 96
	}
	for _, r := range m.Reasoning {
		n += len(r.Text)
	}
	return n
}

type encoder struct {
	b       []byte
	dialect Dialect
}

func (e *encoder) raw(s string) { e.b = append(e.b, s...) }
func (e *encoder) str(s string) { e.b = wire.AppendString(e.b, s) }

func (e *encoder) request(req *llm.Request) error {
	e.raw(`{"model":`)
	e.str(req.Model)
	e.raw(`,"stream":true`)
	if !e.dialect.NoUsage {
		e.raw(`,"stream_options":{"include_usage":true}`)
	}
	if err := e.params(req.Params); err != nil {
		return err
	}
	if len(req.Tools) > 0 {
		e.raw(`,"tools":[`)
		for i, t := range req.Tools {
			if i > 0 {
				e.raw(",")
			}
			e.raw(`{"type":"function","function":{"name":`)
			e.str(t.Name)
			e.raw(`,"description":`)
			e.str(t.Description)
			e.raw(`,"parameters":`)
			if len(t.Parameters) == 0 {
				e.raw(`{"type":"object","properties":{}}`)
			} else {
				e.b = append(e.b, t.Parameters...)
			}
			e.raw("}}")
		}
		e.raw("]")
	}
	e.raw(`,"messages":[`)
	first := true
	if req.System != "" {
		first = false
		e.raw(`{"role":"system","content":`)
		e.str(req.System)
		e.raw("}")
	}
	for i := range req.Messages {
		if !first {
			e.raw(",")
		}
		first = false
		if err := e.message(&req.Messages[i]); err != nil {
			return err
		}
		last := i+1 == len(req.Messages) || req.Messages[i+1].Role != llm.ToolRole
		if req.Messages[i].Role == llm.ToolRole && last {
			if err := e.resultPictures(req.Messages[:i+1]); err != nil {
				return err
			}
		}
	}
	e.raw("]}")
	return nil
}

func (e *encoder) params(p llm.Params) error {
	if p.MaxTokens > 0 {
		name := e.dialect.MaxTokens
		if name == "" {
			name = "max_tokens"
		}
		e.raw(",")
		e.str(name)
		e.raw(":")
		e.b = strconv.AppendInt(e.b, int64(p.MaxTokens), 10)
	}
	for _, f := range []struct {
		name  string
		value *float64
	}{{"temperature", p.Temperature}, {"top_p", p.TopP}} {
		if f.value != nil {
			e.raw(`,"` + f.name + `":`)
			e.b = strconv.AppendFloat(e.b, *f.value, 'g', -1, 64)
		}
	}
	extra := effort(e.dialect.Effort, p.Effort)
	maps.Copy(extra, p.Extra)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if name == "messages" || name == "model" || name == "tools" || name == "stream" {
			continue
		}
		value, err := json.Marshal(extra[name])
		if err != nil {
			return fault.Wrap(fault.Invalid, "openai.encode", err,
				"The extra request field %q cannot be written as JSON. Nothing was sent. Correct it in the connection's settings.", name)
		}
		e.raw(",")
		e.str(name)
		e.raw(":")
		e.b = append(e.b, value...)
	}
	return nil
}

// effort gives the fields that ask for a level of thinking. A level that an
// endpoint has no word for is the nearest one it has.
func effort(form EffortForm, level string) map[string]any {
	f := map[string]any{}
	if level == "" {
		return f
	}
	switch form {
	case EffortField:
		f["reasoning_effort"] = level
	case EffortOpenRouter:
		f["reasoning"] = map[string]any{"effort": level}
	case EffortDeepSeek:
		if level == "none" {
			f["thinking"] = map[string]any{"type": "disabled"}
			break
		}
		f["thinking"] = map[string]any{"type": "enabled"}
		f["reasoning_effort"] = level
	case EffortTemplate:
		kwargs := map[string]any{"enable_thinking": level != "none"}
		if level != "none" {
			kwargs["reasoning_effort"] = level
		}
		f["chat_template_kwargs"] = kwargs
	}
	return f
}

func (e *encoder) message(m *llm.Message) error {
	switch m.Role {
	case llm.Assistant:
		e.assistant(m)
		return nil
	case llm.ToolRole:
		e.raw(`{"role":"tool","tool_call_id":`)
		e.str(m.CallID)
		e.raw(`,"content":`)
		e.str(llm.Plain(m.Content))
		e.raw("}")
		return nil
	}
	e.raw(`{"role":"user","content":`)
	if err := e.content(m.Content); err != nil {
		return err
	}
	e.raw("}")
	return nil
}

func (e *encoder) assistant(m *llm.Message) {
	e.raw(`{"role":"assistant","content":`)
	text := llm.Plain(m.Content)
	if text == "" && !e.dialect.EmptyContent && len(m.Calls) > 0 {
		e.raw("null")
	} else {
		e.str(text)
	}
	if e.dialect.Thinking == ThinkingAll || e.dialect.Thinking == ThinkingCalls && len(m.Calls) > 0 {
		e.thinking(m.Reasoning)
	}
	if len(m.Calls) > 0 {
		e.raw(`,"tool_calls":[`)
		for i, c := range m.Calls {
			if i > 0 {
				e.raw(",")
			}
			e.raw(`{"id":`)
			e.str(c.ID)
			e.raw(`,"type":"function","function":{"name":`)
			e.str(c.Name)
			e.raw(`,"arguments":`)
			e.str(c.Arguments)
			e.raw("}}")
		}
		e.raw("]")
	}
	e.raw("}")
}

func (e *encoder) thinking(all []llm.Reasoning) {
	var field, text string
	for _, r := range all {
		if r.Text != "" {
			field = r.Field
			text += r.Text
		}
	}
	if text == "" {
		return
	}
	if field != llm.FieldReasoning {
		field = llm.FieldReasoningContent
	}
	e.raw(",")
	e.str(field)
	e.raw(":")
	e.str(text)
}

func (e *encoder) content(parts []llm.Part) error {
	if len(parts) == 1 && parts[0].MIME == "" {
		e.str(parts[0].Text)
		return nil
	}
	e.raw("[")
	for i := range parts {
		if i > 0 {
			e.raw(",")
		}
		if err := e.part(&parts[i]); err != nil {
			return err
		}
	}
	e.raw("]")
	return nil
}

func (e *encoder) part(p *llm.Part) error {
	if p.MIME == "" {
		e.raw(`{"type":"text","text":`)
		e.str(p.Text)
		e.raw("}")
		return nil
	}
	if len(p.Bytes) == 0 {
		return fault.New(fault.Internal, "openai.encode", "the bytes of picture %s were not loaded", p.Blob)
	}
	e.raw(`{"type":"image_url","image_url":{"url":"data:`)
	e.raw(p.MIME)
	e.raw(`;base64,`)
	e.b = base64.StdEncoding.AppendEncode(e.b, p.Bytes)
	e.raw(`"}}`)
	return nil
}

// resultPictures sends the pictures of the results at the end of history as a
// message of the user's side: a result of this format is text only.
func (e *encoder) resultPictures(history []llm.Message) error {
	var parts []llm.Part
	from := len(history)
	for from > 0 && history[from-1].Role == llm.ToolRole {
		from--
	}
	for _, m := range history[from:] {
		for _, p := range m.Content {
			if p.MIME != "" {
				parts = append(parts, llm.Part{Text: fmt.Sprintf("Picture in the result of %s:", m.CallID)}, p)
			}
		}
	}
	if parts == nil {
		return nil
	}
	e.raw(`,{"role":"user","content":`)
	if err := e.content(parts); err != nil {
		return err
	}
	e.raw("}")
	return nil
}
