package testkit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/llm/anthropic"
	"fairlead/llm/openai"
	"fairlead/llm/scripted"
	"fairlead/testkit"
)

// judged starts a judge before a scripted model and gives a way to send bodies.
func judged(t *testing.T) (*testkit.Judge, func(body string) int) {
	t.Helper()
	script, err := scripted.Parse("reply\n say ok\n")
	if err != nil {
		t.Fatal(err)
	}
	judge := testkit.NewJudge(scripted.Handler(script))
	return judge, func(body string) int {
		w := httptest.NewRecorder()
		judge.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
		return w.Code
	}
}

func chat(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }

const (
	hi   = `{"role":"user","content":"hi"}`
	call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}`
	done = `{"role":"tool","tool_call_id":"c1","content":"x"}`
)

func TestSoundRequestsPass(t *testing.T) {
	for name, body := range map[string]string{
		"a message":           chat(hi),
		"a system prompt":     chat(`{"role":"system","content":"s"},` + hi),
		"a call":              chat(hi + "," + call + "," + done),
		"a picture":           chat(`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:"}}]}`),
		"an escape as text":   chat(`{"role":"user","content":"write \\u0000 and \\ud800, or \ud83d\ude00"}`),
		"tools in order":      `{"model":"m","tools":[{"function":{"name":"a","parameters":{"type":"object"}}},{"function":{"name":"b","parameters":{"type":"object"}}}],"messages":[` + hi + `]}`,
		"two calls and after": chat(hi + `,{"role":"assistant","content":"a","tool_calls":[{"id":"c1","function":{"name":"read","arguments":"{}"}},{"id":"c2","function":{"name":"read","arguments":"{\"a\":1}"}}]},` + done + `,{"role":"tool","tool_call_id":"c2","content":"y"},` + hi),
	} {
		judge, send := judged(t)
		if code := send(body); code != http.StatusOK || judge.Faults() != nil {
			t.Errorf("%s: %d %q", name, code, judge.Faults())
		}
	}
}

func TestWhatAStrictProviderRefusesIsRefusedAndNamed(t *testing.T) {
	for name, c := range map[string]struct{ body, fault string }{
		"no JSON":               {`{`, "not a request"},
		"a NUL":                 {chat(`{"role":"user","content":"a\u0000"}`), `\u0000`},
		"half a pair":           {chat(`{"role":"user","content":"a\ud83d"}`), `\ud83d`},
		"half a pair, nested":   {chat(hi + `,{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"read","arguments":"{\"a\":\"\\ud83d\"}"}}]},` + done), `\ud83d`},
		"a key behind":          {`{"messages":[` + hi + `],"model":"m"}`, "last key"},
		"a key twice":           {`{"model":"m","model":"n","messages":[` + hi + `]}`, "comes twice"},
		"no model":              {`{"messages":[` + hi + `]}`, "no model"},
		"nothing said":          {chat(""), "last message"},
		"a reply first":         {chat(`{"role":"assistant","content":"a"},` + hi), "begins with"},
		"a reply last":          {chat(hi + `,{"role":"assistant","content":"a"}`), "last message"},
		"system in the middle":  {chat(hi + `,{"role":"system","content":"a"},` + hi), "not known here"},
		"an empty message":      {chat(`{"role":"user","content":" "}`), "empty"},
		"an empty reply":        {chat(hi + `,{"role":"assistant","content":null},` + hi), "empty"},
		"an empty part":         {chat(`{"role":"user","content":[{"type":"text","text":""}]}`), "empty"},
		"a call left open":      {chat(hi + "," + call + "," + hi), "no result"},
		"a call at the end":     {chat(hi + "," + call), "last message"},
		"a result alone":        {chat(hi + "," + done), "stands where"},
		"a result twice":        {chat(hi + "," + call + "," + done + "," + done), "stands where"},
		"an id twice":           {chat(hi + "," + call + "," + done + "," + call + "," + done), "comes twice"},
		"a foreign id":          {chat(hi + `,{"role":"assistant","tool_calls":[{"id":"functions.read:0","function":{"name":"read","arguments":"{}"}}]}`), "malformed"},
		"a foreign name":        {chat(hi + `,{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"web fetch","arguments":"{}"}}]}`), "malformed"},
		"cut arguments":         {chat(hi + `,{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"read","arguments":"{\"a\":"}}]},` + done), "not an object"},
		"arguments as object":   {chat(hi + `,{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"read","arguments":{}}}]},` + done), "not an object"},
		"tools out of order":    {`{"model":"m","tools":[{"function":{"name":"b","parameters":{"type":"object"}}},{"function":{"name":"a","parameters":{"type":"object"}}}],"messages":[` + hi + `]}`, "not in order"},
		"a schema of no object": {`{"model":"m","tools":[{"function":{"name":"b","parameters":{}}}],"messages":[` + hi + `]}`, "no schema"},
	} {
		judge, send := judged(t)
		code := send(c.body)
		if faults := judge.Faults(); code != http.StatusBadRequest || len(faults) != 1 || !strings.Contains(faults[0], c.fault) {
			t.Errorf("%s: %d %q, want %q", name, code, faults, c.fault)
		}
	}
}

func TestARequestThatDoesNotExtendTheOneBeforeIsNoticed(t *testing.T) {
	judge, send := judged(t)
	other := `{"role":"user","content":"another session"}`
	for _, body := range []string{
		chat(hi),
		chat(other),
		chat(hi + "," + call + "," + done),
		chat(hi + `,{"role":"assistant","content":"changed"},` + hi),
		chat(other + "," + call + "," + done),
		`{"model":"m","tools":[{"function":{"name":"a","parameters":{"type":"object"}}}],"messages":[` + other + "," + call + "," + done + `]}`,
	} {
		if code := send(body); code != http.StatusOK {
			t.Fatalf("%s: %q", body, judge.Faults())
		}
	}
	var got []string
	for i, q := range judge.Requests() {
		got = append(got, fmt.Sprintf("%d<%d %s", i, q.Before, q.Break))
	}
	want := []string{"0<-1 ", "1<-1 ", "2<0 ", "3<0 ", "4<1 ", "5<4 tools"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if r := judge.Reuse(); r >= 1 || r <= 0.3 {
		t.Errorf("reuse %v", r)
	}
}

// Whatever is stored, the normaliser and the encoders make requests of it that the
// judge lets pass.
func TestNoStoredHistoryIsRefused(t *testing.T) {
	judge := testkit.NewJudge(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	adapters := map[string]llm.Adapter{
		"/v1/responses": openai.NewResponses(openai.Options{Dialect: openai.Dialects("openai")}),
		"/v1/messages":  anthropic.New(anthropic.Options{CachePrompt: true}),
	}
	for _, name := range []string{"", "deepseek", "llama.cpp"} {
		adapters["/"+name+"/chat/completions"] = openai.New(openai.Options{Dialect: openai.Dialects(name)})
	}
	r := rand.New(rand.NewPCG(7, 8))
	texts := []string{"", " ", "ok", "a\x00b\u2028", "\xff\xfe", "half \xed\xa0\xbd", `\u0000`}
	ids := []string{"a", "b", "functions.read:0", "", strings.Repeat("x", 90)}
	arguments := []string{"", "{}", `{"a":"\ud800\u0000\\u0000"}`, `{"a":"x`, "[]", "{}{}", "\x00"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	for range 300 {
		var history []llm.Message
		for range r.IntN(10) {
			switch r.IntN(3) {
			case 0:
				history = append(history, llm.Message{Role: llm.User, Content: llm.Text(pick(texts))})
			case 1:
				m := llm.Message{Role: llm.Assistant, Content: llm.Text(pick(texts)), Reasoning: []llm.Reasoning{
					{Text: pick(texts)}, {Text: "hm", Field: "thinking", Signature: "s"}, {Field: "reasoning_item", Opaque: json.RawMessage(`{"type":"reasoning","summary":[],"encrypted_content":"x"}`)}}}
				for range r.IntN(3) {
					m.Calls = append(m.Calls, llm.Call{ID: pick(ids), Name: pick(texts), Arguments: pick(arguments)})
				}
				history = append(history, m)
			case 2:
				history = append(history, llm.Message{Role: llm.ToolRole, CallID: pick(ids), Content: llm.Text(pick(texts))})
			}
		}
		out, _ := llm.Normalise(append(history, llm.Message{Role: llm.User, Content: llm.Text("go on")}), llm.NormaliseOptions{})
		for path, a := range adapters {
			body, err := a.Encode(&llm.Request{Model: "m", System: "s", Messages: out, Tools: []llm.ToolSchema{{Name: "read"}}})
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			judge.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)))
			if w.Code != http.StatusOK {
				t.Fatalf("%s: %s\n%#v\n%s", path, w.Body, history, body)
			}
		}
	}
}

func TestOtherWiresAreJudged(t *testing.T) {
	judge := testkit.NewJudge(http.NotFoundHandler())
	for _, c := range []struct{ path, body, fault string }{
		{"/v1/messages", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, "no cap"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, "empty"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}]}`, "not signed"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{}}]},{"role":"user","content":[{"type":"text","text":"b"}]}]}`, "no result"},
		{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":"{}"}]}]}`, "no object"},
		{"/v1/responses", `{"model":"m","input":[{"type":"reasoning","encrypted_content":"x"},{"type":"message","role":"user","content":"a"}]}`, "led to"},
		{"/v1/responses", `{"model":"m","input":[{"type":"function_call","call_id":"c","name":"n","arguments":"{}"},{"type":"message","role":"user","content":"a"}]}`, "no result"},
		{"/v1/responses", `{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}`, "stands where"},
		{"/v1/responses", `{"model":"m","input":[{"type":"message","role":"user","content":" "}]}`, "empty"},
	} {
		w := httptest.NewRecorder()
		judge.ServeHTTP(w, httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body)))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.fault) {
			t.Errorf("%s %s: %d %s, want %q", c.path, c.body, w.Code, w.Body, c.fault)
		}
	}
}
