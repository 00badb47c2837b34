package anthropic

import (
	"bytes"
	"encoding/base64"
	"maps"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/wire"
)

// standardCap bounds a reply where nobody did: the format demands a bound.
const standardCap = 32000

// Encode writes the body of a request: options, tools, system prompt, messages, in
// the order in which the provider reads them.
func (a *Messages) Encode(req *llm.Request) ([]byte, error) {
	e := &encoder{quirks: req.Params.Quirks}
	p := req.Params
	if p.MaxTokens <= 0 {
		p.MaxTokens = standardCap
	}
	fields := wire.Options(p, "max_tokens")
	if a.opt.CachePrompt {
		fields["cache_control"] = map[string]any{"type": "ephemeral"}
	}
	if !e.quirks.NoEffort {
		maps.Copy(fields, effort(req.Model, p.Effort, fields["max_tokens"].(int)))
	}
	e.raw(`{"model":`)
	e.str(req.Model)
	e.raw(`,"stream":true`)
	var err error
	if e.b, err = wire.AppendFields(e.b, fields, p.Extra, "model", "stream", "tools", "system", "messages"); err != nil {
		return nil, err
	}
	if err := e.tools(req.Tools); err != nil {
		return nil, err
	}
	if req.System != "" {
		e.raw(`,"system":`)
		e.str(req.System)
	}
	e.raw(`,"messages":[`)
	e.b, err = a.written.Write(e.b, e.quirks, req.Messages, func(b []byte, rest []llm.Message) ([]byte, int, error) {
		end := 1
		for end < len(rest) && rest[end].Role == llm.ToolRole && rest[0].Role == llm.ToolRole {
			end++
		}
		e.b = b
		err := e.message(rest[:end])
		return e.b, end, err
	})
	if err != nil {
		return nil, err
	}
	e.trim()
	e.raw("]}")
	return e.b, nil
}

type encoder struct {
	b      []byte
	quirks llm.Quirks
}

func (e *encoder) raw(s string) { e.b = append(e.b, s...) }
func (e *encoder) str(s string) { e.b = wire.AppendString(e.b, s) }
func (e *encoder) trim()        { e.b = bytes.TrimSuffix(e.b, []byte(",")) }

// effort gives the fields that ask for a level of thinking. Models before the
// generation that decides by itself how long it thinks get a budget of tokens.
func effort(model, level string, limit int) map[string]any {
	if level == "" || level == "none" {
		return nil
	}
	if !budgeted(model) {
		return map[string]any{
			"thinking":      map[string]any{"type": "adaptive", "display": "summarized"},
			"output_config": map[string]any{"effort": level},
		}
	}
	budget := map[string]int{"low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768}[level]
	if budget = min(budget, limit/2); budget < 1024 {
		return nil // the least that the format takes
	}
	return map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": budget}}
}

func budgeted(model string) bool {
	for _, old := range []string{"claude-3", "-4-0", "-4-1", "-4-5", "-4-2025"} {
		if strings.Contains(model, old) {
			return true
		}
	}
	return false
}

func (e *encoder) tools(list []llm.ToolSchema) error {
	if len(list) == 0 || e.quirks.NoTools {
		return nil
	}
	e.raw(`,"tools":[`)
	for _, t := range list {
		parameters, err := wire.Parameters(t, e.quirks)
		if err != nil {
			return err
		}
		e.raw(`{"name":`)
		e.str(t.Name)
		e.raw(`,"description":`)
		e.str(t.Description)
		e.raw(`,"input_schema":`)
		e.b = append(e.b, parameters...)
		e.raw("},")
	}
	e.trim()
	e.raw("]")
	return nil
}

// message writes one message, or all results of a step, which must stand in one.
func (e *encoder) message(list []llm.Message) error {
	m := &list[0]
	if m.Role == llm.Assistant {
		e.raw(`{"role":"assistant","content":[`)
		e.assistant(m)
	} else {
		e.raw(`{"role":"user","content":[`)
		for i := range list {
			if err := e.said(&list[i]); err != nil {
				return err
			}
		}
	}
	e.trim()
	e.raw("]},")
	return nil
}

func (e *encoder) assistant(m *llm.Message) {
	if e.quirks.Thinking != llm.ThinkingLeave {
		for _, r := range m.Reasoning {
			switch {
			case r.Field == fieldRedacted:
				e.raw(`{"type":"redacted_thinking","data":`)
				e.b = append(e.b, r.Opaque...)
				e.raw("},")
			case r.Field == llm.FieldThinking && r.Signature != "":
				e.raw(`{"type":"thinking","thinking":`)
				e.str(r.Text)
				e.raw(`,"signature":`)
				e.str(r.Signature)
				e.raw("},")
			}
		}
	}
	for _, p := range m.Content {
		e.text(p.Text)
	}
	for _, c := range m.Calls {
		if e.quirks.NoTools {
			e.text("[" + c.ID + ": called " + c.Name + " " + c.Arguments + "]")
			continue
		}
		e.raw(`{"type":"tool_use","id":`)
		e.str(c.ID)
		e.raw(`,"name":`)
		e.str(c.Name)
		e.raw(`,"input":`)
		e.raw(c.Arguments)
		e.raw("},")
	}
}

// said writes what the user's side says in one message: content or a result.
func (e *encoder) said(m *llm.Message) error {
	if m.Role != llm.ToolRole {
		return e.parts(m.Content)
	}
	if e.quirks.NoTools {
		e.text("[result of " + m.CallID + "]")
		return e.parts(m.Content)
	}
	e.raw(`{"type":"tool_result","tool_use_id":`)
	e.str(m.CallID)
	if m.Failed {
		e.raw(`,"is_error":true`)
	}
	e.raw(`,"content":[`)
	if err := e.parts(m.Content); err != nil {
		return err
	}
	e.trim()
	e.raw("]},")
	return nil
}

func (e *encoder) parts(list []llm.Part) error {
	for _, p := range list {
		if p.MIME == "" {
			e.text(p.Text)
			continue
		}
		if len(p.Bytes) == 0 {
			return fault.New(fault.Internal, "anthropic.encode", "the bytes of picture %s were not loaded", p.Blob)
		}
		e.raw(`{"type":"image","source":{"type":"base64","media_type":`)
		e.str(p.MIME)
		e.raw(`,"data":"`)
		e.b = base64.StdEncoding.AppendEncode(e.b, p.Bytes)
		e.raw(`"}},`)
	}
	return nil
}

func (e *encoder) text(s string) {
	e.raw(`{"type":"text","text":`)
	e.str(s)
	e.raw("},")
}
