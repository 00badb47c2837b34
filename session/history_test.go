package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/session"
)

// summary is a kind that hides what it sums up, as compaction does.
var summary = session.Kind[summaryData]{Name: "compaction/summary", Doc: "stands for older events",
	Message: func(d summaryData) *llm.Message {
		return &llm.Message{Role: llm.User, Content: llm.Text(d.Text)}
	},
	Shadow: func(d summaryData) session.Span { return d.Span },
}

type summaryData struct {
	Span session.Span `json:"span"`
	Text string       `json:"text"`
}

// counts is a projection that shows every kind's number of events.
var counts = session.Projection[map[string]int]{Name: "counts", Version: 1,
	Fold: func(s map[string]int, e session.Event) map[string]int {
		n := make(map[string]int, len(s)+1)
		for k, v := range s {
			n[k] = v
		}
		n[e.Type]++
		return n
	}}

// withSummaries makes a library know the kind summary.
func withSummaries(o *session.Options) {
	o.Kinds = session.NewKindTable(session.Kinds(), []session.AnyKind{summary})
	o.Projections = append(o.Projections, counts)
}

// conversation writes realistic turns into a log.
type conversation struct {
	tb   testing.TB
	log  *session.Log
	rand *rand.Rand
	turn int
	// big is how often, in 1000 results, one is too large for a line.
	big int
	// terse makes every text short.
	terse bool
	// keep is how many turns a summary leaves; 0 never sums up.
	keep  int
	turns []int64 // the first event of each turn
}

func converse(tb testing.TB, log *session.Log) *conversation {
	return &conversation{tb: tb, log: log, rand: rand.New(rand.NewPCG(1, 2)), big: 20}
}

func (c *conversation) append(drafts ...session.Draft) []session.Event {
	c.tb.Helper()
	events, err := c.log.Append(context.Background(), drafts...)
	if err != nil {
		c.tb.Fatal(err)
	}
	return events
}

var vocabulary = strings.Fields("the session reads a file 世界 and writes <tags> \"quoted\" text with \\ and é, then runs go test ./... until it passes 🙂 again")

func (c *conversation) words(n int) string {
	var b strings.Builder
	if c.terse {
		n = min(n, 3)
	}
	for range n {
		b.WriteString(vocabulary[c.rand.IntN(len(vocabulary))])
		b.WriteByte(' ')
	}
	return b.String()
}

// run has one turn with a number of steps, each a reply with one call but the last.
func (c *conversation) run(steps int) {
	c.tb.Helper()
	c.turn++
	t := c.turn
	begun := c.append(session.ActivityStart.New(0, 0, struct{}{}),
		session.TurnStart.New(t, 0, session.TurnStartData{Mode: "manual", Model: "local/model", Origin: "person"}),
		session.UserMessage.New(t, 0, said(fmt.Sprintf("m%d", t), c.words(12))))
	c.turns = append(c.turns, begun[0].Seq)
	for s := 1; s <= steps; s++ {
		c.step(t, s, s == steps)
	}
	c.append(session.TurnEnd.New(t, 0, session.TurnEndData{Reason: session.EndReason{Kind: session.EndCompleted}, Steps: steps}),
		session.ActivityEnd.New(0, 0, struct{}{}))
	if c.keep > 0 && len(c.turns) >= 2*c.keep {
		cut := c.turns[len(c.turns)-c.keep]
		c.append(summary.New(0, 0, summaryData{Span: session.Span{From: 1, To: cut - 1}, Text: c.words(40)}))
		c.turns = c.turns[len(c.turns)-c.keep:]
	}
}

func (c *conversation) step(t, s int, last bool) {
	c.tb.Helper()
	call := fmt.Sprintf("c%d-%d", t, s)
	c.append(session.StepStart.New(t, s, struct{}{}),
		session.RequestHeader.New(t, s, session.RequestHeaderData{Request: t*100 + s, Route: "local/model", Model: "model", Wire: "chat", Surface: c.log.Seq(), Bytes: 4000 + s}))
	reply := session.AssistantMessageData{ID: "r" + call, Content: llm.Text(c.words(15)), Finish: llm.FinishCalls, Usage: &llm.Usage{Input: 1000, Output: 40}}
	if last {
		reply.Finish = llm.FinishStop
		c.append(session.AssistantMessage.New(t, s, reply), session.StepEnd.New(t, s, struct{}{}))
		return
	}
	reply.Calls = []llm.Call{{ID: "call_0", Name: "shell", Arguments: `{"command":"go test ./..."}`}}
	c.append(session.AssistantMessage.New(t, s, reply))
	c.append(session.ToolCall.New(t, s, session.ToolCallData{Call: call, ModelID: "call_0", Caller: "model", Tool: "shell", Arguments: reply.Calls[0].Arguments,
		Present: session.Present{Verb: "run", What: "go test ./..."}}))
	c.append(session.ToolStarted.New(t, s, session.ToolStartedData{Call: call}))
	size := 20
	if c.rand.IntN(1000) < c.big {
		size = 4000
	}
	c.append(session.ToolResult.New(t, s, session.ToolResultData{Call: call, ModelID: "call_0", Content: llm.Text(c.words(size)), Millis: 12}),
		session.StepEnd.New(t, s, struct{}{}))
}

// events writes turns until the log holds at least n events.
func (c *conversation) events(n int64) {
	c.tb.Helper()
	for c.log.Seq() < n {
		c.run(2 + c.rand.IntN(4))
	}
}

// recorded makes a session of n events in a folder and closes it.
func recorded(tb testing.TB, dir string, n int64, change ...func(*conversation)) session.ID {
	tb.Helper()
	ctx := context.Background()
	lib := session.NewLibrary(optionsFor(dir))
	log := must(lib.Create(ctx, session.CreatedData{Folder: "/work/project", Preset: "standard"}))(tb)
	c := converse(tb, log)
	c.keep = 2
	for _, f := range change {
		f(c)
	}
	c.events(n)
	if err := lib.Close(ctx); err != nil {
		tb.Fatal(err)
	}
	return log.ID()
}

// copied gives a fresh folder with a copy of a session, its log exchanged.
func copied(tb testing.TB, from string, id session.ID, log []byte, without ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.CopyFS(filepath.Join(dir, string(id)), os.DirFS(filepath.Join(from, string(id)))); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(logFile(dir, id), log, 0o600); err != nil {
		tb.Fatal(err)
	}
	for _, name := range without {
		if err := os.Remove(filepath.Join(dir, string(id), name)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func logFile(dir string, id session.ID) string { return filepath.Join(dir, string(id), "log.jsonl") }

func bytesOf(tb testing.TB, path string) []byte {
	tb.Helper()
	return must(os.ReadFile(path))(tb)
}
