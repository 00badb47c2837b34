package permission_test

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

// surfing sends words to the web.
type surfing struct{}

type sending struct{ Words, Near string }

func (surfing) Schema() llm.ToolSchema   { return schema("surf") }
func (surfing) ReadOnly(*tool.Call) bool { return true }
func (surfing) Leaves(c *tool.Call) (tool.Leaving, bool) {
	var a sending
	_ = c.Decode(&a) // checked by the pipeline
	return tool.Leaving{Host: "search.test", Text: a.Words, Near: a.Near}, true
}
func (surfing) Run(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text("found"), nil }

const plantedKey = "k3y-PLANTED-7f0e9d41"

// online is a house with a web tool and a key that must not leave.
func online(t *testing.T) *house {
	h := newHouse(t, newHomes(t), func(o *permission.Options) {
		o.Secret = func(text string) bool { return strings.Contains(text, plantedKey) }
	})
	h.plug("web", graph.Plugin{Name: "web", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)}, Apply: func(f *graph.Fiber, _ any) error {
		tools, err := graph.Get(f, tool.RegistryKey)
		if err != nil {
			return err
		}
		return tools.Register(f, surfing{})
	}})
	return h
}

// helper gives a house's view of a session that works for another one.
func (h *house) helper(of session.ID) *house {
	h.t.Helper()
	log, err := h.lib.Create(h.t.Context(), session.CreatedData{Folder: h.folder, Parent: of})
	must(h.t, err)
	h.t.Cleanup(func() { must(h.t, log.Close(context.Background())) })
	other := &house{t: h.t, graph: h.graph, tools: h.tools, gate: h.gate, lib: h.lib, log: log, folder: h.folder}
	other.begin("manual", "parent")
	return other
}

func TestTheWebIsAskedForOnceInAChat(t *testing.T) {
	h := online(t).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "surf", `{"words":"go generics"}`)
	if keys := factKeys(w.Card); !cmp.Equal(keys, []string{"card.sends-to", "card.web-chat"}) || w.Card.Wider != nil {
		t.Errorf("the card: %+v", w.Card)
	}
	must(t, h.decide(w, permission.Decision{Approve: true}))
	if got := <-result; got.Failed {
		t.Fatalf("the first: %+v", got)
	}
	helper := h.helper(h.log.ID())
	below := helper.helper(helper.log.ID())
	for name, in := range map[string]*house{"the chat": h, "its helper": helper, "the helper's helper": below} {
		if got := in.call(t.Context(), "surf", `{"words":"again"}`); got.Failed || in.last().By != "rule" {
			t.Errorf("%s: %+v, %+v", name, got, in.last())
		}
	}
	other := online(t).attended()
	other.begin("manual", "person")
	_, asked := other.asking(t.Context(), "surf", `{"words":"go generics"}`)
	must(t, other.decide(other.gate.Waiting("")[0], permission.Decision{}))
	<-asked
}

func TestANoToTheWebHoldsForTheChatAndItsHelpers(t *testing.T) {
	h := online(t).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "surf", `{"words":"go generics"}`)
	must(t, h.decide(w, permission.Decision{}))
	first := <-result
	helper := h.helper(h.log.ID())
	second, third := h.call(t.Context(), "surf", `{"words":"another"}`), helper.call(t.Context(), "surf", `{"words":"another"}`)
	want := "The person said no to using the web in this chat"
	for _, got := range []*session.ToolResultData{first, second, third} {
		if !got.Failed || !strings.HasPrefix(got.Content[0].Text, want) || got.Content[0].Text != first.Content[0].Text {
			t.Errorf("the model reads %q", got.Content[0].Text)
		}
	}
	h.begin("plan", "person")
	if got := h.call(t.Context(), "surf", `{"words":"another"}`); got.DeniedBy != "rule" {
		t.Errorf("in Plan: %+v", got)
	}
	h.begin("bypass", "person")
	if got := h.call(t.Context(), "surf", `{"words":"another"}`); got.Failed {
		t.Errorf("in Bypass: %+v", got)
	}
}

func TestSearchesAtTheSameTimeShareOneCard(t *testing.T) {
	for name, yes := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			h := online(t).attended()
			h.begin("manual", "person")
			helper := h.helper(h.log.ID())
			w, first := h.asking(t.Context(), "surf", `{"words":"one"}`)
			from := helper.log.Seq()
			second := make(chan *session.ToolResultData, 1)
			go func() { second <- helper.call(t.Context(), "surf", `{"words":"two"}`) }()
			helper.await(from, session.ToolCall.Name)
			must(t, h.decide(w, permission.Decision{Approve: yes}))
			for _, got := range []*session.ToolResultData{<-first, <-second} {
				if got.Failed == yes {
					t.Errorf("%+v", got)
				}
			}
			if by := helper.last().By; by != "rule" {
				t.Errorf("the second was decided by %s", by)
			}
			if helper.count(tool.Asked.Name) != 0 {
				t.Error("the second was asked for, too")
			}
		})
	}
}

func TestAWaitingSearchAsksWhereTheFirstIsWithdrawn(t *testing.T) {
	h := online(t).attended()
	h.begin("manual", "person")
	helper := h.helper(h.log.ID())
	ctx, stop := context.WithCancel(t.Context())
	_, first := h.asking(ctx, "surf", `{"words":"one"}`)
	second := make(chan *session.ToolResultData, 1)
	from := helper.log.Seq()
	go func() { second <- helper.call(t.Context(), "surf", `{"words":"two"}`) }()
	stop()
	<-first
	helper.await(from, tool.Asked.Name)
	w := h.gate.Waiting(h.log.ID())
	if len(w) != 1 || w[0].Session != helper.log.ID() || w[0].Chat != h.log.ID() {
		t.Fatalf("what waits in the chat: %+v", w)
	}
	must(t, h.gate.Decide(t.Context(), w[0].Call, permission.Decision{Session: string(h.log.ID()), Hash: w[0].Hash, Approve: true}))
	if got := <-second; got.Failed {
		t.Errorf("%+v", got)
	}
	if got := h.call(t.Context(), "surf", `{"words":"three"}`); got.Failed {
		t.Errorf("the yes to a helper does not hold in the chat: %+v", got)
	}
}

func TestMoreThanAQuestionIsAskedForAgain(t *testing.T) {
	long := strings.Repeat("w", 513)
	for name, words := range map[string]string{
		"long": long, "a key": plantedKey, "a key, escaped": url.QueryEscape(strings.ReplaceAll(plantedKey, "-", "%2D")),
		"a key, base64": "q=" + base64.URLEncoding.EncodeToString([]byte(plantedKey)),
	} {
		t.Run(name, func(t *testing.T) {
			h := online(t).attended()
			h.begin("manual", "person")
			args := `{"words":"` + words + `"}`
			w, result := h.asking(t.Context(), "surf", `{"words":"go generics"}`)
			must(t, h.decide(w, permission.Decision{Approve: true}))
			<-result
			w, result = h.asking(t.Context(), "surf", args)
			warned := false
			for _, fact := range w.Card.Facts {
				warned = warned || fact.Warn
			}
			if !warned {
				t.Errorf("the card: %+v", w.Card)
			}
			must(t, h.decide(w, permission.Decision{}))
			<-result
			h.begin("plan", "person")
			if got := h.call(t.Context(), "surf", args); got.DeniedBy != "mode" {
				t.Errorf("in Plan: %+v", got)
			}
			if got := h.call(t.Context(), "surf", `{"words":"go generics"}`); got.Failed {
				t.Errorf("a no to this took the chat's yes away: %+v", got)
			}
		})
	}
	h := online(t).attended()
	h.begin("bypass", "person")
	w, result := h.asking(t.Context(), "surf", `{"words":"`+plantedKey+`"}`)
	must(t, h.decide(w, permission.Decision{}))
	if got := <-result; got.DeniedBy != "person" {
		t.Errorf("a key in Bypass: %+v", got)
	}
}

func TestThisMachineIsAskedForPortByPort(t *testing.T) {
	h := online(t).attended()
	h.begin("manual", "person")
	for _, args := range []string{`{"near":"127.0.0.1:80"}`, `{"near":"127.0.0.1:81"}`, `{"words":"far"}`} {
		w, result := h.asking(t.Context(), "surf", args)
		must(t, h.decide(w, permission.Decision{Approve: true}))
		<-result
		if got := h.call(t.Context(), "surf", args); got.Failed || h.last().By != "rule" {
			t.Errorf("%s again: %+v", args, h.last())
		}
	}
	h.begin("plan", "person")
	if got := h.call(t.Context(), "surf", `{"near":"127.0.0.1:80"}`); got.DeniedBy != "mode" {
		t.Errorf("in Plan: %+v", got)
	}
}

func TestTheWebWithNobodyThere(t *testing.T) {
	for _, row := range []struct {
		mode, origin string
		person       bool
		want         string
	}{
		{"plan", "person", true, "allowed by tool"},
		{"plan", "person", false, "denied by nobody"},
		{"plan", "task", true, "denied by nobody"},
		{"manual", "task", true, "denied by nobody"},
		{"manual", "person", false, "denied by nobody"},
		{"bypass", "task", true, "allowed by mode"},
	} {
		h := online(t)
		if row.person {
			h.attended()
		}
		h.begin(row.mode, row.origin)
		h.call(t.Context(), "surf", `{"words":"go generics"}`)
		if got := h.last(); got.Decision+" by "+got.By != row.want {
			t.Errorf("%+v: %s by %s", row, got.Decision, got.By)
		}
		if row.origin == "task" && row.mode == "manual" {
			helper := h.helper(h.log.ID())
			helper.call(t.Context(), "surf", `{"words":"go generics"}`)
			if got := helper.last(); got.By != "nobody" {
				t.Errorf("a helper of a scheduled run: %+v", got)
			}
		}
	}
}

func TestAChatAnswersItsOwnHelpersOnly(t *testing.T) {
	h := online(t).attended()
	h.begin("manual", "person")
	helper := h.helper(h.log.ID())
	below := helper.helper(helper.log.ID())
	stranger := h.create(h.folder)
	w, result := below.asking(t.Context(), "strange", `{}`)
	if w.Chat != h.log.ID() || w.Session != below.log.ID() {
		t.Errorf("the question: %+v", w)
	}
	for id, want := range map[session.ID]int{h.log.ID(): 1, helper.log.ID(): 1, below.log.ID(): 1, stranger.ID(): 0} {
		if got := len(h.gate.Waiting(id)); got != want {
			t.Errorf("%d questions can be answered in %s, want %d", got, id, want)
		}
	}
	answer := permission.Decision{Session: string(stranger.ID()), Hash: w.Hash, Approve: true}
	if err := h.gate.Decide(t.Context(), w.Call, answer); fault.CodeOf(err) != permission.CodeAnsweredElsewhere {
		t.Errorf("a stranger's answer: %v", err)
	}
	answer.Session = string(h.log.ID())
	must(t, h.gate.Decide(t.Context(), w.Call, answer))
	if got := <-result; got.Failed {
		t.Errorf("the result: %+v", got)
	}
	// The same id of a call in the chat and in its helper: the hash tells them apart.
	mine, mineResult := h.asking(t.Context(), "strange", `{"mine":1}`)
	if mine.Chat != "" {
		t.Errorf("the chat's own question names a chat: %+v", mine)
	}
	must(t, h.decide(mine, permission.Decision{}))
	<-mineResult
}

func factKeys(c tool.Card) (keys []string) {
	for _, fact := range c.Facts {
		keys = append(keys, fact.Key)
	}
	return keys
}

// count is how many events of a kind the log has.
func (h *house) count(kind string) (n int) {
	h.t.Helper()
	for e, err := range h.log.Events(1) {
		must(h.t, err)
		if e.Type == kind {
			n++
		}
	}
	return n
}

// TestAForkIsAskedForWhereItWorks: a fork that works for a chat is answered there, one
// that works for nobody is a chat of its own, and no other chat may answer for either.
func TestAForkIsAskedForWhereItWorks(t *testing.T) {
	h := online(t).attended()
	h.begin("manual", "person")
	must(t, h.log.Flush(t.Context()))
	for name, worksFor := range map[string]session.ID{"a helper": h.log.ID(), "a chat of its own": ""} {
		log, err := h.lib.ForkFor(t.Context(), h.log.ID(), 0, worksFor)
		must(t, err)
		t.Cleanup(func() { must(t, log.Close(context.Background())) })
		fork := &house{t: t, graph: h.graph, tools: h.tools, gate: h.gate, lib: h.lib, log: log, folder: h.folder, turn: 1}
		fork.begin("manual", "parent")
		w, result := fork.asking(t.Context(), "write", `{"path":"a.txt","content":"x"}`)
		if here := len(h.gate.Waiting(h.log.ID())); (here == 1) != (worksFor != "") {
			t.Errorf("%s: %d questions in the chat it was forked from", name, here)
		}
		stranger := permission.Decision{Session: string(session.NewID()), Hash: w.Hash, Approve: true}
		if err := h.gate.Decide(t.Context(), w.Call, stranger); fault.CodeOf(err) != permission.CodeAnsweredElsewhere {
			t.Errorf("%s: another chat answers: %v", name, err)
		}
		if worksFor != "" {
			w.Session = worksFor
		}
		must(t, fork.decide(w, permission.Decision{Approve: true}))
		if got := <-result; got.Failed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
