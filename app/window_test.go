package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/command"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/testkit"
	"fairlead/window"
)

// talk begins a conversation of which the connection says that its model has a
// window, 0 for nothing. front stands before the model, where a test wants one.
func talk(t *testing.T, tokens int, model, patch string, front func(http.Handler) http.Handler) *conversation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	script, err := scripted.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	var endpoint http.Handler = scripted.Handler(script)
	if front != nil {
		endpoint = front(endpoint)
	}
	c := &conversation{t: t, ctx: ctx, archive: txtar.Parse([]byte(patch)), home: filepath.Join(t.TempDir(), "home"), window: tokens}
	if c.work, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	c.judge = testkit.NewJudge(endpoint)
	c.server = httptest.NewServer(c.judge)
	t.Cleanup(c.server.Close)
	c.lay()
	c.boot()
	t.Cleanup(func() {
		if err := c.app.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *conversation) say(text string) session.TurnEndData {
	c.t.Helper()
	if err := c.do("say", text); err != nil {
		c.t.Fatal(err)
	}
	ends := of(c, session.TurnEnd)
	return ends[len(ends)-1]
}

// of gives the payloads of all events of a kind.
func of[T any](c *conversation, kind session.Kind[T]) []T {
	c.t.Helper()
	var list []T
	for e, err := range c.agent.Log().Events(1) {
		if err != nil {
			c.t.Fatal(err)
		}
		if !kind.Of(e) {
			continue
		}
		d, err := kind.Decode(e)
		if err != nil {
			c.t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// sound checks what holds for every conversation: no request that a provider would
// refuse, none that cannot be explained or made again, and a replay that goes the
// same way.
func (c *conversation) sound() {
	c.t.Helper()
	for _, fault := range c.judge.Faults() {
		c.t.Errorf("a provider would have refused %s", fault)
	}
	c.explained()
	c.rebuilt()
	c.replay()
}

// lastRequest is the text of the newest request.
func (c *conversation) lastRequest() string {
	list := c.judge.Requests()
	return string(list[len(list)-1].Body)
}

// unguarded leaves out what asks for a compaction after a turn that did not fit.
const unguarded = "-- patch.yaml --\nrows:\n  - id: turn-guard\n    disabled: true\n"

const summarising = `
on /write a summary of everything above/
reply
  say SUMMARY: they talk about tides.
`

func prose(words string, bytes int) string { return strings.Repeat(words+" ", bytes/(len(words)+1)) }

func TestASessionOf64KThatReaches80PercentIsSummarisedAndGoesOn(t *testing.T) {
	t.Parallel()
	c := talk(t, 65536, "window 65536\n"+summarising+"otherwise\nreply\n  say Noted.\n", "-- patch.yaml --\nrows:\n  - id: window\n    config: {reserve: 8192}\n", nil)
	for i := range 7 {
		if end := c.say(fmt.Sprintf("part %d %s", i, prose("the tide comes in and goes out again", 30_000))); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("part %d ended %+v", i, end)
		}
	}
	ends := of(c, window.Ended)
	if len(ends) != 1 {
		t.Fatalf("%d compactions, want one: %+v", len(ends), ends)
	}
	if d := ends[0]; d.Before < 52_428 || d.After > 65536*40/100 || d.Pieces != 1 || d.Error != "" {
		t.Errorf("the compaction was %+v, want from 80 %% of 65,536 to well below, in one piece", d)
	}
	if got := c.lastRequest(); !strings.Contains(got, "SUMMARY: they talk about tides.") || !strings.Contains(got, "part 6") || strings.Contains(got, "part 1 ") {
		t.Error("the request after the compaction does not show the summary and the newest part alone")
	}
	if end := c.say("and now?"); end.Reason.Kind != session.EndCompleted {
		t.Errorf("afterwards a turn ends %+v", end)
	}
	c.sound()
}

// refusing stands before a model and refuses what is longer than a window, in the
// words of a server.
type refusing struct {
	window int
	// summaries is what requests for a summary may have; 0 is the window.
	summaries int
	refuse    func(w http.ResponseWriter, prompt, window int)
	next      http.Handler

	mu      sync.Mutex
	refused int
}

func (h *refusing) front(next http.Handler) http.Handler { h.next = next; return h }

func (h *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r) // it cannot count
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	limit := h.window
	if h.summaries > 0 && bytes.Contains(body, []byte("write a summary of everything above")) {
		limit = h.summaries
	}
	if prompt := len(body) / 4; prompt > limit {
		h.mu.Lock()
		h.refused++
		h.mu.Unlock()
		h.refuse(w, prompt, limit)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.next.ServeHTTP(w, r)
}

// with answers with a status and a body in which $P and $W stand for prompt and window.
func with(status int, text string) func(http.ResponseWriter, int, int) {
	return func(w http.ResponseWriter, prompt, window int) {
		if strings.HasPrefix(text, "event:") || strings.HasPrefix(text, "data:") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(status)
		fmt.Fprint(w, strings.NewReplacer("$P", fmt.Sprint(prompt), "$W", fmt.Sprint(window)).Replace(text))
	}
}

func TestARefusalForLengthIsRecoveredFromInTheWordsOfEveryServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server string
		refuse func(http.ResponseWriter, int, int)
		tells  bool // its window
	}{
		{"llama.cpp", with(400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":$P,"n_ctx":$W}}`), true},
		{"llama.cpp, older builds", with(500, `{"error":{"code":500,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":$P,"n_ctx":$W}}`), true},
		{"a proxy that answers 200", with(200, `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":$P,"n_ctx":$W}}`), true},
		{"vLLM", with(400, `{"object":"error","message":"This model's maximum context length is $W tokens. However, your request has $P input tokens. Please reduce the length of the input messages.","type":"BadRequestError","code":400}`), true},
		{"Ollama", with(400, `{"error":{"message":"the input length exceeds the context length","type":"invalid_request_error"}}`), false},
		{"LM Studio, in the stream", with(200, "event: error\ndata: {\"error\":{\"message\":\"Trying to keep the first $P tokens when context the overflows. However, the model is loaded with context length of only $W tokens, which is not enough.\"}}\n\n"), true},
		{"OpenAI", with(400, `{"error":{"message":"This model's maximum context length is $W tokens. However, your messages resulted in $P tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`), true},
		{"Anthropic", with(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: $P tokens > $W maximum"}}`), true},
		{"DeepSeek", with(400, `{"error":{"message":"This model's maximum context length is $W tokens. However, you requested $P tokens ($P in the messages, 0 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"invalid_request_error"}}`), true},
		{"OpenRouter", with(400, `{"error":{"message":"This endpoint's maximum context length is $W tokens. However, you requested about $P tokens ($P of text input). Please reduce the length of either one.","code":400}}`), true},
		{"a gateway", with(413, "<html><head><title>413 Request Entity Too Large</title></head></html>"), false},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			h := &refusing{window: 24_000, refuse: c.refuse}
			talked := talk(t, 131072, "counting off\n"+summarising+"otherwise\nreply\n  say Noted.\n", "", h.front)
			for i := range 4 {
				if end := talked.say(fmt.Sprintf("part %d %s", i, prose("ebb and flood", 24_000))); end.Reason.Kind != session.EndCompleted {
					t.Fatalf("part %d ended %+v: %+v", i, end, end.Error)
				}
			}
			// Whoever is told the window needs no second refusal.
			if h.refused == 0 || c.tells && h.refused > 2 || h.refused > 4 {
				t.Errorf("%d requests were refused", h.refused)
			}
			if ends := of(talked, window.Ended); len(ends) == 0 || ends[0].By != "refusal" || ends[0].Error != "" {
				t.Errorf("compactions = %+v", ends)
			}
			last := of(talked, window.Measured)
			if got := last[len(last)-1]; c.tells && (got.Window != 24_000 || got.Source != llm.SourceRefusal) {
				t.Errorf("the window is %d (%s), want the one that the refusal told", got.Window, got.Source)
			}
			talked.explained()
			talked.rebuilt()
			talked.replay()
		})
	}
}

func TestARefusalWithNothingOlderEndsInAPlainSentenceAndSpoilsNothing(t *testing.T) {
	t.Parallel()
	h := &refusing{window: 24_000, refuse: with(400, `{"error":{"message":"the input length exceeds the context length"}}`)}
	c := talk(t, 0, "counting off\n"+summarising+"otherwise\nreply\n  say Noted.\n", "", h.front)
	end := c.say(prose("one message that is too long", 200_000))
	if end.Error == nil || end.Error.Code != window.CodeExceeded || !strings.Contains(end.Error.Details, "input length exceeds") {
		t.Fatalf("the turn ended %+v, %+v", end, end.Error)
	}
	if h.refused != 1 {
		t.Errorf("%d requests were sent, want one: nothing had shrunk", h.refused)
	}
	// The person may shorten it in other words; the long one must not be in the way.
	if end := c.say("never mind, just hello"); end.Reason.Kind != session.EndCompleted {
		t.Errorf("the next turn ended %+v, %+v", end, end.Error)
	}
}

func TestAMessageThatCannotFitIsNotSentAndTheNextOneIs(t *testing.T) {
	t.Parallel()
	for _, counting := range []string{"on", "off"} {
		c := talk(t, 32768, "window 32768\ncounting "+counting+"\n"+summarising+"otherwise\nreply\n  say Noted.\n", unguarded, nil)
		c.say("hello")
		before := len(c.judge.Requests())
		end := c.say("the log: " + prose("error at line 17", 300_000))
		if end.Error == nil || end.Error.Code != window.CodeMessageTooLarge || !strings.Contains(end.Text, "Attach it as a file") {
			t.Fatalf("counting %s: the turn ended %+v, %+v", counting, end, end.Error)
		}
		if got := len(c.judge.Requests()); got != before {
			t.Errorf("counting %s: %d requests were sent for it", counting, got-before)
		}
		if said := of(c, session.UserMessage); len(llm.Plain(said[1].Content)) < 290_000 {
			t.Error("the message is not in the log as it was said")
		}
		if end := c.say("and without it?"); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("counting %s: the next turn ended %+v, %+v", counting, end, end.Error)
		}
		if got := c.lastRequest(); strings.Contains(got, "error at line 17") || !strings.Contains(got, "was not delivered to you") {
			t.Error("the next request shows the message, or no mark in its place")
		}
		c.use("context.preview")
		if err := c.do("idle", ""); err != nil {
			t.Fatal(err)
		}
		if got := c.lastRequest(); !strings.Contains(got, "the log: error at line 17") || !strings.Contains(got, "bytes are left out here") {
			t.Error("the preview does not show the beginning of the message")
		}
		c.use("context.attach")
		if err := c.do("idle", ""); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(c.work, "message-m2.txt"))
		if err != nil || string(text) != llm.Plain(of(c, session.UserMessage)[1].Content) {
			t.Errorf("the file does not hold the message: %v", err)
		}
		if got := c.lastRequest(); !strings.Contains(got, "in the file `message-m2.txt`") {
			t.Error("the model is not told of the file")
		}
		c.sound()
	}
}

func TestAMessageThatFitsAnEmptySessionOnlyHasTheRestSummarisedFirst(t *testing.T) {
	t.Parallel()
	c := talk(t, 32768, "window 32768\n"+summarising+"otherwise\nreply\n  say Noted.\n", "", nil)
	c.say("first " + prose("an old matter", 30_000))
	end := c.say("second " + prose("a new matter", 60_000))
	if end.Reason.Kind != session.EndCompleted {
		t.Fatalf("the turn ended %+v, %+v", end, end.Error)
	}
	if got := c.lastRequest(); strings.Contains(got, "an old matter an old matter") || !strings.Contains(got, "second a new matter") {
		t.Error("the request shows the old part, or not the whole of the new message")
	}
	if refused := of(c, session.RequestAttempt); len(refused) != 0 {
		t.Errorf("the server refused %+v", refused)
	}
	c.sound()
}

func TestARefusedPieceIsHalvedAndEveryPieceBuildsOnTheOneBefore(t *testing.T) {
	t.Parallel()
	h := &refusing{window: 60_000, summaries: 20_000, refuse: with(400, `{"error":{"message":"the input length exceeds the context length"}}`)}
	c := talk(t, 65536, "counting off\n"+summarising+"otherwise\nreply\n  say Noted.\n", "-- patch.yaml --\nrows:\n  - id: window\n    config: {reserve: 8192}\n", h.front)
	for i := range 10 {
		if end := c.say(fmt.Sprintf("part %d %s", i, prose("ebb and flood", 24_000))); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("part %d ended %+v: %+v", i, end, end.Error)
		}
	}
	list := of(c, window.Summary)
	if len(list) < 2 || h.refused == 0 {
		t.Fatalf("%d summaries after %d refusals, want several pieces", len(list), h.refused)
	}
	for i, d := range list[1:] {
		if d.Shadows.From != list[0].Shadows.From || d.Shadows.To <= list[i].Shadows.To || d.Items <= list[i].Items {
			t.Errorf("piece %d stands for %+v (%d items) after %+v", i+1, d.Shadows, d.Items, list[i].Shadows)
		}
	}
	if ends := of(c, window.Ended); len(ends) != 1 || ends[0].Error != "" || ends[0].After >= ends[0].Start {
		t.Errorf("compactions = %+v", ends)
	}
	c.explained()
	c.rebuilt()
	c.replay()
}

// use runs a command of the session.
func (c *conversation) use(name string) any {
	c.t.Helper()
	cmd, ok := command.Find(c.ctx, c.agent.Realm(), name)
	if !ok {
		c.t.Fatalf("there is no command %s", name)
	}
	got, err := cmd.Run(c.ctx, command.Call{Session: string(c.id)})
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

func TestCompactAndContextAnswerWithTrueFigures(t *testing.T) {
	t.Parallel()
	c := talk(t, 32768, "window 32768\n"+summarising+"otherwise\nreply\n  say Noted.\n", "", nil)
	if got := c.use("compact").(window.Made); !strings.HasPrefix(got.Text, "There is nothing older to summarise") {
		t.Errorf("an empty session: %q", got.Text)
	}
	c.say("first " + prose("an old matter", 24_000))
	c.say("second, which is short")
	before := c.use("context").(window.Report)
	if !before.Measured || before.Parts.Sum() != before.Used || before.Used+before.Free != 32768 || before.Parts.Tools == 0 || before.Parts.Messages < 5000 {
		t.Errorf("context = %+v", before)
	}
	made := c.use("compact").(window.Made)
	after := c.use("context").(window.Report)
	if want := fmt.Sprintf("The session was %d %% full and is now %d %% full.", before.Percent, after.Percent); made.Text != want {
		t.Errorf("compact says %q, context says %q", made.Text, want)
	}
	if after.Percent >= before.Percent-10 {
		t.Errorf("from %d to %d %%", before.Percent, after.Percent)
	}
	if got := c.use("compact").(window.Made); !strings.HasPrefix(got.Text, "There is nothing older to summarise") {
		t.Errorf("a second time: %q", got.Text)
	}
	c.say("third")
	if got := c.lastRequest(); !strings.Contains(got, "second, which is short") || strings.Contains(got, "an old matter an old matter") {
		t.Error("the request after it does not show the newest turn whole and the old one as a summary")
	}
	c.sound()
}

func TestASessionGoesOnAfterARestartAndFromForksBeforeAndAfterACompaction(t *testing.T) {
	t.Parallel()
	c := talk(t, 32768, "window 32768\n"+summarising+"otherwise\nreply\n  say Noted.\n", "", nil)
	c.say("first " + prose("an old matter", 24_000))
	c.say("second")
	before := c.agent.Log().Seq()
	c.use("compact")
	if err := c.do("restart", ""); err != nil {
		t.Fatal(err)
	}
	c.say("third")
	if got := c.lastRequest(); !strings.Contains(got, "SUMMARY") || strings.Contains(got, "an old matter an old matter") {
		t.Error("the restarted session forgot its summary")
	}
	c.sound()
	lib, err := c.app.Library()
	if err != nil {
		t.Fatal(err)
	}
	host, err := c.app.Host()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		at       int64
		summary  bool
		requests int // of the parent's that it shares
	}{{before, false, 2}, {0, true, 4}} {
		fork, err := lib.Fork(c.ctx, c.id, f.at)
		if err != nil {
			t.Fatal(err)
		}
		id := fork.ID()
		if err := fork.Close(c.ctx); err != nil {
			t.Fatal(err)
		}
		a, err := host.Open(c.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Send(c.ctx, agent.Input{Content: llm.Text("elsewhere")}); err != nil {
			t.Fatal(err)
		}
		if err := a.Idle(c.ctx); err != nil {
			t.Fatal(err)
		}
		got := c.lastRequest()
		if strings.Contains(got, "SUMMARY") != f.summary || strings.Contains(got, "an old matter an old matter") == f.summary || !strings.Contains(got, "elsewhere") {
			t.Errorf("the fork at %d shows the summary: %v", f.at, strings.Contains(got, "SUMMARY"))
		}
		for n := 1; n <= f.requests+1; n++ {
			if _, err := app.Request(a.Log(), n); err != nil {
				t.Errorf("the fork at %d: request %d: %v", f.at, n, err)
			}
		}
		if r, err := app.Replay(c.ctx, a.Log()); err != nil || r.Divergence != nil {
			t.Errorf("the fork at %d: replay %+v, %v", f.at, r, err)
		}
	}
}

func TestASessionInChineseIsMeasuredAndSummarisedInTime(t *testing.T) {
	t.Parallel()
	c := talk(t, 32768, "window 32768\nchars-per-token 1.6\n"+summarising+"otherwise\nreply\n  say 好的。\n", "", nil)
	for i := range 8 {
		if end := c.say(fmt.Sprintf("第%d部分 %s", i, strings.Repeat("潮水涨了又退，", 700))); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("part %d ended %+v: %+v", i, end, end.Error)
		}
	}
	if refused := of(c, session.RequestAttempt); len(refused) != 0 {
		t.Errorf("the server refused %+v", refused)
	}
	if len(of(c, window.Ended)) == 0 {
		t.Error("nothing was summarised")
	}
	c.sound()
}

func TestAServerThatDropsTheBeginningSilentlyIsNamedAndItsWindowTakenForWhatItIs(t *testing.T) {
	t.Parallel()
	// It answers 200 whatever it is sent, and counts no more than its window.
	c := talk(t, 131072, summarising+`
otherwise
reply
  usage 15800 200 0
  say Noted.
`, "", nil)
	for i := range 6 {
		if end := c.say(fmt.Sprintf("part %d %s", i, prose("ebb and flood", 20_000))); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("part %d ended %+v: %+v", i, end, end.Error)
		}
	}
	var warned []string
	for _, n := range of(c, session.Note) {
		if strings.Contains(n.Text, "and said nothing") {
			warned = append(warned, n.Text)
		}
	}
	last := of(c, window.Measured)
	if got := last[len(last)-1]; len(warned) == 0 || len(warned) > 2 || got.Window != 16_000 || got.Source != window.SourceTruncation {
		t.Errorf("%d warnings, window %d (%s), want 16,000: %q", len(warned), got.Window, got.Source, warned)
	}
	if !strings.Contains(warned[0], "15,800 of about") || !strings.Contains(warned[0], "with a larger context") {
		t.Errorf("the person is told %q", warned[0])
	}
	if len(of(c, window.Ended)) == 0 {
		t.Error("no room was made for the true window")
	}
}

func TestAServerThatCountsNothingIsEstimatedAndSummarisedBeforeItOverflows(t *testing.T) {
	t.Parallel()
	h := &refusing{window: 1 << 20}
	c := talk(t, 32768, "window 32768\n"+summarising+"otherwise\nreply\n  usage 0 0 0\n  say Noted.\n", "", h.front)
	for i := range 8 {
		if end := c.say(fmt.Sprintf("part %d %s", i, prose("ebb and flood", 16_000))); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("part %d ended %+v: %+v", i, end, end.Error)
		}
	}
	for _, m := range of(c, window.Measured) {
		if m.Measured || m.Tokens > m.Window {
			t.Errorf("measured = %+v, want an estimate within the window", m)
		}
	}
	if len(of(c, window.Ended)) == 0 || len(of(c, session.RequestAttempt)) != 0 {
		t.Errorf("%d compactions, refusals %+v", len(of(c, window.Ended)), of(c, session.RequestAttempt))
	}
	c.sound()
}

func TestALongTurnOfAHelperIsSummarisedInTheMiddleAndDelivers(t *testing.T) {
	t.Parallel()
	c := talk(t, 24576, "window 24576\n"+summarising+`
on /count/
reply
  call shell {"command":"seq 1 900; echo again >> n; wc -l n"}
reply if /\n25 n/
  say Here is the report.
`, unguarded, nil)
	host, err := c.app.Host()
	if err != nil {
		t.Fatal(err)
	}
	if c.agent, err = host.Create(c.ctx, agent.Spec{Folder: c.work, Parent: c.id}); err != nil {
		t.Fatal(err)
	}
	c.id, c.mode = c.agent.ID(), agent.Bypass
	end := c.say("count, and count again, with care for every number")
	replies := of(c, session.AssistantMessage)
	if end.Reason.Kind != session.EndCompleted || llm.Plain(replies[len(replies)-1].Content) != "Here is the report." {
		t.Fatalf("the turn ended %+v, %+v after %d steps", end, end.Error, end.Steps)
	}
	ends := of(c, window.Ended)
	if len(ends) == 0 || len(ends) > 6 {
		t.Errorf("%d compactions in %d steps", len(ends), end.Steps)
	}
	if got := c.lastRequest(); !strings.Contains(got, "count, and count again, with care for every number") {
		t.Error("the newest message of the person is not in the last request, word for word")
	}
	if !strings.Contains(c.lastRequest(), "Workspace folder: "+c.work) {
		t.Error("where the session works is not in the last request")
	}
	c.sound()
}

func TestMakingRoomThatDoesNotHelpIsNotRepeated(t *testing.T) {
	t.Parallel()
	// The newest message alone takes most of the window, so that nothing older is large.
	rounds := strings.Repeat("reply\n  call list {\"path\":\".\"}\n", 9) + "reply\n  say Done.\n"
	c := talk(t, 32768, "window 32768\n"+summarising+"on /look/\n"+rounds+"otherwise\nreply\n  say Noted.\n", unguarded, nil)
	c.say("hello")
	c.say("look around. " + prose("a picture of the harbour", 70_000))
	if n := len(of(c, window.Ended)); n > 2 {
		t.Errorf("%d compactions in ten rounds, want two at most", n)
	}
	c.sound()
}

func TestASummaryThatFailsLeavesTheSessionAsItWas(t *testing.T) {
	t.Parallel()
	for what, model := range map[string]string{
		"no text":   "on /write a summary of everything above/\nreply\n  call list {\"path\":\".\"}\n",
		"a refusal": "on /write a summary of everything above/\nreply\n  fail 400 no\n",
	} {
		c := talk(t, 32768, "window 32768\n"+model+"otherwise\nreply\n  say Noted.\n", "", nil)
		c.say("first " + prose("an old matter", 40_000))
		c.say("second " + prose("another matter", 40_000))
		if end := c.say("third"); end.Reason.Kind != session.EndCompleted {
			t.Errorf("%s: the turn ended %+v, %+v", what, end, end.Error)
		}
		ends := of(c, window.Ended)
		if len(ends) == 0 {
			t.Fatalf("%s: no compaction was tried\n%s", what, c.log())
		}
		summaries := of(c, window.Summary)
		if what == "no text" && (len(summaries) == 0 || summaries[0].By != "harness" || !strings.Contains(summaries[0].Text, "first an old matter")) {
			t.Errorf("%s: summaries = %+v", what, summaries)
		}
		if what == "a refusal" && (len(summaries) != 0 || ends[0].Error == "") {
			t.Errorf("%s: summaries = %+v, ends = %+v", what, summaries, ends)
		}
		c.sound()
	}
}

func TestStopEndsACompactionAndNothingIsLost(t *testing.T) {
	t.Parallel()
	c := talk(t, 32768, "window 32768\non /write a summary of everything above/\nreply\n  hang\notherwise\nreply\n  say Noted.\n", "", nil)
	c.say("first " + prose("an old matter", 40_000))
	if err := c.do("send", "second "+prose("another matter", 40_000)); err != nil {
		t.Fatal(err)
	}
	if err := c.do("wait", session.PrefixBroken.Name+" compaction"); err != nil {
		t.Fatal(err)
	}
	if err := c.do("stop", ""); err != nil {
		t.Fatal(err)
	}
	ends := of(c, session.TurnEnd)
	if got := ends[len(ends)-1].Reason; got != (session.EndReason{Kind: session.EndAborted, By: "user"}) {
		t.Errorf("the turn ended %+v", got)
	}
	if len(of(c, window.Summary)) != 0 || len(of(c, window.Ended)) != 1 {
		t.Error("the compaction left a summary, or no end")
	}
}

func TestAStepOfOneRequestMayTakeAReplyThatIsShorter(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"the sum":   `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 100000 + 65536 > 131072, decrease input length or ` + "`max_tokens`" + ` and try again"}}`,
		"one over":  `{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 128000 output tokens and your prompt contains at least 3073 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or the number of requested output tokens.","code":400}}`,
		"a ceiling": `{"error":{"message":"max_tokens: integer above maximum value, expected <= 32768, got 65536","code":400}}`,
	} {
		var mu sync.Mutex
		refused := 0
		c := talk(t, 131072, "counting off\n"+summarising+"otherwise\nreply\n  say Noted.\n", "", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if strings.HasSuffix(r.URL.Path, "/chat/completions") && refused == 0 {
					refused++
					with(400, text)(w, 3100, 131072)
					return
				}
				next.ServeHTTP(w, r)
			})
		})
		if end := c.say("hello"); end.Reason.Kind != session.EndCompleted || refused != 1 {
			t.Errorf("%s: the turn ended %+v, %+v after %d refusals", what, end, end.Error, refused)
		}
		if n := len(of(c, window.Ended)); n != 0 {
			t.Errorf("%s: %d compactions of a short session", what, n)
		}
		headers := of(c, session.RequestHeader)
		if first, last := headers[0].Params, headers[len(headers)-1].Params; len(headers) != 2 || (last.MaxTokens >= first.MaxTokens && last.Quirks.OutputLimit == 0) {
			t.Errorf("%s: %d requests, caps %d and %d", what, len(headers), first.MaxTokens, last.MaxTokens)
		}
	}
}

func TestOldResultsAreShortenedFirstAndStayWholeInTheLog(t *testing.T) {
	t.Parallel()
	c := talk(t, 65536, "window 65536\n"+summarising+`
on /count/
reply
  call shell {"command":"seq 1 2600"}
reply
  say Counted.
otherwise
reply
  say Noted.
`, unguarded, nil)
	c.mode = agent.Bypass
	for i := range 10 {
		if end := c.say(fmt.Sprintf("count for the %dth time", i)); end.Reason.Kind != session.EndCompleted {
			t.Fatalf("round %d ended %+v, %+v", i, end, end.Error)
		}
	}
	cuts, ends := of(c, window.Pruned), of(c, window.Ended)
	if len(cuts) == 0 || len(ends) == 0 || ends[0].Pruned != len(cuts) || ends[0].Pieces != 0 || len(of(c, window.Summary)) != 0 {
		t.Fatalf("%d results were shortened, compactions %+v", len(cuts), ends)
	}
	if ends[0].After >= ends[0].Start*7/8 {
		t.Errorf("it went from %d to %d of %d tokens", ends[0].Before, ends[0].After, ends[0].Start)
	}
	if got := c.lastRequest(); !strings.Contains(got, "bytes are left out here to make room") {
		t.Error("the request shows no shortened result")
	}
	for i, r := range of(c, session.ToolResult) {
		if text := llm.Plain(r.Content); !strings.Contains(text, "1300") {
			t.Errorf("result %d in the log is not whole", i)
		}
	}
	c.sound()
}

func TestAProcessThatEndsWhileASummaryIsMadeGoesOnWithoutIt(t *testing.T) {
	t.Parallel()
	c := talk(t, 32768, "window 32768\non /write a summary of everything above/\nreply\n  hang\non /elsewhere/\nreply\n  say Here.\notherwise\nreply\n  say Noted.\n", unguarded, nil)
	c.say("first " + prose("an old matter", 40_000))
	if err := c.do("send", "second "+prose("another matter", 40_000)); err != nil {
		t.Fatal(err)
	}
	if err := c.do("wait", session.PrefixBroken.Name+" compaction"); err != nil {
		t.Fatal(err)
	}
	if err := c.agent.Log().Flush(c.ctx); err != nil {
		t.Fatal(err)
	}
	// What is on disk now is what a killed process leaves.
	left := t.TempDir()
	if err := os.CopyFS(left, os.DirFS(c.home)); err != nil {
		t.Fatal(err)
	}
	if err := c.do("stop", ""); err != nil {
		t.Fatal(err)
	}
	if err := c.app.Close(c.ctx); err != nil {
		t.Fatal(err)
	}
	c.home = left
	c.boot()
	if ends := of(c, session.TurnEnd); ends[len(ends)-1].Reason.Kind != session.EndInterrupted {
		t.Errorf("the turn ended %+v", ends[len(ends)-1])
	}
	if _, err := c.agent.Send(c.ctx, agent.Input{Content: llm.Text("elsewhere")}); err != nil {
		t.Fatal(err)
	}
	// The summary hangs again; without it the context still has room for the request.
	if err := c.do("wait", session.PrefixBroken.Name+" compaction"); err != nil {
		t.Fatal(err)
	}
	if err := c.do("stop", ""); err != nil {
		t.Fatal(err)
	}
	c.rebuilt()
}

func TestResultsThatTogetherExceedTheWindowAreShortenedAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	var calls string
	for i := range 9 {
		calls += fmt.Sprintf("  call shell {\"command\":\"seq %d 2900\"}\n", i+1)
	}
	c := talk(t, 32768, "window 32768\n"+summarising+"on /count/\nreply\n"+calls+"reply\n  say Counted.\n", unguarded, nil)
	end := c.say("count")
	if end.Reason.Kind != session.EndCompleted || end.Steps != 2 {
		t.Fatalf("the turn ended %+v, %+v after %d steps", end, end.Error, end.Steps)
	}
	if refused := of(c, session.RequestAttempt); len(refused) != 0 {
		t.Errorf("the server refused %+v", refused)
	}
	if len(of(c, window.Pruned)) == 0 {
		t.Error("nothing was shortened")
	}
	c.sound()
}

func TestAWindowThatTheInstructionsAloneFillIsNamed(t *testing.T) {
	t.Parallel()
	c := talk(t, 2048, "window 2048\n"+summarising+"otherwise\nreply\n  say Noted.\n", unguarded, nil)
	end := c.say("hello")
	if end.Error == nil || end.Error.Code != window.CodeExceeded || !strings.Contains(end.Text, "instructions and tools alone") {
		t.Errorf("the turn ended %+v, %+v", end, end.Error)
	}
	if n := len(c.judge.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
