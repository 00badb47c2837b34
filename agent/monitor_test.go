package agent_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm/local"
)

// board reads the view of the monitor.
func (h *house) board() agent.Board {
	h.t.Helper()
	v, ok := command.FindView(h.t.Context(), h.graph.Root().Realm(), "monitor")
	if !ok {
		h.t.Fatal("there is no monitor")
	}
	b, err := v.Read(h.t.Context(), command.Query{})
	if err != nil {
		h.t.Fatal(err)
	}
	return b.(agent.Board)
}

func TestTheMonitorShowsWhatAReplyCameWith(t *testing.T) {
	engines := graph.Plugin{Name: "engines", Apply: func(f *graph.Fiber, _ any) error {
		command.RegisterViews(f, command.View{Name: "engines", Scope: command.Host, Read: func(context.Context, command.Query) (any, error) {
			return []local.Engine{{Name: "ollama", Now: local.Figures{Busy: 1}}}, nil
		}})
		return nil
	}}
	h := build(t, blueprint{script: "reply\n  say Hello.\n  usage 100 5 40", plugins: []graph.Plugin{engines}})
	a := h.create()
	if before := h.board().Agents; len(before) != 1 || before[0].Input != -1 || before[0].WriteRate != -1 || before[0].State != agent.Idle {
		t.Errorf("before a reply: %+v", before)
	}
	h.say(a, "hi")
	b := h.board()
	g := b.Agents[0]
	if g.Session != a.ID() || g.Title != "hi" || g.Input != 100 || g.Cached != 40 || g.Requests != 1 || g.Reuse != 1 || g.WriteRate <= 0 || g.Route != "test/scripted" {
		t.Errorf("gauge = %+v", g)
	}
	if b.Now.Running != 0 || b.Now.WriteRate != 0 || len(b.Engines) != 1 || b.Engines[0].Name != "ollama" {
		t.Errorf("board = %+v", b)
	}
}

func TestTheMonitorShowsAReplyThatRuns(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say Hello, this is how it begins.\n  hang"})
	a := h.create()
	h.send(a, "hi")
	h.send(a, "and then")
	for f, err := range a.Log().Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Live != nil && f.Live.Type == "delta" {
			break
		}
	}
	b := h.board()
	if g := b.Agents[0]; g.State != agent.Running || g.Activity != "answering" || g.Queued != 1 || g.WriteRate <= 0 || b.Now.Running != 1 || b.Now.Queued != 1 || b.Now.WriteRate <= 0 {
		t.Errorf("board = %+v", b)
	}
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
}

func TestTheHistoryOfTheMonitorGrowsForWhoWatches(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say Hello.", monitor: agent.MonitorOptions{Every: time.Millisecond}})
	h.create()
	v, _ := command.FindView(t.Context(), h.graph.Root().Realm(), "monitor")
	var at []int64
	for b, err := range v.Watch(t.Context(), command.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range b.(agent.Board).History {
			at = append(at, s.At)
		}
		if len(at) > 400 {
			break
		}
	}
	if !slices.IsSorted(at) {
		t.Error("samples come out of order")
	}
	if n := len(h.board().History); n != 360 {
		t.Errorf("%d samples are kept, want 360", n)
	}
}
