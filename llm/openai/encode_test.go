package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/llm/openai"

	"github.com/google/go-cmp/cmp"
)

func encode(t *testing.T, dialect openai.Dialect, req *llm.Request) string {
	t.Helper()
	b, err := openai.New(openai.Options{Dialect: dialect}).Encode(req)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatalf("not JSON: %s", b)
	}
	return string(b)
}

func conversationOf(steps int) []llm.Message {
	list := []llm.Message{{Role: llm.User, Content: llm.Text("hi\n\"you\"\t\x01 <&> é😀")}}
	for i := range steps {
		id := fmt.Sprintf("c%d", i)
		list = append(list,
			llm.Message{Role: llm.Assistant, Content: llm.Text("look"), Reasoning: []llm.Reasoning{{Text: "hm", Field: llm.FieldReasoning}}, Calls: []llm.Call{{ID: id, Name: "read", Arguments: `{"path":"a"}`}}},
			llm.Message{Role: llm.ToolRole, CallID: id, Content: llm.Text("text")})
	}
	return list
}

func TestARequestIsCanonicalWithTheMessagesLast(t *testing.T) {
	zero := 0.0
	got := encode(t, openai.Dialect{}, &llm.Request{
		Model: "m", System: "be good", Messages: conversationOf(1),
		Tools:  []llm.ToolSchema{{Name: "read", Description: "reads", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "list"}},
		Params: llm.Params{MaxTokens: 100, Temperature: &zero, Extra: map[string]any{"top_k": 5, "cache_prompt": true, "messages": "no"}},
	})
	want := `{"model":"m","stream":true,"cache_prompt":true,"max_tokens":100,"stream_options":{"include_usage":true},"temperature":0,"top_k":5,` +
		`"tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object"}}},{"type":"function","function":{"name":"list","description":"","parameters":{"type":"object","properties":{}}}}],` +
		`"messages":[{"role":"system","content":"be good"},{"role":"user","content":"hi\n\"you\"\t\u0001 <&> é😀"},` +
		`{"role":"assistant","content":"look","tool_calls":[{"id":"c0","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},` +
		`{"role":"tool","tool_call_id":"c0","content":"text"}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDialectsAndQuirks(t *testing.T) {
	calling := func(thought string) llm.Message {
		m := llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c", Name: "read", Arguments: "{}"}}}
		if thought != "" {
			m.Reasoning = []llm.Reasoning{{Text: thought, Field: llm.FieldReasoningContent}}
		}
		return m
	}
	answer := llm.Message{Role: llm.Assistant, Content: llm.Text("ok"), Reasoning: []llm.Reasoning{{Text: "hm", Field: llm.FieldReasoning}}}
	result := llm.Message{Role: llm.ToolRole, CallID: "c", Content: []llm.Part{{Text: "see"}, {MIME: "image/png", Bytes: []byte("png")}}}
	user := func(s string) llm.Message { return llm.Message{Role: llm.User, Content: llm.Text(s)} }
	schema := []llm.ToolSchema{{Name: "read", Parameters: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string","maxLength":65536,"enum":["a"]}},"required":["pattern"]}`)}}
	call := `"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]}`
	for _, c := range []struct {
		name    string
		dialect string
		req     llm.Request
		want    []string // parts of the body
		not     []string
	}{
		{"openai names its cap and its effort", "openai", llm.Request{Params: llm.Params{MaxTokens: 5, Effort: "xhigh"}}, []string{`"max_completion_tokens":5`, `"reasoning_effort":"xhigh"`}, []string{`"max_tokens"`}},
		{"plain servers have no effort", "", llm.Request{Params: llm.Params{Effort: "high"}}, nil, []string{"effort", "think"}},
		{"openrouter's effort", "openrouter", llm.Request{Params: llm.Params{Effort: "low"}}, []string{`"reasoning":{"effort":"low"}`}, nil},
		{"deepseek's effort", "deepseek", llm.Request{Params: llm.Params{Effort: "xhigh"}}, []string{`"reasoning_effort":"max"`, `"thinking":{"type":"enabled"}`}, nil},
		{"deepseek without thinking", "deepseek", llm.Request{Params: llm.Params{Effort: "none"}}, []string{`"thinking":{"type":"disabled"}`}, []string{"reasoning_effort"}},
		{"local templates", "llama.cpp", llm.Request{Params: llm.Params{Effort: "xhigh"}}, []string{`"chat_template_kwargs":{"enable_thinking":true,"reasoning_effort":"high","thinking":true}`}, nil},
		{"the person's fields win", "llama.cpp", llm.Request{Params: llm.Params{Effort: "low", Extra: map[string]any{"chat_template_kwargs": map[string]any{"x": 1}}}}, []string{`"chat_template_kwargs":{"x":1}`}, []string{"enable_thinking"}},
		{"the person's cap wins", "", llm.Request{Params: llm.Params{MaxTokens: 5, Extra: map[string]any{"max_tokens": 7}}}, []string{`"max_tokens":7`}, []string{`"max_tokens":5`}},
		{"thinking goes back with calls", "deepseek", llm.Request{Messages: []llm.Message{calling("r"), result, answer}}, []string{`"content":null,"reasoning_content":"r",` + call}, []string{`"hm"`}},
		{"thinking goes back under its name", "openrouter", llm.Request{Messages: []llm.Message{answer}}, []string{`{"role":"assistant","content":"ok","reasoning":"hm"}`}, nil},
		{"thinking stays", "", llm.Request{Messages: []llm.Message{calling("r"), result, answer}}, nil, []string{"reasoning", `"r"`, `"hm"`}},
		{"learned: thinking is demanded", "", llm.Request{Messages: []llm.Message{calling("r"), result, calling("")}, Params: llm.Params{Quirks: llm.Quirks{Thinking: llm.ThinkingBack}}}, []string{`"reasoning_content":"r"`, `"reasoning_content":""`}, nil},
		{"learned: thinking is refused", "deepseek", llm.Request{Messages: []llm.Message{calling("r")}, Params: llm.Params{Quirks: llm.Quirks{Thinking: llm.ThinkingLeave}}}, nil, []string{"reasoning_content"}},
		{"templates get text where there is none", "llama.cpp", llm.Request{Messages: []llm.Message{calling("")}}, []string{`"content":"",` + call}, nil},
		{"learned: the cap's ceiling and name", "", llm.Request{Params: llm.Params{MaxTokens: 65536, Quirks: llm.Quirks{OutputLimit: 32768, CapField: "max_completion_tokens"}}}, []string{`"max_completion_tokens":32768`}, []string{`"max_tokens"`}},
		{"learned: roles alternate", "", llm.Request{Messages: []llm.Message{user("a"), user("b"), answer, user("c")}, Params: llm.Params{Quirks: llm.Quirks{Alternate: true}}},
			[]string{`"messages":[{"role":"user","content":"a\n\nb"},{"role":"assistant","content":"ok"},{"role":"user","content":"c"}]`}, nil},
		{"learned: plain schemas", "", llm.Request{Tools: schema, Params: llm.Params{Quirks: llm.Quirks{PlainSchemas: true}}}, []string{`{"properties":{"pattern":{"enum":["a"],"type":"string"}},"required":["pattern"],"type":"object"}`}, []string{"maxLength"}},
		{"learned: no tools", "", llm.Request{Tools: schema, Messages: []llm.Message{user("a"), calling(""), {Role: llm.ToolRole, CallID: "c", Content: llm.Text("see")}}, Params: llm.Params{Quirks: llm.Quirks{NoTools: true}}},
			[]string{`{"role":"assistant","content":"[c: called read {}]"},{"role":"user","content":"[result of c]\nsee"}`}, []string{`"tools"`, `"tool"`, "tool_calls"}},
		{"learned: no usage, no effort", "openai", llm.Request{Params: llm.Params{Effort: "low", Quirks: llm.Quirks{NoUsage: true, NoEffort: true}}}, nil, []string{"stream_options", "effort"}},
		{"pictures of results follow them", "", llm.Request{Messages: []llm.Message{calling(""), result, answer}}, []string{
			`{"role":"tool","tool_call_id":"c","content":"see"},{"role":"user","content":[{"type":"text","text":"Picture in the result of c:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}]},{"role":"assistant"`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := encode(t, openai.Dialects(c.dialect), &c.req)
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("%s\nis not in\n%s", part, got)
				}
			}
			for _, part := range c.not {
				if strings.Contains(got, part) {
					t.Errorf("%s\nis in\n%s", part, got)
				}
			}
		})
	}
}

func TestEachRequestExtendsTheOneBefore(t *testing.T) {
	for _, name := range []string{"", "openai", "deepseek", "openrouter", "llama.cpp", "ollama"} {
		before := ""
		for steps := range 20 {
			got := encode(t, openai.Dialects(name), &llm.Request{Model: "m", System: "s", Messages: conversationOf(steps)})
			if !strings.HasPrefix(got, strings.TrimSuffix(before, "]}")) {
				t.Fatalf("%s, step %d:\n%s\n%s", name, steps, before, got)
			}
			before = got
		}
	}
}

func TestWhatCannotBeWrittenIsAnErrorBeforeSending(t *testing.T) {
	a := openai.New(openai.Options{})
	for name, req := range map[string]llm.Request{
		"a picture without bytes":  {Messages: []llm.Message{{Role: llm.User, Content: []llm.Part{{MIME: "image/png", Blob: "00"}}}}},
		"a field that is no JSON":  {Params: llm.Params{Extra: map[string]any{"x": func() {}}}},
		"a schema that is no JSON": {Tools: []llm.ToolSchema{{Name: "t", Parameters: json.RawMessage(`{`)}}, Params: llm.Params{Quirks: llm.Quirks{PlainSchemas: true}}},
	} {
		if b, err := a.Encode(&req); err == nil {
			t.Errorf("%s: %s", name, b)
		}
	}
}

func FuzzEncodedTextIsWhatItWas(f *testing.F) {
	f.Add("a\"\\\x00\u2028é😀\xff")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := openai.New(openai.Options{}).Encode(&llm.Request{Messages: []llm.Message{{Role: llm.User, Content: llm.Text(text)}}})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if want := string(bytes.ToValidUTF8([]byte(text), []byte("\ufffd"))); strings.ToValidUTF8(got.Messages[0].Content, "\ufffd") != want && !strings.Contains(got.Messages[0].Content, "\ufffd\ufffd") {
			t.Errorf("%q became %q", text, got.Messages[0].Content)
		}
	})
}

func TestKnownAddressesHaveTheirDialect(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1": "openai", "https://eu.api.openai.com/v1": "openai", "https://openrouter.ai/api/v1": "openrouter",
		"https://notopenrouter.ai/v1": "", "http://127.0.0.1:8080/v1": "", "%": "",
	} {
		if got := openai.DialectFor(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
