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
	"testing"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/testkit"
)

// longTurn is a script of many steps, no two alike.
func longTurn(steps int) string {
	var b strings.Builder
	for i := range steps {
		fmt.Fprintf(&b, "reply\n  say Step %d.\n  call read {\"path\":\"notes.txt\",\"offset\":%d,\"limit\":1}\n", i+1, i+1)
	}
	return b.String() + "reply\n  say Done.\n"
}

// hostOf boots the headless product on a home of its own, with rows over its own.
func hostOf(tb testing.TB, rows string) *agent.Host {
	tb.Helper()
	a, err := app.Boot(tb.Context(), app.Options{Home: filepath.Join(tb.TempDir(), "home"), Profile: "headless", Flags: rows})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	host, err := a.Host()
	if err != nil {
		tb.Fatal(err)
	}
	return host
}

// runLong boots the product before a model and has it do a turn to its end.
func runLong(tb testing.TB, model http.Handler) *agent.Agent {
	tb.Helper()
	server := httptest.NewServer(model)
	tb.Cleanup(server.Close)
	work := tb.TempDir()
	if err := os.WriteFile(filepath.Join(work, "notes.txt"), bytes.Repeat([]byte("a line of notes\n"), 300), 0o644); err != nil {
		tb.Fatal(err)
	}
	c := &conversation{server: server}
	driver, err := hostOf(tb, c.rows()).Create(tb.Context(), agent.Spec{Folder: work})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := driver.Send(tb.Context(), agent.Input{Content: llm.Text("go")}); err != nil {
		tb.Fatal(err)
	}
	if err := driver.Idle(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return driver
}

func TestEveryRequestOfALongRunExtendsTheOneBefore(t *testing.T) {
	const steps = 200
	script, err := scripted.Parse("counting off\n" + longTurn(steps))
	if err != nil {
		t.Fatal(err)
	}
	judge := testkit.NewJudge(scripted.Handler(script))
	a := runLong(t, judge)
	reuse, err := session.StateOf(a.Log(), agent.Prefix)
	if err != nil {
		t.Fatal(err)
	}
	if reuse.Requests != steps+1 || reuse.Ratio() != 1 || reuse.Breaks != 0 {
		t.Errorf("reuse = %+v, want a ratio of exactly 1 over %d requests", reuse, steps+1)
	}
	if breaks := judge.Breaks(); len(breaks) != 0 {
		t.Errorf("the server saw %d requests that do not extend the one before; the first breaks at %s", len(breaks), breaks[0].Break)
	}
	for _, fault := range judge.Faults() {
		t.Errorf("a provider would have refused %s", fault)
	}
}

// longReplyChunks is how many pieces the long reply has.
const longReplyChunks = 5000

// longReply serves a reply of many chunks at an address. send has the product take it
// in a session of its own.
func longReply(tb testing.TB) (model string, send func()) {
	tb.Helper()
	var text bytes.Buffer
	for i := range longReplyChunks {
		fmt.Fprintf(&text, `data: {"id":"chatcmpl-00000001","object":"chat.completion.chunk","created":1764518400,"model":"m","choices":[{"index":0,"delta":{"content":" amber quartz %d"},"finish_reason":null}]}`+"\n\n", i)
	}
	text.WriteString("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(text.Bytes())
	}))
	tb.Cleanup(server.Close)
	c := &conversation{server: server}
	host := hostOf(tb, c.rows())
	return server.URL, func() {
		driver, err := host.Create(tb.Context(), agent.Spec{})
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := driver.Send(tb.Context(), agent.Input{Content: llm.Text("go")}); err != nil {
			tb.Fatal(err)
		}
		if err := driver.Idle(tb.Context()); err != nil {
			tb.Fatal(err)
		}
	}
}
