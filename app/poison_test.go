package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/llm"
	"fairlead/llm/anthropic"
	"fairlead/llm/openai"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/testkit"
)

// poison is something that was stored once and that a provider refuses, or that a
// careless reader falls over. It comes between two sound messages.
type poison struct {
	name string
	// in gives the events, where need be after putting content beside the log.
	in func(t *testing.T, log *session.Log) []session.Draft
	// after damages what stands beside the log, once it is closed.
	after func(t *testing.T, folder string)
}

func events(drafts ...session.Draft) func(*testing.T, *session.Log) []session.Draft {
	return func(*testing.T, *session.Log) []session.Draft { return drafts }
}

func personSays(parts ...llm.Part) session.Draft {
	return session.UserMessage.New(1, 0, session.UserMessageData{ID: "p", Content: parts})
}

func modelSays(d session.AssistantMessageData) session.Draft {
	d.ID, d.Finish = "r", llm.FinishStop
	return session.AssistantMessage.New(1, 1, d)
}

func calls(ids ...string) session.Draft {
	var list []llm.Call
	for _, id := range ids {
		list = append(list, llm.Call{ID: id, Name: "read", Arguments: `{"path":"a"}`})
	}
	return modelSays(session.AssistantMessageData{Calls: list})
}

func argued(arguments ...string) session.Draft {
	var list []llm.Call
	for i, text := range arguments {
		list = append(list, llm.Call{ID: "c" + string(rune('a'+i)), Name: "read", Arguments: text})
	}
	return modelSays(session.AssistantMessageData{Calls: list})
}

func answers(id string, parts ...llm.Part) session.Draft {
	return session.ToolResult.New(1, 1, session.ToolResultData{Call: id, ModelID: id, Content: parts})
}

func text(s string) llm.Part { return llm.Part{Text: s} }

// written is an event as another hand wrote it.
func written(kind, data string) session.Draft {
	return session.Draft{Type: kind, Turn: 1, Step: 1, Data: json.RawMessage(data)}
}

// pictures puts PNGs beside the log and shows them in one message each.
func pictures(n, width, height int, noisy bool) func(*testing.T, *session.Log) []session.Draft {
	return func(t *testing.T, log *session.Log) []session.Draft {
		t.Helper()
		var drafts []session.Draft
		r := rand.NewChaCha8([32]byte{1})
		for i := range n {
			m := image.NewRGBA(image.Rect(0, 0, width, height))
			if noisy {
				if _, err := r.Read(m.Pix); err != nil {
					t.Fatal(err)
				}
			}
			m.Pix[0] = byte(i)
			var b bytes.Buffer
			if err := png.Encode(&b, m); err != nil {
				t.Fatal(err)
			}
			drafts = append(drafts, personSays(picture(t, log, b.Bytes())))
		}
		return drafts
	}
}

func picture(t *testing.T, log *session.Log, content []byte) llm.Part {
	t.Helper()
	ref, err := log.PutBlob(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	return llm.Part{MIME: "image/png", Blob: ref.SHA256, Name: "a.png"}
}

var poisons = []poison{
	// Text.
	{name: "a NUL in a result", in: events(calls("a"), answers("a", text("a\x00b\n")))},
	{name: "a NUL in what a person says", in: events(personSays(text("a\x00b")))},
	{name: "half a pair of surrogates", in: events(written("user/message", `{"id":"p","content":[{"text":"\ud99c alone, \udc00 too"}]}`))},
	{name: "bytes that are no UTF-8", in: events(calls("a"), written("tool/result", "{\"call\":\"a\",\"modelId\":\"a\",\"content\":[{\"text\":\"\xff\xfe\x80ok\xd6\xd0\"}]}"))},
	{name: "a character cut in half", in: events(calls("a"), written("tool/result", "{\"call\":\"a\",\"modelId\":\"a\",\"content\":[{\"text\":\""+strings.Repeat("😀", 3000)+"\xf0\x9f\"}]}"))},
	{name: "line separators and control characters", in: events(personSays(text("a\u2028b\u2029c\u0085d\x1b[31me\x7f")))},
	// Blocks.
	{name: "empty blocks between signed thinking", in: events(modelSays(session.AssistantMessageData{
		Content: []llm.Part{text(""), text(" \n\t")}, Calls: []llm.Call{{ID: "a", Name: "read", Arguments: "{}"}},
		Reasoning: []llm.Reasoning{{Text: "first", Field: "thinking", Signature: "s1"}, {Text: "second", Field: "thinking", Signature: "s2"}}}), answers("a", text("ok")))},
	{name: "a message of a person with nothing in it", in: events(personSays(), personSays(text("")), personSays(text(" ")))},
	{name: "an empty result", in: events(calls("a"), answers("a"))},
	{name: "a reply that is empty", in: events(personSays(text("go")), modelSays(session.AssistantMessageData{}))},
	{name: "a reply that was never finished and has a call", in: events(personSays(text("go")),
		written("assistant/message", `{"id":"r","content":[],"calls":[{"id":"a","name":"read","arguments":"{\"path\":"}],"finish":null,"usage":{"output":0}}`))},
	{name: "a reply of thinking alone", in: events(modelSays(session.AssistantMessageData{Reasoning: []llm.Reasoning{{Text: "hm", Field: llm.FieldReasoning}}}))},
	{name: "thinking of another provider", in: events(modelSays(session.AssistantMessageData{Content: llm.Text("yes"), Reasoning: []llm.Reasoning{
		{Field: "reasoning_item", Opaque: json.RawMessage(`{"type":"reasoning","summary":[],"content":[` + strings.Repeat(`{"type":"reasoning_text","text":"x"},`, 200) + `{"type":"reasoning_text","text":"x"}],"encrypted_content":"e"}`)},
		{Text: "unsigned", Field: "thinking"}, {Text: "hm", Field: llm.FieldReasoningContent}}}))},
	{name: "two replies in a row, and the person last to speak twice", in: events(modelSays(session.AssistantMessageData{Content: llm.Text("one")}), modelSays(session.AssistantMessageData{Content: llm.Text("two")}), personSays(text("a")), personSays(text("b")))},
	// Calls and results.
	{name: "a call without a result", in: events(calls("a"), session.ToolCall.New(1, 1, session.ToolCallData{Call: "a", ModelID: "a", Caller: "model", Tool: "read"}), session.ToolStarted.New(1, 1, session.ToolStartedData{Call: "a"}))},
	{name: "a result whose call is gone", in: events(answers("trimmed", text("first of all")), personSays(text("go on")), answers("never-existed", text("from nowhere")))},
	{name: "a result before its call", in: events(answers("a", text("early")), calls("a"), answers("a", text("late")))},
	{name: "two results for one call", in: events(calls("a"), answers("a", text("once")), answers("a", text("twice")))},
	{name: "results in another order, and one is missing", in: events(calls("a", "b", "c"), answers("c", text("3")), answers("a", text("1")))},
	{name: "the same id again", in: events(calls("a"), answers("a", text("1")), calls("a"), answers("a", text("2")), calls("a", "a"))},
	{name: "somebody speaks between a call and its result", in: events(calls("a"), personSays(text("meanwhile")), answers("a", text("1")))},
	{name: "ids that another provider refuses", in: events(calls("functions.web_fetch:0", "call_"+strings.Repeat("x", 40)+"|fc_"+strings.Repeat("y", 41), ""),
		answers("functions.web_fetch:0", text("1")), answers("call_"+strings.Repeat("x", 40)+"|fc_"+strings.Repeat("y", 41), text("2")), answers("", text("3")))},
	{name: "tools of impossible names", in: events(modelSays(session.AssistantMessageData{Calls: []llm.Call{{ID: "a", Name: "", Arguments: "{}"}, {ID: "b", Name: "mcp.server/tool", Arguments: "{}"}, {ID: "c", Name: strings.Repeat("n", 80), Arguments: "{}"}, {ID: "d", Name: "read\x00", Arguments: "{}"}}}))},
	{name: "arguments that are no object", in: events(argued("", "[]", "null", `"{}"`, "7", "\x00", "   "))},
	{name: "arguments cut short, doubled, and with control characters", in: events(argued(`{"path":"keep.txt","content":"hel`, `{"path":"a"}{"path":"b"}`, "{\"content\":\"a\tb\nc\"}", `{"view_range": \n[1, 2]\n}`, `{"a":"\ud800"}`, `{"a":"\u0000"}`))},
	// Pictures.
	{name: "a picture that is too wide", in: pictures(1, 9000, 100, false)},
	{name: "more pictures than a request takes", in: pictures(21, 2100, 100, false)},
	{name: "a picture of too many bytes", in: pictures(1, 1180, 1000, true)},
	{name: "a picture that is none", in: func(t *testing.T, log *session.Log) []session.Draft {
		return []session.Draft{personSays(picture(t, log, []byte("<svg onload=x>")), picture(t, log, nil))}
	}},
	{name: "a picture whose bytes are gone", in: pictures(1, 10, 10, false), after: func(t *testing.T, folder string) {
		if err := os.RemoveAll(filepath.Join(folder, "blobs")); err != nil {
			t.Fatal(err)
		}
	}},
	{name: "a picture in a result", in: func(t *testing.T, log *session.Log) []session.Draft {
		return append(pictures(1, 10, 10, false)(t, log), calls("a"), answers("a", picture(t, log, []byte("no picture"))))
	}},
	// Payloads.
	{name: "payloads of another shape", in: events(written("user/message", `{"id":7,"content":"not a list"}`), written("assistant/message", `{"calls":{"id":"a"}}`), written("assistant/message", `{"calls":[{"id":1},7]}`), written("tool/result", `{"call":["x"]}`), written("tool/result", `null`), written("user/message", `[]`))},
	{name: "a payload that is gone", in: events(personSays(text(strings.Repeat("large ", 5000)))), after: func(t *testing.T, folder string) {
		if err := os.RemoveAll(filepath.Join(folder, "blobs")); err != nil {
			t.Fatal(err)
		}
	}},
	{name: "a payload that was changed", in: events(calls("a"), answers("a", text(strings.Repeat("large ", 5000)))), after: func(t *testing.T, folder string) {
		for _, path := range must(filepath.Glob(filepath.Join(folder, "blobs", "*")))(t) {
			if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}},
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestNothingStoredBricksASession goes on with a session for each poison, and again
// after a restart: no request is refused, and what stood in the log still does.
func TestNothingStoredBricksASession(t *testing.T) {
	script := must(scripted.Parse("counting off\nreply\n  say Done.\n"))(t)
	for _, p := range poisons {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			judge := testkit.NewJudge(scripted.Handler(script))
			server := httptest.NewServer(judge)
			defer server.Close()
			c := &conversation{t: t, ctx: ctx, work: t.TempDir(), home: filepath.Join(t.TempDir(), "home"), judge: judge, server: server}
			c.id = p.plant(t, c)
			file := filepath.Join(c.home, "sessions", string(c.id), "log.jsonl")
			before := must(os.ReadFile(file))(t)
			for restarted := range 2 {
				options := app.Options{Home: c.home, Profile: "headless", Version: "test", Environ: func(string) string { return "" }, Flags: c.rows()}
				c.app = must(app.Boot(ctx, options))(t)
				c.agent = must(must(c.app.Host())(t).Open(ctx, c.id))(t)
				if _, err := c.agent.Send(ctx, agent.Input{Content: llm.Text("go on"), Mode: agent.Bypass}); err != nil {
					t.Fatal(err)
				}
				if err := c.agent.Idle(ctx); err != nil {
					t.Fatal(err)
				}
				meta := must(session.StateOf(c.agent.Log(), session.Meta))(t)
				if meta.Last.Kind != session.EndCompleted {
					t.Errorf("the turn ended %+v", meta.Last)
				}
				if restarted == 1 {
					refusedElsewhere(t, c.agent.Log())
					c.rebuilt()
				}
				if err := c.app.Close(ctx); err != nil {
					t.Error(err)
				}
			}
			for _, fault := range judge.Faults() {
				t.Errorf("a provider would have refused %s", fault)
			}
			if !bytes.HasPrefix(must(os.ReadFile(file))(t), before) {
				t.Error("what stood in the log was changed")
			}
		})
	}
}

// plant makes a session with the poison in it.
func (p *poison) plant(t *testing.T, c *conversation) session.ID {
	t.Helper()
	lib := must(app.Sessions(c.home, nil))(t)
	log := must(lib.Create(c.ctx, session.CreatedData{Folder: c.work}))(t)
	turn := []session.Draft{session.TurnStart.New(1, 0, session.TurnStartData{Mode: agent.Bypass}), session.UserMessage.New(1, 0, session.UserMessageData{ID: "u", Content: llm.Text("begin")}),
		session.StepStart.New(1, 1, struct{}{}), session.AssistantMessage.New(1, 1, session.AssistantMessageData{ID: "m", Content: llm.Text("begun")})}
	must(log.Append(c.ctx, append(turn, p.in(t, log)...)...))(t)
	if err := log.Close(c.ctx); err != nil {
		t.Fatal(err)
	}
	if p.after != nil {
		p.after(t, filepath.Join(c.home, "sessions", string(log.ID())))
	}
	return log.ID()
}

// refusedElsewhere writes the next request for every wire and provider and has it judged.
func refusedElsewhere(t *testing.T, log *session.Log) {
	t.Helper()
	judge := testkit.NewJudge(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	adapters := map[string]llm.Adapter{
		"/v1/responses": openai.NewResponses(openai.Options{Dialect: openai.Dialects("openai")}),
		"/v1/messages":  anthropic.New(anthropic.Options{CachePrompt: true}),
	}
	for _, name := range []string{"", "deepseek", "llama.cpp"} {
		adapters["/"+name+"/chat/completions"] = openai.New(openai.Options{Dialect: openai.Dialects(name)})
	}
	var history []llm.Message
	for _, e := range log.Surface() {
		history = append(history, e.Message)
	}
	history = append(history, llm.Message{Role: llm.User, Content: llm.Text("and here")})
	for _, o := range []llm.NormaliseOptions{{Load: log.Blob}, {Load: log.Blob, TextOnly: true}, {Load: log.Blob, ShortIDs: true}} {
		out, _ := llm.Normalise(history, o)
		for path, adapter := range adapters {
			body := must(adapter.Encode(&llm.Request{Model: "m", System: "s", Messages: out}))(t)
			w := httptest.NewRecorder()
			judge.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)))
			if w.Code != http.StatusOK {
				t.Errorf("%s, text only %v, short ids %v: %s", path, o.TextOnly, o.ShortIDs, w.Body)
			}
		}
	}
}
