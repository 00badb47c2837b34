package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time of this process so far.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkLongReply is a reply of 5,000 chunks through the whole product: adapter,
// guards, deltas into the log, message on disk. The ratio is its processor time
// against that of reading the same bytes with a bare scanner and one JSON decode a
// chunk; it is to stay below 2.
func BenchmarkLongReply(b *testing.B) {
	model, send := longReply(b)
	bare := func() {
		resp, err := http.Post(model, "application/json", bytes.NewReader([]byte("{}")))
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		for scan := bufio.NewScanner(resp.Body); scan.Scan(); {
			data, ok := bytes.CutPrefix(scan.Bytes(), []byte("data: "))
			if !ok || data[0] != '{' {
				continue
			}
			var c struct {
				Choices []struct {
					Delta  struct{ Content string } `json:"delta"`
					Finish string                   `json:"finish_reason"`
				} `json:"choices"`
			}
			if err := json.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	}
	var whole, least time.Duration
	for b.Loop() {
		at := cpu(b)
		bare()
		between := cpu(b)
		send()
		whole, least = whole+cpu(b)-between, least+between-at
	}
	b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N)/longReplyChunks, "cpu-ns/chunk")
	b.ReportMetric(float64(whole)/float64(least), "ratio")
}

// clocked is a model that makes a run of steps, no two alike, and notes the processor
// time at the arrival of each request and at the end of each answer.
type clocked struct {
	tb      testing.TB
	steps   int
	come    []time.Duration
	answers []time.Duration
}

func (c *clocked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		c.tb.Error(err)
	}
	c.come = append(c.come, cpu(c.tb))
	w.Header().Set("Content-Type", "text/event-stream")
	if n := len(c.come); n <= c.steps {
		fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_%d","function":{"name":"read","arguments":"{\"path\":\"notes.txt\",\"offset\":%d,\"limit\":1}"}}]}}]}`+"\n\n", n, n)
		fmt.Fprintf(w, `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":%d,"completion_tokens":20}}`+"\n\ndata: [DONE]\n\n", 4000+n*60)
	} else {
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}
	c.answers = append(c.answers, cpu(c.tb))
}

// around is the median processor time that the product took for the steps around one:
// from the end of an answer to the arrival of the next request.
func (c *clocked) around(step int) float64 {
	var all []float64
	for i := step - 8; i < step+8; i++ {
		all = append(all, float64((c.come[i] - c.answers[i-1]).Microseconds()))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkLateStep compares what the product takes around step 190 of a run with
// what it takes around step 10; the ratio is to stay below 1.25.
func BenchmarkLateStep(b *testing.B) {
	var early, late []float64
	for b.Loop() {
		model := &clocked{tb: b, steps: 200}
		runLong(b, model)
		early, late = append(early, model.around(10)), append(late, model.around(190))
	}
	slices.Sort(early)
	slices.Sort(late)
	b.ReportMetric(early[len(early)/2], "cpu-µs/step10")
	b.ReportMetric(late[len(late)/2], "cpu-µs/step190")
	b.ReportMetric(late[len(late)/2]/early[len(early)/2], "ratio")
}
