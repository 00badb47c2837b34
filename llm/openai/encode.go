package openai

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"maps"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/wire"
)

// Encode writes the body of a Chat Completions request.
func (a *Chat) Encode(req *llm.Request) ([]byte, error) {
	e := newEncoder(a.opt.Dialect, req, &a.written)
	if err := e.request(req); err != nil {
		return nil, err
	}
	return e.b, nil
}

// newEncoder makes room for a whole request at once.
func newEncoder(dialect Dialect, req *llm.Request, history *wire.Written) *encoder {
	size := len(req.System) + 1024
	for _, t := range req.Tools {
		size += len(t.Description) + len(t.Parameters) + 128
	}
	for i := range req.Messages {
		size += messageSize(&req.Messages[i])
	}
	return &encoder{b: make([]byte, 0, size+size/16), dialect: dialect, quirks: req.Params.Quirks, history: history}
}

func messageSize(m *llm.Message) int {
	n := 80
	for _, p := range m.Content {
		n += len(p.Text) + base64.StdEncoding.EncodedLen(len(p.Bytes)) + 64
	}
	for _, c := range m.Calls {
		n += len(c.Arguments) + len(c.Name) + len(c.ID) + 96
	}
	for _, r := range m.Reasoning {
		n += len(r.Text) + len(r.Opaque)
	}
	return n
}

type encoder struct {
	b       []byte
	dialect Dialect
	quirks  llm.Quirks
	history *wire.Written
}

func (e *encoder) raw(s string) { e.b = append(e.b, s...) }
func (e *encoder) str(s string) { e.b = wire.AppendString(e.b, s) }

// written lists the members that the encoder writes itself, whatever the options say.
func written() []string {
	return []string{"model", "stream", "tools", "messages", "input", "instructions"}
}

func (e *encoder) request(req *llm.Request) error {
	e.raw(`{"model":`)
	e.str(req.Model)
	e.raw(`,"stream":true`)
	if err := e.options(req.Params); err != nil {
		return err
	}
	if len(req.Tools) > 0 && !e.quirks.NoTools {
		if err := e.tools(req.Tools); err != nil {
			return err
		}
	}
	return e.messages(req.System, req.Messages)
}

func (e *encoder) options(p llm.Params) error {
	fields := wire.Options(p, cmp.Or(e.quirks.CapField, e.dialect.MaxTokens, "max_tokens"))
	if !e.quirks.NoUsage {
		fields["stream_options"] = map[string]any{"include_usage": true}
	}
	if e.dialect.Progress {
		fields["return_progress"] = true
	}
	if !e.quirks.NoEffort {
		maps.Copy(fields, effort(e.dialect.Effort, p.Effort))
	}
	var err error
	e.b, err = wire.AppendFields(e.b, fields, p.Extra, written()...)
	return err
}

func (e *encoder) tools(list []llm.ToolSchema) error {
	e.raw(`,"tools":[`)
	for i, t := range list {
		if i > 0 {
			e.raw(",")
		}
		e.raw(`{"type":"function","function":{`)
		if err := e.tool(t); err != nil {
			return err
		}
		e.raw("}}")
	}
	e.raw("]")
	return nil
}

// tool writes the members that describe a tool.
func (e *encoder) tool(t llm.ToolSchema) error {
	parameters, err := wire.Parameters(t, e.quirks)
	if err != nil {
		return err
	}
	e.raw(`"name":`)
	e.str(t.Name)
	e.raw(`,"description":`)
	e.str(t.Description)
	e.raw(`,"parameters":`)
	e.b = append(e.b, parameters...)
	return nil
}

func (e *encoder) messages(system string, list []llm.Message) error {
	e.raw(`,"messages":[`)
	if system != "" {
		e.raw(`{"role":"system","content":`)
		e.str(system)
		e.raw("},")
	}
	if err := e.groups(list, e.group); err != nil {
		return err
	}
	e.raw("]}")
	return nil
}

// groups hands the history on in groups: the results of a step, the messages that
// must be one, otherwise one by one. What is written ends in a comma, which is
// taken off the last one.
func (e *encoder) groups(list []llm.Message, write func([]llm.Message) error) error {
	var err error
	e.b, err = e.history.Write(e.b, e.quirks, list, func(b []byte, rest []llm.Message) ([]byte, int, error) {
		end := 1
		for end < len(rest) && rest[end].Role == rest[0].Role && (e.quirks.Alternate || rest[0].Role == llm.ToolRole) {
			end++
		}
		group := rest[:end]
		if e.quirks.NoTools {
			group = asText(group)
		}
		e.b = b
		err := write(group)
		return e.b, end, err
	})
	e.b = bytes.TrimSuffix(e.b, []byte(","))
	return err
}

// group writes messages of one role: the results of a step, or what an endpoint
// that wants roles to alternate must get as one.
func (e *encoder) group(list []llm.Message) error {
	switch list[0].Role {
	case llm.Assistant:
		e.assistant(joined(list))
		e.raw(",")
		return nil
	case llm.ToolRole:
		return e.results(list)
	}
	return e.user(joined(list).Content)
}

// asText tells of calls and results in words, for a model that knows neither.
func asText(list []llm.Message) []llm.Message {
	out := make([]llm.Message, len(list))
	for i, m := range list {
		out[i] = m
		text := llm.Plain(m.Content)
		switch {
		case m.Role == llm.ToolRole:
			out[i].Role = llm.User
			text = "[result of " + m.CallID + "]\n" + text
		case len(m.Calls) == 0:
			continue
		}
		for _, c := range m.Calls {
			text += "\n[" + c.ID + ": called " + c.Name + " " + c.Arguments + "]"
		}
		out[i].Content, out[i].Calls = llm.Text(strings.TrimPrefix(text, "\n")), nil
	}
	return out
}

// joined makes one message of several, with a blank line between their texts.
func joined(list []llm.Message) *llm.Message {
	if len(list) == 1 {
		return &list[0]
	}
	m := llm.Message{Role: list[0].Role}
	for _, x := range list {
		for _, p := range x.Content {
			if last := len(m.Content) - 1; last >= 0 && m.Content[last].MIME == "" && p.MIME == "" {
				m.Content[last].Text += "\n\n" + p.Text
			} else {
				m.Content = append(m.Content, p)
			}
		}
		m.Reasoning = append(m.Reasoning, x.Reasoning...)
		m.Calls = append(m.Calls, x.Calls...)
	}
	return &m
}

func (e *encoder) user(content []llm.Part) error {
	e.raw(`{"role":"user","content":`)
	if err := e.content(content); err != nil {
		return err
	}
	e.raw("},")
	return nil
}

// results writes the results of a step. A result of this format is text only, so
// its pictures follow as a message of the user's side.
func (e *encoder) results(list []llm.Message) error {
	var pictures []llm.Part
	for _, m := range list {
		e.raw(`{"role":"tool","tool_call_id":`)
		e.str(m.CallID)
		e.raw(`,"content":`)
		e.str(llm.Plain(m.Content))
		e.raw("},")
		for _, p := range m.Content {
			if p.MIME != "" {
				pictures = append(pictures, llm.Part{Text: "Picture in the result of " + m.CallID + ":"}, p)
			}
		}
	}
	if pictures == nil {
		return nil
	}
	return e.user(pictures)
}

func (e *encoder) assistant(m *llm.Message) {
	e.raw(`{"role":"assistant","content":`)
	text := llm.Plain(m.Content)
	if text == "" && !e.dialect.EmptyContent {
		e.raw("null")
	} else {
		e.str(text)
	}
	e.thinking(m)
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
			e.raw("}")
			if c.Extra != "" && e.dialect.CallExtra {
				e.raw(`,"extra_content":` + c.Extra)
			}
			e.raw("}")
		}
		e.raw("]")
	}
	e.raw("}")
}

// thinking sends a reply's thinking back where the endpoint wants it. One that
// refuses replies without it gets the field even where there was none.
func (e *encoder) thinking(m *llm.Message) {
	demanded := e.quirks.Thinking == llm.ThinkingBack && len(m.Calls) > 0
	wanted := e.dialect.Thinking == ThinkingAll || e.dialect.Thinking == ThinkingCalls && len(m.Calls) > 0
	if e.quirks.Thinking == llm.ThinkingLeave || !wanted && !demanded {
		return
	}
	field, text := llm.FieldReasoningContent, ""
	for _, r := range m.Reasoning {
		if r.Field == fieldDetails && e.dialect.Thinking == ThinkingAll {
			e.raw(`,"reasoning_details":`)
			e.b = append(e.b, r.Opaque...)
			return
		}
		if r.Field == llm.FieldReasoning {
			field = llm.FieldReasoning
		}
		text += r.Text
	}
	if text == "" && !demanded {
		return
	}
	if demanded {
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
