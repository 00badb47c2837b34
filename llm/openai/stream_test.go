package openai_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/llm/openai"

	"github.com/google/go-cmp/cmp"
)

// peer answers every request with one canned reply, its body in pieces of n bytes.
type peer struct {
	status int
	header http.Header
	body   string
	n      int
	after  error // what reading gives behind the body; nil is a clean end
	asked  []string
}

func (p *peer) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.asked = append(p.asked, string(sent))
	status := p.status
	if status == 0 {
		status = http.StatusOK
	}
	header := p.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(&drip{p.body, p.n, p.after}), Request: r}, nil
}

type drip struct {
	rest  string
	n     int
	after error
}

func (d *drip) Read(b []byte) (int, error) {
	if d.rest == "" {
		if d.after != nil {
			return 0, d.after
		}
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), max(d.n, 1))], d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// The notation of the cases: d is an event with a delta, tc one with calls, fin one
// with a finish word, done the end.
func d(delta string) string {
	return event(`{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`)
}
func tc(calls string) string { return d(`{"tool_calls":` + calls + `}`) }
func fin(word string) string {
	return event(`{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + word + `"}]}`)
}
func event(data string) string { return "data: " + data + "\n\n" }

const done = "data: [DONE]\n\n"

// reply is what is left of a message when the ids that servers leave out are
// taken away.
type reply struct {
	Text      string
	Reasoning string
	Calls     []string // name and arguments, "!" behind a cut one
	Finish    llm.FinishReason
	Usage     llm.Usage
	Code      llm.Code // of the failure
}

var uncounted = llm.Usage{Input: -1, Cached: -1, Output: -1, Reasoning: -1}

func read(t *testing.T, p *peer, dialect openai.Dialect) (reply, *llm.Error) {
	t.Helper()
	return readBy(t, openai.New(openai.Options{BaseURL: "http://peer/v1/", Client: &http.Client{Transport: p}, Dialect: dialect}))
}

func readBy(t *testing.T, a llm.Adapter) (reply, *llm.Error) {
	t.Helper()
	body, err := a.Encode(&llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Content: llm.Text("hi")}},
		Tools: []llm.ToolSchema{{Name: "read", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	m, usage, finish, failure := collect(a, t, body)
	got := reply{Text: llm.Plain(m.Content), Finish: finish, Usage: usage}
	for _, r := range m.Reasoning {
		got.Reasoning += r.Text
	}
	ids := map[string]bool{}
	for _, c := range m.Calls {
		if c.ID == "" || ids[c.ID] {
			t.Errorf("the id %q is empty or repeated", c.ID)
		}
		ids[c.ID] = true
		s := c.Name + " " + c.Arguments
		if c.Cut {
			s += "!"
		}
		got.Calls = append(got.Calls, s)
	}
	e, ok := errors.AsType[*llm.Error](failure)
	if failure != nil && !ok {
		t.Fatalf("the failure is %T: %v", failure, failure)
	}
	if e != nil {
		got.Code = e.Code
	}
	return got, e
}

// check reads a body in pieces of many sizes and wants the same from each.
func check(t *testing.T, body string, dialect openai.Dialect, want reply) {
	t.Helper()
	if want.Usage == (llm.Usage{}) {
		want.Usage = uncounted
	}
	for _, n := range []int{1, 2, 3, 7, 64, 1 << 20} {
		got, _ := read(t, &peer{body: body, n: n}, dialect)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in pieces of %d bytes (-want +got):\n%s", n, diff)
		}
	}
}

func TestCallsArriveWholeFromEveryServer(t *testing.T) {
	const one = `read {"path":"a.txt"}`
	both := []string{`read {"path":"a"}`, `read {"path":"b"}`}
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"well formed", tc(`[{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":""}}]`) + tc(`[{"index":0,"function":{"arguments":"{\"path\":"}}]`) + tc(`[{"index":0,"function":{"arguments":"\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"no index", d(`{"role":"assistant","tool_calls":[{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]}`) + fin("tool_calls") + done, []string{one}},
		{"no index, two in one event", tc(`[{"id":"a","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},{"id":"b","function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]`) + fin("tool_calls") + done, both},
		{"no index, two in one event, no ids", tc(`[{"function":{"name":"read","arguments":"{\"path\":\"a\"}"}},{"function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]`) + fin("tool_calls") + done, both},
		{"no index, in pieces", tc(`[{"id":"a","function":{"name":"read","arguments":"{\"path\""}}]`) + tc(`[{"function":{"arguments":":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"null everywhere", tc(`[{"index":null,"id":"a","type":null,"function":{"name":"read","arguments":null}}]`) + tc(`[{"index":null,"id":null,"function":{"name":null,"arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"empty ids behind the first", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":""}}]`) + tc(`[{"index":0,"id":"","function":{"arguments":"{\"path\":"}}]`) + tc(`[{"index":0,"id":"","function":{"name":"","arguments":"\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"id and name in every piece", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"pa"}}]`) + tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"th\":\"a.txt\""}}]`) + tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"name in every piece, no id", tc(`[{"index":0,"function":{"name":"read","arguments":"{\"pa"}}]`) + tc(`[{"index":0,"function":{"name":"read","arguments":"th\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"all claim index 0", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]`) + tc(`[{"index":0,"id":"c2","function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]`) + fin("tool_calls") + done, both},
		{"all claim index 0, without ids", tc(`[{"index":0,"function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]`) + tc(`[{"index":0,"function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]`) + fin("tool_calls") + done, both},
		{"all claim one id", tc(`[{"index":0,"id":"c","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]`) + tc(`[{"index":1,"id":"c","function":{"name":"read","arguments":"{\"path\":\"b\"}"}}]`) + fin("tool_calls") + done, both},
		{"index from 1", tc(`[{"index":1,"id":"c1","function":{"name":"read","arguments":""}}]`) + tc(`[{"index":1,"function":{"arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"index as text", tc(`[{"index":"0","id":"c1","function":{"name":"read","arguments":"{\"path\":"}}]`) + tc(`[{"index":"0","function":{"arguments":"\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"woven together", tc(`[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\""}},{"index":1,"id":"b","function":{"name":"read","arguments":"{\"pa"}}]`) + tc(`[{"index":1,"function":{"arguments":"th\":\"b\"}"}}]`) + tc(`[{"index":0,"function":{"arguments":":\"a\"}"}}]`) + fin("tool_calls") + done, both},
		{"name after the id", tc(`[{"index":0,"id":"c1"}]`) + tc(`[{"index":0,"function":{"name":"read"}}]`) + tc(`[{"index":0,"function":{"arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"id after the name", tc(`[{"index":0,"function":{"name":"read","arguments":""}}]`) + tc(`[{"index":0,"id":"c1","function":{"arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"name sent twice", tc(`[{"index":0,"id":"c1","function":{"name":"exec_command"}}]`) + tc(`[{"index":0,"function":{"name":"exec_command","arguments":"{}"}}]`) + fin("tool_calls") + done, []string{"exec_command {}"}},
		{"name in pieces", tc(`[{"index":0,"id":"c1","function":{"name":"exec_"}}]`) + tc(`[{"index":0,"function":{"name":"command"}}]`) + tc(`[{"index":0,"function":{"arguments":"{}"}}]`) + fin("tool_calls") + done, []string{"exec_command {}"}},
		{"name growing", tc(`[{"index":0,"id":"c1","function":{"name":"exec"}}]`) + tc(`[{"index":0,"function":{"name":"exec_command"}}]`) + tc(`[{"index":0,"function":{"arguments":"{}"}}]`) + fin("tool_calls") + done, []string{"exec_command {}"}},
		{"no arguments at all", tc(`[{"index":0,"id":"c1","function":{"name":"list"}}]`) + fin("tool_calls") + done, []string{"list "}},
		{"arguments as an object", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":{"path":"a.txt"}}}]`) + fin("tool_calls") + done, []string{one}},
		{"one call without a list", d(`{"tool_calls":{"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}}`) + fin("tool_calls") + done, []string{one}},
		{"without a function object", tc(`[{"index":0,"id":"c1","name":"read","arguments":"{\"path\":\"a.txt\"}"}]`) + fin("tool_calls") + done, []string{one}},
		{"numbers as ids", tc(`[{"index":0,"id":17,"function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"the old function call", d(`{"function_call":{"name":"read","arguments":"{\"path\":"}}`) + d(`{"function_call":{"arguments":"\"a.txt\"}"}}`) + fin("function_call") + done, []string{one}},
		{"not streamed", `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":{"path":"a.txt"}}}]},"finish_reason":"tool_calls"}]}`, []string{one}},
		{"whole again at the end", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]`) + tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + done, []string{one}},
		{"the word stop", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("stop") + done, []string{one}},
		{"two finish words", tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]`) + fin("tool_calls") + fin("stop") + done, []string{one}},
		{"cut, calm word", tc(`[{"index":0,"id":"c1","function":{"name":"write","arguments":"{\"path\":\"keep.txt\",\"content\":\"hel"}}]`) + fin("tool_calls") + done, []string{`write {"path":"keep.txt","content":"hel!`}},
		{"cut, the word stop", tc(`[{"index":0,"id":"c1","function":{"name":"write","arguments":"{\"path\":\"keep.txt\",\"content\":\"hel"}}]`) + fin("stop") + done, []string{`write {"path":"keep.txt","content":"hel!`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.body, openai.Dialect{}, reply{Calls: c.want, Finish: llm.FinishCalls})
		})
	}
	t.Run("cut by the output limit", func(t *testing.T) {
		check(t, tc(`[{"index":0,"id":"c1","function":{"name":"write","arguments":"{\"path\":\"keep.txt\",\"content\":\"hel"}}]`)+fin("length")+done,
			openai.Dialect{}, reply{Calls: []string{`write {"path":"keep.txt","content":"hel!`}, Finish: llm.FinishLength})
	})
	t.Run("the word length is not taken back", func(t *testing.T) {
		check(t, tc(`[{"index":0,"id":"c1","function":{"name":"read","arguments":"{}"}}]`)+fin("length")+fin("stop")+done,
			openai.Dialect{}, reply{Calls: []string{`read {}!`}, Finish: llm.FinishLength})
	})
}

func TestThinkingAnswerAndCallsAreDisjoint(t *testing.T) {
	const markup = `I could emit <tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"x\"}}</tool_call> but first…`
	xml := d(`{"content":"<tool_"}`) + d(`{"content":"call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_ca"}`) + d(`{"content":"ll>"}`) + fin("stop") + done
	for _, c := range []struct {
		name    string
		body    string
		dialect openai.Dialect
		want    reply
	}{
		{"reasoning_content", d(`{"reasoning_content":"abc"}`) + d(`{"content":"hi"}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"reasoning", d(`{"reasoning":"abc"}`) + d(`{"content":"hi"}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"both", d(`{"reasoning":"abc","reasoning_content":"abc"}`) + d(`{"content":"hi"}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"both, in turn", d(`{"reasoning":"abc"}`) + d(`{"reasoning_content":"abc"}`) + d(`{"content":"hi"}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"parts", d(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"abc"}]},{"type":"text","text":"hi"}]}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"tags split anywhere", d(`{"content":"<thi"}`) + d(`{"content":"nk>abc</th"}`) + d(`{"content":"ink>\n\nhi"}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"opened by the template", d(`{"content":"abc\n"}`) + d(`{"content":"</think>\n\nhi"}`) + fin("stop") + done, openai.Dialect{}, reply{Reasoning: "abc\n", Text: "hi", Finish: llm.FinishStop}},
		{"opened by the template, known", d(`{"content":"abc</think>hi"}`) + fin("stop") + done, openai.Dialect{OpenedThinking: true}, reply{Reasoning: "abc", Text: "hi", Finish: llm.FinishStop}},
		{"markup in the thinking", d(`{"reasoning_content":"`+markup+`"}`) + d(`{"content":"Done."}`) + fin("stop") + done, openai.Dialect{TextCalls: true},
			reply{Reasoning: `I could emit <tool_call>{"name":"read","arguments":{"path":"x"}}</tool_call> but first…`, Text: "Done.", Finish: llm.FinishStop}},
		{"a call as text, read", xml, openai.Dialect{TextCalls: true}, reply{Calls: []string{`read {"path":"a"}`}, Finish: llm.FinishCalls}},
		{"a call as text, not read", xml, openai.Dialect{}, reply{Text: `<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>`, Finish: llm.FinishStop}},
		{"only thinking", d(`{"reasoning_content":"long…"}`) + fin("stop") + event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":900}}`) + done, openai.Dialect{},
			reply{Reasoning: "long…", Finish: llm.FinishStop, Usage: llm.Usage{Input: 5, Output: 900, Cached: -1, Reasoning: -1}}},
		{"only thinking, cut", d(`{"reasoning_content":"long…"}`) + fin("length") + done, openai.Dialect{}, reply{Reasoning: "long…", Finish: llm.FinishLength}},
		{"a refusal", d(`{"refusal":"I cannot."}`) + fin("stop") + done, openai.Dialect{}, reply{Text: "I cannot.", Finish: llm.FinishStop}},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.body, c.dialect, c.want) })
	}
}

func TestWhatAProviderWantsBackGoesBackAsItCame(t *testing.T) {
	body := d(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"x"}]}`) +
		d(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0},{"type":"reasoning.encrypted","data":"s","index":1}]}`) +
		d(`{"reasoning_details":[{"type":"reasoning.text","signature":"g","index":0}]}`) +
		tc(`[{"index":0,"id":"c1","extra_content":{"google":{"thought_signature":"t"}},"function":{"name":"read","arguments":"{}"}}]`) + fin("tool_calls") + done
	a := openai.New(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: &peer{body: body, n: 9}}, Dialect: openai.Dialects("openrouter")})
	m, _, _, err := ask(t, a, "hi")
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Message{Role: llm.Assistant, Reasoning: []llm.Reasoning{{Text: "ab", Field: "reasoning"},
		{Field: "reasoning_details", Opaque: json.RawMessage(`[{"format":"x","index":0,"signature":"g","text":"ab","type":"reasoning.text"},{"data":"s","index":1,"type":"reasoning.encrypted"}]`)}},
		Calls: []llm.Call{{ID: "c1", Name: "read", Arguments: "{}", Extra: `{"google":{"thought_signature":"t"}}`}}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for dialect, part := range map[string]string{
		"openrouter": `,"reasoning_details":` + string(want.Reasoning[1].Opaque) + `,`,
		"gemini":     `"arguments":"{}"},"extra_content":{"google":{"thought_signature":"t"}}}`,
	} {
		if back := encode(t, openai.Dialects(dialect), &llm.Request{Messages: []llm.Message{m}}); !strings.Contains(back, part) {
			t.Errorf("%s: %s is not in %s", dialect, part, back)
		}
	}
	if other := encode(t, openai.Dialect{}, &llm.Request{Messages: []llm.Message{m}}); strings.Contains(other, "reasoning") || strings.Contains(other, "extra") {
		t.Errorf("a server that did not send it gets %s", other)
	}
}

func TestStreamsAreReadAsServersSendThem(t *testing.T) {
	hi := reply{Text: "hi", Finish: llm.FinishStop}
	counted := func(u llm.Usage) reply { return reply{Text: "hi", Finish: llm.FinishStop, Usage: u} }
	for _, c := range []struct {
		name string
		body string
		want reply
	}{
		{"CRLF", strings.ReplaceAll(d(`{"content":"hi"}`)+fin("stop")+done, "\n", "\r\n"), hi},
		{"bare CR", strings.ReplaceAll(d(`{"content":"hi"}`)+fin("stop")+done, "\n", "\r"), hi},
		{"no blank behind the colon", strings.ReplaceAll(d(`{"content":"hi"}`)+fin("stop")+done, "data: ", "data:"), hi},
		{"no blank lines", strings.ReplaceAll(d(`{"content":"h"}`)+d(`{"content":"i"}`)+fin("stop")+done, "\n\n", "\n"), hi},
		{"a byte order mark", "\ufeff" + d(`{"content":"hi"}`) + fin("stop") + done, hi},
		{"comments", ": OPENROUTER PROCESSING\n\n" + d(`{"content":"hi"}`) + ": still\n\n" + fin("stop") + done, hi},
		{"heartbeats as data", "data: : keepalive\n\ndata: \n\ndata\n\n" + d(`{"content":"hi"}`) + "event: ping\n\n" + fin("stop") + done, hi},
		{"ids and retry", "id: 1\nretry: 5\n" + d(`{"content":"hi"}`) + fin("stop") + done, hi},
		{"split characters", d(`{"content":"你好😀"}`) + fin("stop") + done, reply{Text: "你好😀", Finish: llm.FinishStop}},
		{"a long line", d(`{"content":"`+strings.Repeat("x", 300<<10)+`"}`) + fin("stop") + done, reply{Text: strings.Repeat("x", 300<<10), Finish: llm.FinishStop}},
		{"no end mark", d(`{"content":"hi"}`) + fin("stop"), hi},
		{"no end mark, no last line end", strings.TrimSpace(d(`{"content":"hi"}`) + fin("stop")), hi},
		{"no finish word", d(`{"content":"hi"}`) + done, hi},
		{"role and empty text first", d(`{"role":"assistant","content":""}`) + d(`{"content":null}`) + d(`{"content":"hi"}`) + fin("stop") + done, hi},
		{"finish with the last piece", event(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`) + done, hi},
		{"other choices", event(`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"hi"}}]}`) + fin("stop") + done, hi},
		{"usage by itself", d(`{"content":"hi"}`) + fin("stop") + event(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`) + done, counted(llm.Usage{Input: 10, Output: 2, Cached: -1, Reasoning: -1})},
		{"usage with the finish", event(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":1}}}`) + done, counted(llm.Usage{Input: 10, Output: 2, Cached: 8, Reasoning: 1})},
		{"usage in every event", event(`{"choices":[{"delta":{"content":"hi"}}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`) + event(`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`) + done, counted(llm.Usage{Input: 10, Output: 2, Cached: -1, Reasoning: -1})},
		{"usage inside the choice", event(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop","usage":{"prompt_tokens":10,"completion_tokens":2,"cached_tokens":4}}]}`) + done, counted(llm.Usage{Input: 10, Output: 2, Cached: 4, Reasoning: -1})},
		{"usage behind the end of DeepSeek", event(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":7}}`) + done, counted(llm.Usage{Input: 10, Output: 2, Cached: 7, Reasoning: -1})},
		{"usage null, then zero", event(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":null}`) + event(`{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`) + done, hi},
		{"timings instead of usage", event(`{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"timings":{"prompt_n":3,"cache_n":7,"predicted_n":2}}`) + done, counted(llm.Usage{Input: 10, Output: 2, Cached: 7, Reasoning: -1})},
		{"not streamed", `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`, counted(llm.Usage{Input: 10, Output: 2, Cached: -1, Reasoning: -1})},
		{"not streamed, over many lines", "{\n \"choices\": [\n  {\"message\": {\"content\": \"hi\"}}\n ]\n}\n", hi},
		{"JSON lines", `{"choices":[{"delta":{"content":"h"}}]}` + "\n" + `{"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]}` + "\n", hi},
		{"Ollama's lines", `{"model":"m","message":{"role":"assistant","content":"h"},"done":false}` + "\n" + `{"message":{"content":"i"},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":2}` + "\n", counted(llm.Usage{Input: 10, Output: 2, Cached: -1, Reasoning: -1})},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.body, openai.Dialect{}, c.want) })
	}
}

func TestAFailedStreamIsNeverAFinishedAnswer(t *testing.T) {
	for _, c := range []struct {
		name    string
		body    string
		want    reply
		message string
	}{
		{"an error object", d(`{"content":"Hel"}`) + event(`{"error":{"message":"quota exceeded"}}`) + done, reply{Text: "Hel", Code: llm.CodeQuota}, "quota exceeded"},
		{"an error as text", event(`{"error":"template failed: no user message"}`), reply{Code: llm.CodeRefused}, "template failed: no user message"},
		{"an error by its kind", event(`{"object":"error","message":"bad temperature","code":400}`), reply{Code: llm.CodeRefused}, "bad temperature"},
		{"an error event", "event: error\ndata: Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens\n\n", reply{Code: llm.CodeOverflow}, "Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"},
		{"an error line between events", d(`{"content":"Hel"}`) + `{"error":{"message":"Overloaded"}}` + "\n", reply{Text: "Hel", Code: llm.CodeServer}, "Overloaded"},
		{"an error in a line of Ollama", `{"message":{"content":"Hel"},"done":false}` + "\n" + `{"error":"an error was encountered while running the model"}` + "\n", reply{Text: "Hel", Code: llm.CodeServer}, "an error was encountered while running the model"},
		{"an error as the whole body", `{"error":{"code":400,"type":"exceed_context_size_error","message":"too long","n_prompt_tokens":9000,"n_ctx":8192}}`, reply{Code: llm.CodeOverflow}, "too long"},
		{"an error in a list", `[{"error":{"code":429,"message":"slow down"}}]`, reply{Code: llm.CodeRateLimit}, "slow down"},
		{"an error as the finish word", d(`{"content":"Hel"}`) + fin("error") + done, reply{Text: "Hel", Code: llm.CodeServer}, "the server ended the reply with an error"},
		{"given up by the server", d(`{"content":"Hel"}`) + fin("abort") + done, reply{Text: "Hel", Code: llm.CodeStreamCut}, "the reply ended in the middle"},
		{"an end without a finish word", d(`{"content":"half an ans"}`), reply{Text: "half an ans", Code: llm.CodeStreamCut}, "the reply ended in the middle"},
		{"an end in the middle of a call", tc(`[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]`), reply{Code: llm.CodeStreamCut}, "the reply ended in the middle"},
		{"an end in the middle of an event", d(`{"content":"Hel"}`) + `data: {"choices":[{"del`, reply{Text: "Hel", Code: llm.CodeStreamCut}, "the reply ended in the middle"},
		{"an end in the middle of a JSON body", `{"choices":[{"message":{"content":"h`, reply{Code: llm.CodeStreamCut}, ""},
		{"an empty reply", fin("stop") + done, reply{Code: llm.CodeEmpty}, "the reply was empty"},
		{"an empty reply, not streamed", `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, reply{Code: llm.CodeEmpty}, "the reply was empty"},
		{"only the end mark", done, reply{Code: llm.CodeEmpty}, "the reply was empty"},
		{"nothing", "", reply{Code: llm.CodeEmpty}, "the server answered without a word"},
		{"heartbeats only", ": a\n\n: b\n\n", reply{Code: llm.CodeServer}, "the server ended the reply without a word"},
		{"a page", "<!doctype html><html><head><title>Sign in</title></head></html>", reply{Code: llm.CodeNotAPI}, "(a web page: Sign in)"},
		{"plain words", "upstream connect error or disconnect/reset before headers", reply{Code: llm.CodeServer}, "upstream connect error or disconnect/reset before headers"},
		{"plain words as data", event("rate limit exceeded"), reply{Code: llm.CodeRateLimit}, "rate limit exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, c.body, openai.Dialect{}, c.want)
			_, e := read(t, &peer{body: c.body}, openai.Dialect{})
			if e.Message != c.message {
				t.Errorf("message %q, want %q", e.Message, c.message)
			}
			if e.Started != (c.want.Text != "" || strings.Contains(c.body, "tool_calls")) {
				t.Errorf("started: %v", e.Started)
			}
		})
	}
}

func TestATransportThatBreaksIsACutStreamUnlessTheReplyWasOver(t *testing.T) {
	reset := errors.New("connection reset by peer")
	got, e := read(t, &peer{body: d(`{"content":"Hel"}`), after: reset}, openai.Dialect{})
	if diff := cmp.Diff(reply{Text: "Hel", Code: llm.CodeStreamCut, Usage: uncounted}, got); diff != "" || !errors.Is(e, reset) {
		t.Errorf("broken in the middle: %v\n%s", e, diff)
	}
	got, _ = read(t, &peer{body: d(`{"content":"Hello"}`) + fin("stop"), after: reset}, openai.Dialect{})
	if diff := cmp.Diff(reply{Text: "Hello", Finish: llm.FinishStop, Usage: uncounted}, got); diff != "" {
		t.Errorf("broken behind the finish word:\n%s", diff)
	}
}

func TestCompressedStreamsAreRead(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, d(`{"content":"hi"}`)+fin("stop")+done); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	got, e := read(t, &peer{body: b.String(), n: 5, header: http.Header{"Content-Encoding": {"gzip"}}}, openai.Dialect{})
	if diff := cmp.Diff(reply{Text: "hi", Finish: llm.FinishStop, Usage: uncounted}, got); diff != "" {
		t.Errorf("%v\n%s", e, diff)
	}
}

func TestRefusalsCarryTheServersWordsWithoutTheKey(t *testing.T) {
	p := &peer{status: 401, body: `{"error":{"message":"Incorrect API key provided: canary-1234567890."}}`}
	a := openai.New(openai.Options{BaseURL: "http://peer/v1", Client: &http.Client{Transport: p}, Key: func() string { return "canary-1234567890" }})
	_, _, _, err := ask(t, a, "hi")
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Code != llm.CodeAuth || e.Status != 401 || e.Message != "Incorrect API key provided: (key)." {
		t.Errorf("%#v", err)
	}
}

func FuzzStream(f *testing.F) {
	f.Add(d(`{"content":"a"}`)+tc(`[{"index":0}]`)+fin("stop")+done, 3)
	f.Add("data: {\n\ndata: [1]\n\n<x", 1)
	f.Add(`{"message":{"content":[{"thinking":[{}]}]},"done":true}`, 9)
	f.Add("event: error\ndata: \"x\"\n\n", 2)
	f.Fuzz(func(t *testing.T, body string, n int) {
		got, e := read(t, &peer{body: body, n: n}, openai.Dialect{TextCalls: true})
		if (got.Finish == "") == (e == nil) {
			t.Errorf("finish %q with error %v", got.Finish, e)
		}
	})
}
