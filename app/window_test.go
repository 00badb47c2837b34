package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/testkit"
	"fairlead/window"
)

// talk begins a conversation whose model has a window. front stands before the model,
// where a test wants one.
func talk(t *testing.T, tokens int, model, patch string, front func(http.Handler) http.Handler) *conversation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	script, err := scripted.Parse(fmt.Sprintf("window %d\n%s", tokens, model))
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

const summarising = `
on /write a summary of everything above/
reply
  say SUMMARY: they talk about tides.
`

func prose(words string, bytes int) string { return strings.Repeat(words+" ", bytes/(len(words)+1)) }

func TestASessionOf64KThatReaches80PercentIsSummarisedAndGoesOn(t *testing.T) {
	t.Parallel()
	c := talk(t, 65536, summarising+"otherwise\nreply\n  say Noted.\n", "-- patch.yaml --\nrows:\n  - id: window\n    config: {reserve: 8192}\n", nil)
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
