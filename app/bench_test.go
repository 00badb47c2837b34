package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/llm"
)

// BenchmarkStep is the cost of one step: a request over real HTTP, a reply with one
// call of a file tool, its result, everything durable. One turn has b.N steps, so
// growth of the cost with the history shows as a growing time per step.
func BenchmarkStep(b *testing.B) {
	work := b.TempDir()
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	var step atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a model reads its prompt
		w.Header().Set("Content-Type", "text/event-stream")
		if n := step.Add(1); n <= int64(b.N) {
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_%d\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\\\"a.txt\\\",\\\"limit\\\":%d}\"}}]}}]}\n\n", n, n)
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
			return
		}
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	c := &conversation{server: server}
	a, err := app.Boot(b.Context(), app.Options{Home: filepath.Join(b.TempDir(), "home"), Profile: "headless", Flags: c.rows()})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close(context.Background())
	host, err := a.Host()
	if err != nil {
		b.Fatal(err)
	}
	driver, err := host.Create(b.Context(), agent.Spec{Folder: work})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := driver.Send(b.Context(), agent.Input{Content: llm.Text("go")}); err != nil {
		b.Fatal(err)
	}
	if err := driver.Idle(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStart is the time from nothing to a process that takes a message.
func BenchmarkStart(b *testing.B) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	c := &conversation{server: server}
	for b.Loop() {
		a, err := app.Boot(b.Context(), app.Options{Home: filepath.Join(b.TempDir(), "home"), Profile: "headless", Flags: c.rows()})
		if err != nil {
			b.Fatal(err)
		}
		if err := a.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
