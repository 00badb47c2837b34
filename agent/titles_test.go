package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
)

const twoReplies = "title Mending the parser\nreply\n  say It is mended.\nreply\n  say Once more.\n"

// titled waits until a session has a title by somebody.
func (h *house) titled(a *agent.Agent, by string) session.TitledData {
	h.t.Helper()
	for f, err := range a.Log().Watch(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if f.Event == nil || !session.Titled.Of(*f.Event) {
			continue
		}
		if d, err := session.Titled.Decode(*f.Event); err == nil && d.By == by {
			return d
		}
	}
	h.t.Fatalf("no title by %s came", by)
	return session.TitledData{}
}

func TestASessionIsNamedByItsPromptAtOnceAndByTheModelAfterTheFirstAnswer(t *testing.T) {
	h := build(t, blueprint{titles: true, script: twoReplies})
	a := h.create()
	h.say(a, "Mend the parser, please.\nIt loses commas.")
	got := h.titled(a, session.ByModel)
	if got.Usage == nil || got.Usage.Output <= 0 {
		t.Errorf("what the title cost: %+v", got.Usage)
	}
	h.say(a, "Again")
	titles := decoded(h, a, session.Titled)
	for i := range titles {
		titles[i].Usage = nil
	}
	want := []session.TitledData{{Title: "Mend the parser, please.", By: session.ByPrompt}, {Title: "Mending the parser", By: session.ByModel, Model: "test/scripted"}}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("titles (-want +got)\n%s", diff)
	}
	var replies []string
	for _, m := range decoded(h, a, session.AssistantMessage) {
		replies = append(replies, llm.Plain(m.Content))
	}
	if diff := cmp.Diff([]string{"It is mended.", "Once more."}, replies); diff != "" {
		t.Errorf("the request for a title took a reply of the conversation (-want +got)\n%s", diff)
	}
	if asked := decoded(h, a, session.TitleAsked); len(asked) != 1 {
		t.Errorf("%d requests for a title, want one", len(asked))
	}
}

func TestTheRequestForATitleComesOutOfTheLogByteForByte(t *testing.T) {
	h := build(t, blueprint{titles: true, script: twoReplies})
	a := h.create()
	h.say(a, "Mend the parser. "+strings.Repeat("长 <&> \u2028 ", 2000))
	h.titled(a, session.ByModel)
	script, err := scripted.Parse(twoReplies)
	if err != nil {
		t.Fatal(err)
	}
	encoder := func(string) (llm.Adapter, error) { return scripted.New(script), nil }
	body, d, err := agent.RebuildTitle(a.Log(), encoder)
	if err != nil || len(body) != d.Bytes {
		t.Errorf("%d bytes of %d: %v", len(body), d.Bytes, err)
	}
	for _, e := range h.events(a) {
		if session.TitleAsked.Of(e) && (e.Blob != nil || e.Turn != 0) {
			t.Errorf("the row of a title stands where it does not belong: %+v", e)
		}
	}
	if _, head, err := agent.Rebuild(a.Log(), 1, encoder); err != nil || head.Request != 1 {
		t.Errorf("request 1: %+v %v", head, err)
	}
	if _, _, err := agent.Rebuild(a.Log(), 2, encoder); err == nil {
		t.Error("the request for a title counts among those of the turns")
	}
}

// counted is an adapter that counts what is asked and answers a title with its text.
type counted struct {
	llm.Adapter
	titles chan []byte
	answer func(ctx context.Context) iter.Seq2[llm.Chunk, error]
}

func (c counted) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	var b struct{ System string }
	if json.Unmarshal(body, &b) == nil && strings.HasPrefix(b.System, "Write a title") {
		c.titles <- body
		return c.answer(ctx)
	}
	return c.Adapter.Stream(ctx, body)
}

func says(text string) func(context.Context) iter.Seq2[llm.Chunk, error] {
	return func(context.Context) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			usage := llm.UnknownUsage()
			if text == "" || yield(llm.Chunk{Text: text}, nil) {
				yield(llm.Chunk{Finish: llm.FinishStop, Usage: &usage}, nil)
			}
		}
	}
}

// other registers a route to an adapter whose titles can be seen.
func other(t *testing.T, c counted, route llm.Route) graph.Plugin {
	t.Helper()
	script, err := scripted.Parse("reply\n  say Done.\n")
	if err != nil {
		t.Fatal(err)
	}
	c.Adapter = scripted.New(script)
	route.Name, route.Adapter, route.Wire = "other/model", c, "scripted"
	return graph.Plugin{Name: "other model", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)}, Apply: func(f *graph.Fiber, _ any) error {
		routes, err := graph.Get(f, llm.RoutesKey)
		if err != nil {
			return err
		}
		routes.Prefer(f, route.Name)
		return routes.Register(f, route)
	}}
}

func TestWhatAModelNamesIsCleanedBeforeItIsATitle(t *testing.T) {
	for answer, want := range map[string]string{
		"\"Mending the parser.\"\n\nI chose this because…": "Mending the parser",
		"**Title: Mending the parser**":                    "Mending the parser",
		"「修复解析器」":                                          "修复解析器",
		"\u202eevil\u2066 \x1b[2Jtitle":                    "evil [2Jtitle",
		"# " + strings.Repeat("word ", 100):                strings.TrimSpace(strings.Repeat("word ", 15)) + "…",
	} {
		t.Run(want, func(t *testing.T) {
			c := counted{titles: make(chan []byte, 1), answer: says(answer)}
			h := build(t, blueprint{titles: true, script: "reply\n  say unused\n", plugins: []graph.Plugin{other(t, c, llm.Route{})}})
			a := h.create()
			h.say(a, "Go")
			if got := h.titled(a, session.ByModel); got.Title != want {
				t.Errorf("%q gives the title %q, want %q", answer, got.Title, want)
			}
		})
	}
}

func TestAServerThatWorksOnOneRequestAtATimeIsNotAskedForATitle(t *testing.T) {
	for name, want := range map[string]struct {
		local bool
		slots int
		asked int
	}{
		"one slot on this machine":        {true, 1, 0},
		"unknown slots on this machine":   {true, 0, 0},
		"several slots on this machine":   {true, 4, 1},
		"a server that is somewhere else": {false, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := counted{titles: make(chan []byte, 4), answer: says("A title")}
			rested := make(chan struct{})
			after := plugin(func(f *fiber) { agent.Rested.On(f, func(context.Context, *agent.Agent) { close(rested) }) })
			h := build(t, blueprint{titles: true, script: "reply\n  say unused\n", plugins: append(after, other(t, c, llm.Route{Local: want.local, Model: llm.Model{Slots: want.slots}}))})
			a := h.create()
			h.say(a, "Go")
			<-rested // whoever asks for a title has begun to
			if want.asked > 0 {
				h.titled(a, session.ByModel)
			}
			h.close()
			if got := len(c.titles); got != want.asked {
				t.Errorf("asked %d times, want %d", got, want.asked)
			}
		})
	}
}

func TestATitleThatDoesNotComeIsToldToTheOperatorAlone(t *testing.T) {
	for name, answer := range map[string]func(context.Context) iter.Seq2[llm.Chunk, error]{
		"refused": func(context.Context) iter.Seq2[llm.Chunk, error] {
			return func(yield func(llm.Chunk, error) bool) {
				yield(llm.Chunk{}, &llm.Error{Code: llm.CodeRefused, Status: 400, RetryAfter: -1})
			}
		},
		"empty":   says(" \n"),
		"dressed": says("\u202e\u202d"),
	} {
		t.Run(name, func(t *testing.T) {
			warned := make(chan string, 16)
			c := counted{titles: make(chan []byte, 4), answer: answer}
			h := build(t, blueprint{titles: true, script: "reply\n  say unused\n", logger: slog.New(warnings{warned}), plugins: []graph.Plugin{other(t, c, llm.Route{})}})
			a := h.create()
			h.say(a, "Go")
			if got := <-warned; got != "a session keeps the title of its prompt" {
				t.Errorf("the operator reads %q", got)
			}
			h.say(a, "Go on")
			h.close()
			if got := len(c.titles); got != 1 {
				t.Errorf("asked %d times, want once", got)
			}
		})
	}
}

// warnings passes on what is logged from warnings up.
type warnings struct{ to chan string }

func (w warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (w warnings) WithAttrs([]slog.Attr) slog.Handler           { return w }
func (w warnings) WithGroup(string) slog.Handler                { return w }
func (w warnings) Handle(_ context.Context, r slog.Record) error {
	w.to <- r.Message
	return nil
}

func TestATitleIsNotWaitedForAndATitleOfAPersonStays(t *testing.T) {
	c := counted{titles: make(chan []byte, 1)}
	ended := make(chan error, 1)
	c.answer = func(ctx context.Context) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			<-ctx.Done()
			ended <- ctx.Err()
			yield(llm.Chunk{}, &llm.Error{Code: llm.CodeInterrupted, RetryAfter: -1, Err: ctx.Err()})
		}
	}
	h := build(t, blueprint{titles: true, script: "reply\n  say unused\n", plugins: []graph.Plugin{other(t, c, llm.Route{})}})
	a := h.create()
	h.say(a, "Go")
	<-c.titles
	h.say(a, "A second turn runs while the title is waited for")
	if _, err := a.Log().Append(t.Context(), session.Titled.New(0, 0, session.TitledData{Title: "Mine", By: session.ByPerson})); err != nil {
		t.Fatal(err)
	}
	h.close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v, want because the process ends", err)
	}

	named := build(t, blueprint{titles: true, script: twoReplies})
	b := named.create()
	if _, err := b.Log().Append(t.Context(), session.Titled.New(0, 0, session.TitledData{Title: "Mine", By: session.ByPerson})); err != nil {
		t.Fatal(err)
	}
	named.say(b, "Go")
	named.close()
	if asked := len(c.titles); asked != 0 {
		t.Errorf("a model was asked %d times for what a person had named", asked)
	}
}
