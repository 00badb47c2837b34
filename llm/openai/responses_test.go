package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/llm/openai"

	"github.com/google/go-cmp/cmp"
)

func ev(data string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
	return "event: " + kind + "\ndata: " + data + "\n\n"
}

const (
	created   = `{"type":"response.created","response":{"id":"r","status":"in_progress","output":[],"usage":null,"error":null}}`
	completed = `{"type":"response.completed","response":{"id":"r","status":"completed","output":[],"error":null,"incomplete_details":null,"usage":{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":8},"output_tokens_details":{"reasoning_tokens":3}}}}`
)

func TestResponsesStreamsAreRead(t *testing.T) {
	counted := llm.Usage{Input: 10, Output: 5, Cached: 8, Reasoning: 3}
	callAdded := `{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read","arguments":""}}`
	callDone := `{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"a\"}"}}`
	for _, c := range []struct {
		name string
		body string
		want reply
	}{
		{"text", ev(created) + ev(`{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","content":[]}}`) +
			ev(`{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}`) + ev(`{"type":"response.output_text.delta","output_index":0,"delta":"lo"}`) +
			ev(`{"type":"response.output_text.done","output_index":0,"text":"Hello"}`) + ev(`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}}`) + ev(completed),
			reply{Text: "Hello", Finish: llm.FinishStop, Usage: counted}},
		{"a call in pieces", ev(created) + ev(callAdded) + ev(`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"path\":"}`) + ev(`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"\"a\"}"}`) +
			ev(`{"type":"response.function_call_arguments.done","output_index":1,"arguments":"{\"path\":\"a\"}"}`) + ev(callDone) + ev(completed),
			reply{Calls: []string{`read {"path":"a"}`}, Finish: llm.FinishCalls, Usage: counted}},
		{"a call at its end", ev(created) + ev(callDone) + ev(completed), reply{Calls: []string{`read {"path":"a"}`}, Finish: llm.FinishCalls, Usage: counted}},
		{"a summary in parts", ev(created) + ev(`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"a"}`) + ev(`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"b"}`) +
			ev(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"xyz"}}`) +
			ev(`{"type":"response.output_text.delta","output_index":1,"delta":"ok"}`) + ev(completed), reply{Reasoning: "a\n\nb", Text: "ok", Finish: llm.FinishStop, Usage: counted}},
		{"open thinking", ev(`{"type":"response.reasoning_text.delta","output_index":0,"delta":"hm"}`) + ev(`{"type":"response.output_text.delta","output_index":1,"delta":"ok"}`) + ev(completed), reply{Reasoning: "hm", Text: "ok", Finish: llm.FinishStop, Usage: counted}},
		{"cut", ev(`{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}`) + ev(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), reply{Text: "Hel", Finish: llm.FinishLength}},
		{"not streamed", `{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":2}}`,
			reply{Text: "hi", Calls: []string{"read {}"}, Finish: llm.FinishCalls, Usage: llm.Usage{Input: 1, Output: 2, Cached: -1, Reasoning: -1}}},
		{"failed", ev(`{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}`) + ev(`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}}`), reply{Text: "Hel", Code: llm.CodeRateLimit}},
		{"an error event", ev(`{"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}`), reply{Code: llm.CodeOverflow}},
		{"an end in the middle", ev(created) + ev(`{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}`), reply{Text: "Hel", Code: llm.CodeStreamCut}},
		{"nothing said", ev(created) + ev(completed), reply{Code: llm.CodeEmpty}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.Usage == (llm.Usage{}) {
				c.want.Usage = uncounted
			}
			for _, n := range []int{1, 5, 1 << 20} {
				got, _ := readBy(t, openai.NewResponses(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: &peer{body: c.body, n: n}}}))
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatalf("in pieces of %d bytes (-want +got):\n%s", n, diff)
				}
			}
		})
	}
}

func TestAResponsesRequestIsCanonicalWithTheInputLast(t *testing.T) {
	sealed := json.RawMessage(`{"type":"reasoning","summary":[],"encrypted_content":"xyz"}`)
	req := &llm.Request{Model: "m", System: "be good", Tools: []llm.ToolSchema{{Name: "read", Description: "reads", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.User, Content: []llm.Part{{Text: "hi"}, {MIME: "image/png", Bytes: []byte("png")}}},
			{Role: llm.Assistant, Content: llm.Text("ok"), Reasoning: []llm.Reasoning{{Text: "a", Field: "reasoning_summary"}, {Field: "reasoning_item", Opaque: sealed}}, Calls: []llm.Call{{ID: "c1", Name: "read", Arguments: "{}"}}},
			{Role: llm.ToolRole, CallID: "c1", Content: llm.Text("x")},
		}, Params: llm.Params{MaxTokens: 9, Effort: "high"}}
	a := openai.NewResponses(openai.Options{Dialect: openai.Dialects("openai")})
	got, err := a.Encode(req)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":9,"reasoning":{"effort":"high","summary":"auto"},"instructions":"be good",` +
		`"tools":[{"type":"function","name":"read","description":"reads","parameters":{"type":"object"},"strict":false}],` +
		`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","image_url":"data:image/png;base64,cG5n"}]},` +
		`{"type":"reasoning","summary":[],"encrypted_content":"xyz"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]},` +
		`{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"x"}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	req.Params.Quirks = llm.Quirks{Thinking: llm.ThinkingLeave, NoEffort: true}
	got, err = a.Encode(req)
	if err != nil || strings.Contains(string(got), "reasoning") {
		t.Errorf("%v: %s", err, got)
	}
}

func TestSealedThinkingGoesBackWithoutItsID(t *testing.T) {
	body := ev(`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","summary":[{"type":"summary_text","text":"a\"b"}],"encrypted_content":"xyz"}}`) +
		ev(`{"type":"response.output_text.delta","output_index":1,"delta":"ok"}`) + ev(completed)
	a := openai.NewResponses(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: &peer{body: body, n: 100}}})
	m, _, _, err := collect(a, t, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Reasoning{{Text: `a"b`, Field: "reasoning_summary"}, {Field: "reasoning_item", Opaque: json.RawMessage(`{"type":"reasoning","summary":[{"type":"summary_text","text":"a\"b"}],"encrypted_content":"xyz"}`)}}
	if diff := cmp.Diff(want, m.Reasoning); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzResponsesStream(f *testing.F) {
	f.Add(ev(created)+ev(completed), 3)
	f.Add(`data: {"type":"response.output_item.done","item":{"type":"function_call","arguments":{}}}`+"\n\n", 5)
	f.Add(`{"object":"response","output":[{"type":"reasoning","summary":[{}],"content":[{}]}]}`, 9)
	f.Fuzz(func(t *testing.T, body string, n int) {
		got, e := readBy(t, openai.NewResponses(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: &peer{body: body, n: n}}}))
		if (got.Finish == "") == (e == nil) {
			t.Errorf("finish %q with error %v", got.Finish, e)
		}
	})
}
