package openai

import (
	"encoding/base64"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/wire"
)

// Encode writes the body of a Responses request, with the input last.
func (a *Responses) Encode(req *llm.Request) ([]byte, error) {
	e := newEncoder(a.opt.Dialect, req, &a.written)
	e.raw(`{"model":`)
	e.str(req.Model)
	e.raw(`,"stream":true,"store":false`)
	fields := wire.Options(req.Params, "max_output_tokens")
	if !e.quirks.NoEffort && e.dialect.Effort != EffortNone {
		fields["include"] = []string{"reasoning.encrypted_content"}
		if req.Params.Effort != "" {
			fields["reasoning"] = map[string]any{"effort": req.Params.Effort, "summary": "auto"}
		}
	}
	var err error
	if e.b, err = wire.AppendFields(e.b, fields, req.Params.Extra, append(written(), "store")...); err != nil {
		return nil, err
	}
	if req.System != "" {
		e.raw(`,"instructions":`)
		e.str(req.System)
	}
	if len(req.Tools) > 0 && !e.quirks.NoTools {
		e.raw(`,"tools":[`)
		for i, t := range req.Tools {
			if i > 0 {
				e.raw(",")
			}
			e.raw(`{"type":"function",`)
			if err := e.tool(t); err != nil {
				return nil, err
			}
			e.raw(`,"strict":false}`)
		}
		e.raw("]")
	}
	e.raw(`,"input":[`)
	if err := e.groups(req.Messages, e.itemGroup); err != nil {
		return nil, err
	}
	e.raw("]}")
	return e.b, nil
}

// itemGroup writes messages of one role as items.
func (e *encoder) itemGroup(list []llm.Message) error {
	for i := range list {
		m := &list[i]
		switch m.Role {
		case llm.Assistant:
			e.assistantItems(m)
		case llm.ToolRole:
			e.raw(`{"type":"function_call_output","call_id":`)
			e.str(m.CallID)
			e.raw(`,"output":`)
			if err := e.itemContent(m.Content); err != nil {
				return err
			}
			e.raw("},")
		default:
			e.raw(`{"type":"message","role":"user","content":`)
			if err := e.itemContent(m.Content); err != nil {
				return err
			}
			e.raw("},")
		}
	}
	return nil
}

func (e *encoder) assistantItems(m *llm.Message) {
	if e.quirks.Thinking != llm.ThinkingLeave {
		for _, r := range m.Reasoning {
			if r.Field == fieldItem {
				e.b = append(e.b, r.Opaque...)
				e.raw(",")
			}
		}
	}
	if text := llm.Plain(m.Content); text != "" {
		e.raw(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":`)
		e.str(text)
		e.raw("}]},")
	}
	for _, c := range m.Calls {
		e.raw(`{"type":"function_call","call_id":`)
		e.str(c.ID)
		e.raw(`,"name":`)
		e.str(c.Name)
		e.raw(`,"arguments":`)
		e.str(c.Arguments)
		e.raw("},")
	}
}

func (e *encoder) itemContent(parts []llm.Part) error {
	if len(parts) == 1 && parts[0].MIME == "" {
		e.str(parts[0].Text)
		return nil
	}
	e.raw("[")
	for i, p := range parts {
		if i > 0 {
			e.raw(",")
		}
		if p.MIME == "" {
			e.raw(`{"type":"input_text","text":`)
			e.str(p.Text)
			e.raw("}")
			continue
		}
		if len(p.Bytes) == 0 {
			return fault.New(fault.Internal, "openai.encode", "the bytes of picture %s were not loaded", p.Blob)
		}
		e.raw(`{"type":"input_image","image_url":"data:` + p.MIME + `;base64,`)
		e.b = base64.StdEncoding.AppendEncode(e.b, p.Bytes)
		e.raw(`"}`)
	}
	e.raw("]")
	return nil
}
