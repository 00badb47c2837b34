package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/llm"
	"fairlead/llm/openai"
	"fairlead/llm/wire"

	"github.com/google/go-cmp/cmp"
)

// slow answers with lines, each behind a pause; then it stays silent and open.
type slow struct {
	head  time.Duration
	lines []line
	calls int
	fail  int // how many answers say that the model loads
}

type line struct {
	after time.Duration
	text  string
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls++
	if s.calls <= s.fail {
		return &http.Response{StatusCode: 503, Header: http.Header{}, Request: r,
			Body: io.NopCloser(strings.NewReader(`{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`))}, nil
	}
	select {
	case <-time.After(s.head):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &slowBody{ctx: r.Context(), lines: s.lines}, Request: r}, nil
}

type slowBody struct {
	ctx   context.Context
	lines []line
}

func (b *slowBody) Read(p []byte) (int, error) {
	var next <-chan time.Time
	if len(b.lines) > 0 {
		next = time.After(b.lines[0].after)
	}
	select {
	case <-next:
		n := copy(p, b.lines[0].text)
		b.lines = b.lines[1:]
		return n, nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *slowBody) Close() error { return nil }

func beats(every, long time.Duration) []line {
	var list []line
	for at := every; at <= long; at += every {
		list = append(list, line{every, ": alive\n\n"})
	}
	return list
}

func TestPatience(t *testing.T) {
	whole := []line{{0, d(`{"content":"hi"}`)}, {0, fin("stop")}, {0, done}}
	first := func(after time.Duration) []line { return append([]line{{after, d(`{"content":"h"}`)}}, whole...) }
	for _, c := range []struct {
		name  string
		peer  slow
		local bool
		want  llm.Code
		text  string
		took  time.Duration
	}{
		{"local: ten minutes for the head", slow{head: 10 * time.Minute, lines: whole}, true, "", "hi", 10 * time.Minute},
		{"local: ten minutes to the first token", slow{lines: first(10 * time.Minute)}, true, "", "hhi", 10 * time.Minute},
		{"api: five minutes to the head", slow{head: time.Hour}, false, llm.CodeTimeout, "", 300 * time.Second},
		{"api: five minutes to the first token", slow{lines: append(beats(time.Second, 400*time.Second), whole...)}, false, llm.CodeTimeout, "", 300 * time.Second},
		{"heartbeats before the first token are no harm", slow{lines: append(beats(time.Second, 90*time.Second), whole...)}, false, "", "hi", 90 * time.Second},
		{"the role is no token", slow{lines: append([]line{{0, d(`{"role":"assistant","content":""}`)}, {200 * time.Second, ": x\n\n"}}, whole...)}, false, "", "hi", 200 * time.Second},
		{"silence behind the first token", slow{lines: []line{{time.Second, d(`{"content":"h"}`)}}}, true, llm.CodeTimeout, "h", 121 * time.Second},
		{"heartbeats behind the first token do not count", slow{lines: append([]line{{time.Second, d(`{"content":"h"}`)}}, beats(time.Second, time.Hour)...)}, true, llm.CodeTimeout, "h", 121 * time.Second},
		{"an error, then silence", slow{lines: []line{{time.Second, event(`{"error":{"message":"Overloaded"}}`)}}}, true, llm.CodeServer, "", time.Second},
		{"the finish, then silence", slow{lines: []line{{0, d(`{"content":"hi"}`)}, {0, fin("stop")}}}, true, "", "hi", 5 * time.Second},
		{"usage a little behind the finish", slow{lines: []line{{0, d(`{"content":"hi"}`)}, {0, fin("stop")}, {3 * time.Second, event(`{"choices":[],"usage":{"prompt_tokens":1}}`)}, {0, done}}}, true, "", "hi", 3 * time.Second},
		{"45 s of loading", slow{fail: 45, lines: whole}, true, "", "hi", 45 * time.Second},
		{"api: loading has the same limit", slow{fail: 1000, lines: whole}, false, llm.CodeTimeout, "", 300 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opt := openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: &c.peer}}
				if !c.local {
					opt.FirstTokenLimit = wire.FirstLimit
				}
				start := time.Now()
				m, _, _, err := ask(t, openai.New(opt), "hi")
				e, _ := errors.AsType[*llm.Error](err)
				var code llm.Code
				if e != nil {
					code = e.Code
				}
				if code != c.want || llm.Plain(m.Content) != c.text || time.Since(start) != c.took {
					t.Errorf("code %q, text %q after %v (%v)", code, llm.Plain(m.Content), time.Since(start), err)
				}
				if e != nil && e.Started != (c.text != "") {
					t.Errorf("started: %v", e.Started)
				}
			})
		})
	}
}

func TestAServerThatLoadsOrReadsShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{fail: 2, lines: []line{
			{0, event(`{"choices":[{"delta":{}}],"prompt_progress":{"total":1000,"processed":250}}`)},
			{0, d(`{"content":"hi"}`)}, {0, fin("stop")}, {0, done}}}
		a := openai.New(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: p}})
		var got []llm.Chunk
		for c, err := range a.Stream(t.Context(), []byte("{}")) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c)
		}
		want := []llm.Chunk{{State: "loading"}, {State: "loading"}, {State: "prompt", Progress: 0.25}, {Text: "hi"}, {Finish: llm.FinishStop}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestStopEndsARequestAtOnce(t *testing.T) {
	for name, p := range map[string]*slow{
		"while it is sent":      {head: time.Hour},
		"while it loads":        {fail: 1000},
		"before the first word": {lines: []line{{time.Hour, ""}}},
		"in the middle":         {lines: []line{{0, d(`{"content":"h"}`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				stopped := errors.New("stopped by the person")
				time.AfterFunc(7*time.Second, func() { cancel(stopped) })
				start := time.Now()
				var failure error
				for _, err := range openai.New(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: p}}).Stream(ctx, []byte("{}")) {
					failure = err
				}
				e, ok := errors.AsType[*llm.Error](failure)
				if !ok || e.Code != llm.CodeInterrupted || !errors.Is(e, stopped) || time.Since(start) != 7*time.Second {
					t.Errorf("after %v: %v", time.Since(start), failure)
				}
			})
		})
	}
}

func TestAConsumerThatBreaksOffClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &slowBody{lines: []line{{0, d(`{"content":"h"}`)}}}
		closed := make(chan struct{})
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			body.ctx = r.Context()
			context.AfterFunc(r.Context(), func() { close(closed) })
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: r}, nil
		})
		for range openai.New(openai.Options{BaseURL: "http://peer", Client: &http.Client{Transport: transport}}).Stream(t.Context(), []byte("{}")) {
			break
		}
		<-closed
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
