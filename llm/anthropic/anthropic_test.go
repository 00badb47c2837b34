package anthropic_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"fairlead/llm"
	"fairlead/llm/anthropic"

	"github.com/google/go-cmp/cmp"
)

// peer answers every request with one canned body, read byte by byte where it is
// asked to.
type peer struct {
	status int
	body   string
	slow   bool
	asked  *http.Request
	sent   string
}

func (p *peer) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asked = r
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		p.sent = string(b)
	}
	var body io.Reader = strings.NewReader(p.body)
	if p.slow {
		body = iotest.OneByteReader(body)
	}
	return &http.Response{StatusCode: max(p.status, 200), Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
}

func adapter(p *peer) *anthropic.Messages {
	return anthropic.New(anthropic.Options{BaseURL: "http://peer/v1/", Client: &http.Client{Transport: p}, Key: func() string { return "canary-12345678" }})
}

func ev(data string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
	return "event: " + kind + "\ndata: " + data + "\n\n"
}

const (
	start = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func ended(reason string) string {
	return ev(`{"type":"message_delta","delta":{"stop_reason":"`+reason+`"},"usage":{"output_tokens":12}}`) + ev(stop)
}

func blockOf(index, start string, deltas ...string) string {
	s := ev(`{"type":"content_block_start","index":` + index + `,"content_block":` + start + `}`)
	for _, d := range deltas {
		s += ev(`{"type":"content_block_delta","index":` + index + `,"delta":` + d + `}`)
	}
	return s + ev(`{"type":"content_block_stop","index":`+index+`}`)
}

func TestMessagesStreamsAreRead(t *testing.T) {
	usage := llm.Usage{Input: 100, Cached: 90, Output: 12, Reasoning: -1, Written: 5}
	unknown := llm.Usage{Input: -1, Cached: -1, Output: -1, Reasoning: -1}
	text := blockOf("0", `{"type":"text","text":""}`, `{"type":"text_delta","text":"Hel"}`, `{"type":"text_delta","text":"lo"}`)
	message := func(m llm.Message) llm.Message { m.Role = llm.Assistant; return m }
	for _, c := range []struct {
		name   string
		body   string
		want   llm.Message
		usage  llm.Usage
		finish llm.FinishReason
		code   llm.Code
	}{
		{"text", ev(start) + ev(`{"type":"ping"}`) + text + ended("end_turn"), message(llm.Message{Content: llm.Text("Hello")}), usage, llm.FinishStop, ""},
		{"signed thinking, text and calls", ev(start) +
			blockOf("0", `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"h"}`, `{"type":"thinking_delta","thinking":"m"}`, `{"type":"signature_delta","signature":"sig"}`) +
			blockOf("1", `{"type":"redacted_thinking","data":"xyz"}`) +
			blockOf("2", `{"type":"text","text":""}`, `{"type":"text_delta","text":"ok"}`) +
			blockOf("3", `{"type":"tool_use","id":"t1","name":"read","input":{}}`, `{"type":"input_json_delta","partial_json":""}`, `{"type":"input_json_delta","partial_json":"{\"path\":"}`, `{"type":"input_json_delta","partial_json":"\"a\"}"}`) +
			blockOf("4", `{"type":"tool_use","id":"t2","name":"list","input":{}}`) + ended("tool_use"),
			message(llm.Message{Content: llm.Text("ok"), Reasoning: []llm.Reasoning{{Text: "hm", Field: "thinking", Signature: "sig"}, {Field: "redacted_thinking", Opaque: json.RawMessage(`"xyz"`)}},
				Calls: []llm.Call{{ID: "t1", Name: "read", Arguments: `{"path":"a"}`}, {ID: "t2", Name: "list"}}}), usage, llm.FinishCalls, ""},
		{"input in the block", ev(start) + blockOf("0", `{"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}}`) + ended("tool_use"),
			message(llm.Message{Calls: []llm.Call{{ID: "t1", Name: "read", Arguments: `{"path":"a"}`}}}), usage, llm.FinishCalls, ""},
		{"input in the block and in pieces", ev(start) + blockOf("0", `{"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}}`, `{"type":"input_json_delta","partial_json":"{\"path\":\"a\"}"}`) + ended("tool_use"),
			message(llm.Message{Calls: []llm.Call{{ID: "t1", Name: "read", Arguments: `{"path":"a"}`}}}), usage, llm.FinishCalls, ""},
		{"cut", ev(start) + blockOf("0", `{"type":"tool_use","id":"t1","name":"write","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"content\":\"he"}`) + ended("max_tokens"),
			message(llm.Message{Calls: []llm.Call{{ID: "t1", Name: "write", Arguments: `{"content":"he`, Cut: true}}}), usage, llm.FinishLength, ""},
		{"refused", ev(start) + text + ended("refusal"), message(llm.Message{Content: llm.Text("Hello")}), usage, llm.FinishFilter, ""},
		{"no reason", text + ev(stop), message(llm.Message{Content: llm.Text("Hello")}), unknown, llm.FinishStop, ""},
		{"an unknown event", ev(`{"type":"news"}`) + text + ev(stop), message(llm.Message{Content: llm.Text("Hello")}), unknown, llm.FinishStop, ""},
		{"not streamed", `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`,
			message(llm.Message{Content: llm.Text("ok"), Reasoning: []llm.Reasoning{{Text: "hm", Field: "thinking", Signature: "s"}}, Calls: []llm.Call{{ID: "t1", Name: "read", Arguments: `{"path":"a"}`}}}),
			llm.Usage{Input: 3, Output: 4, Reasoning: -1}, llm.FinishCalls, ""},
		{"overloaded in the middle", ev(start) + text + ev(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), message(llm.Message{Content: llm.Text("Hello")}), unknown, "", llm.CodeServer},
		{"an end in the middle", ev(start) + text, message(llm.Message{Content: llm.Text("Hello")}), unknown, "", llm.CodeStreamCut},
		{"nothing said", ev(start) + ended("end_turn"), message(llm.Message{}), unknown, "", llm.CodeEmpty},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, slow := range []bool{false, true} {
				var asm llm.Assembler
				var code llm.Code
				for chunk, err := range adapter(&peer{body: c.body, slow: slow}).Stream(t.Context(), []byte("{}")) {
					if e, ok := errors.AsType[*llm.Error](err); ok {
						code = e.Code
						break
					}
					asm.Add(chunk)
				}
				m, u, f := asm.Message()
				if diff := cmp.Diff(c.want, m); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				if u != c.usage || f != c.finish || code != c.code {
					t.Errorf("usage %+v, finish %q, code %q", u, f, code)
				}
			}
		})
	}
}

func conversation() *llm.Request {
	return &llm.Request{Model: "claude-opus-5", System: "be good", Tools: []llm.ToolSchema{{Name: "read", Description: "reads", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.User, Content: []llm.Part{{Text: "hi"}, {MIME: "image/png", Bytes: []byte("png")}}},
			{Role: llm.Assistant, Content: llm.Text("ok"), Reasoning: []llm.Reasoning{{Text: "hm", Field: "thinking", Signature: "s"}, {Text: "foreign", Field: "reasoning"}, {Field: "redacted_thinking", Opaque: json.RawMessage(`"xyz"`)}},
				Calls: []llm.Call{{ID: "c1", Name: "read", Arguments: `{"path":"a"}`}, {ID: "c2", Name: "read", Arguments: "{}"}}},
			{Role: llm.ToolRole, CallID: "c1", Content: llm.Text("x")},
			{Role: llm.ToolRole, CallID: "c2", Content: []llm.Part{{MIME: "image/png", Bytes: []byte("png")}}, Failed: true},
			{Role: llm.User, Content: llm.Text("go on")},
		}}
}

func TestAMessagesRequestIsCanonicalWithTheMessagesLast(t *testing.T) {
	req := conversation()
	req.Params = llm.Params{MaxTokens: 9000, Effort: "high", Extra: map[string]any{"top_k": 5}}
	got, err := anthropic.New(anthropic.Options{CachePrompt: true}).Encode(req)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"claude-opus-5","stream":true,"cache_control":{"type":"ephemeral"},"max_tokens":9000,"output_config":{"effort":"high"},"thinking":{"display":"summarized","type":"adaptive"},"top_k":5,` +
		`"tools":[{"name":"read","description":"reads","input_schema":{"type":"object"}}],"system":"be good",` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"xyz"},{"type":"text","text":"ok"},{"type":"tool_use","id":"c1","name":"read","input":{"path":"a"}},{"type":"tool_use","id":"c2","name":"read","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"x"}]},{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]}]},` +
		`{"role":"user","content":[{"type":"text","text":"go on"}]}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestModelsAndQuirksChangeTheRequest(t *testing.T) {
	for _, c := range []struct {
		name      string
		model     string
		params    llm.Params
		want, not []string
	}{
		{"a cap is always there", "m", llm.Params{}, []string{`"max_tokens":32000`}, []string{"thinking\":{", "cache_control"}},
		{"a budget for older models", "claude-sonnet-4-5-20250929", llm.Params{Effort: "high"}, []string{`"thinking":{"budget_tokens":16000,"type":"enabled"}`}, []string{"output_config", "adaptive"}},
		{"no room for a budget", "claude-3-7-sonnet", llm.Params{Effort: "low", MaxTokens: 1000}, nil, []string{"budget_tokens"}},
		{"learned: no effort", "m", llm.Params{Effort: "high", Quirks: llm.Quirks{NoEffort: true}}, nil, []string{"adaptive", "output_config"}},
		{"learned: the ceiling", "m", llm.Params{Quirks: llm.Quirks{OutputLimit: 8192}}, []string{`"max_tokens":8192`}, nil},
		{"learned: thinking is refused", "m", llm.Params{Quirks: llm.Quirks{Thinking: llm.ThinkingLeave}}, nil, []string{`"hm"`, "xyz"}},
		{"learned: no tools", "m", llm.Params{Quirks: llm.Quirks{NoTools: true}}, []string{"[c1: called read", "[result of c1]"}, []string{"tool_use", "tool_result", `"tools"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := conversation()
			req.Model, req.Params = c.model, c.params
			got, err := anthropic.New(anthropic.Options{}).Encode(req)
			if err != nil || !json.Valid(got) {
				t.Fatalf("%v: %s", err, got)
			}
			for _, part := range c.want {
				if !strings.Contains(string(got), part) {
					t.Errorf("%s is not in %s", part, got)
				}
			}
			for _, part := range c.not {
				if strings.Contains(string(got), part) {
					t.Errorf("%s is in %s", part, got)
				}
			}
		})
	}
}

func TestEachRequestExtendsTheOneBefore(t *testing.T) {
	a := anthropic.New(anthropic.Options{})
	req := conversation()
	all := req.Messages
	before := ""
	for _, n := range []int{1, 4, 5} {
		req.Messages = all[:n]
		got, err := a.Encode(req)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(got), strings.TrimSuffix(before, "]}")) {
			t.Errorf("with %d messages:\n%s\n%s", n, before, got)
		}
		before = string(got)
	}
}

func TestTokensAreCountedByTheEndpoint(t *testing.T) {
	p := &peer{body: `{"input_tokens":77}`}
	a := adapter(p)
	body, err := a.Encode(conversation())
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Count(t.Context(), body)
	if n != 77 || err != nil || p.asked.URL.Path != "/v1/messages/count_tokens" || strings.Contains(p.sent, "max_tokens") || !strings.Contains(p.sent, `"system":"be good"`) {
		t.Errorf("%d, %v, %s %s", n, err, p.asked.URL, p.sent)
	}
	if _, err := adapter(&peer{status: 404, body: "not found"}).Count(t.Context(), body); err == nil {
		t.Error("an endpoint that cannot count gave a count")
	}
}

func TestTheKeyGoesIntoItsHeaderAndNowhereElse(t *testing.T) {
	p := &peer{status: 401, body: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key canary-12345678"}}`}
	for _, err := range adapter(p).Stream(t.Context(), []byte("{}")) {
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || e.Code != llm.CodeAuth || e.Message != "invalid x-api-key (key)" {
			t.Errorf("%v", err)
		}
	}
	if h := p.asked.Header; h.Get("X-Api-Key") != "canary-12345678" || h.Get("Anthropic-Version") == "" || h.Get("Authorization") != "" {
		t.Errorf("%v", h)
	}
}

func FuzzStream(f *testing.F) {
	f.Add(ev(start) + blockOf("0", `{"type":"tool_use","id":"t","name":"n","input":{"a":1}}`) + ended("tool_use"))
	f.Add(`{"type":"message","content":[{"type":"redacted_thinking"},{"type":"tool_use","input":"x"}]}`)
	f.Add("data: []\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		var finish llm.FinishReason
		var failed bool
		for c, err := range adapter(&peer{body: body}).Stream(t.Context(), []byte("{}")) {
			failed = failed || err != nil
			finish = c.Finish
		}
		if failed == (finish != "") {
			t.Errorf("finish %q, failed %v", finish, failed)
		}
	})
}
