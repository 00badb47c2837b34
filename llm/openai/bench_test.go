package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/llm/openai"
)

const chunks = 5000

func longReply() []byte {
	var b bytes.Buffer
	for i := range chunks {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-00000001","object":"chat.completion.chunk","created":1764518400,"model":"m","choices":[{"index":0,"delta":{"content":" amber quartz %d"},"finish_reason":null}]}`+"\n\n", i)
	}
	b.WriteString(fin("stop") + done)
	return b.Bytes()
}

func serve(b *testing.B) (*httptest.Server, []byte) {
	text := longReply()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) }))
	b.Cleanup(s.Close)
	return s, text
}

// BenchmarkReply reads a reply of 5,000 chunks from a server; BenchmarkBareScan
// reads the same with a scanner and one JSON decode a chunk. The first may cost
// twice the second.
func BenchmarkReply(b *testing.B) {
	s, _ := serve(b)
	a := openai.New(openai.Options{BaseURL: s.URL, Client: s.Client()})
	b.ReportAllocs()
	for b.Loop() {
		var asm llm.Assembler
		for c, err := range a.Stream(b.Context(), []byte("{}")) {
			if err != nil {
				b.Fatal(err)
			}
			asm.Add(c)
		}
		if m, _, _ := asm.Message(); len(m.Content[0].Text) < chunks {
			b.Fatal("the reply is short")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}

func BenchmarkBareScan(b *testing.B) {
	s, _ := serve(b)
	b.ReportAllocs()
	for b.Loop() {
		resp, err := s.Client().Post(s.URL, "application/json", strings.NewReader("{}"))
		if err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		for scan := bufio.NewScanner(resp.Body); scan.Scan(); {
			data, ok := bytes.CutPrefix(scan.Bytes(), []byte("data: "))
			if !ok || data[0] != '{' {
				continue
			}
			var c struct {
				Choices []struct {
					Delta struct {
						Content string `json:"content"`
					} `json:"delta"`
					Finish string `json:"finish_reason"`
				} `json:"choices"`
			}
			if err := json.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
			text.WriteString(c.Choices[0].Delta.Content)
		}
		if err := resp.Body.Close(); err != nil {
			b.Fatal(err)
		}
		if text.Len() < chunks {
			b.Fatal("the reply is short")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}

// BenchmarkEncode writes the request of a step, early and late in a session.
func BenchmarkEncode(b *testing.B) {
	a := openai.New(openai.Options{})
	for _, steps := range []int{10, 190} {
		b.Run(fmt.Sprint(steps), func(b *testing.B) {
			req := &llm.Request{Model: "m", System: strings.Repeat("You are careful. ", 300), Messages: conversationOf(steps)}
			for i := range req.Messages {
				if req.Messages[i].Role == llm.ToolRole {
					req.Messages[i].Content = llm.Text(strings.Repeat("a line of output\n", 60))
				}
			}
			body, err := a.Encode(req)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Encode(req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
