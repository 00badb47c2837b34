package session_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/session"
)

// killed takes the bytes of a session as a killed host leaves them, and opens them
// in a folder of its own.
func killed(t *testing.T, dir string, l *session.Log) (again *session.Log, left string) {
	t.Helper()
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	left = copied(t, dir, l.ID(), bytesOf(t, logFile(dir, l.ID())))
	return must(library(t, left).Open(t.Context(), l.ID()))(t), left
}

func TestAKilledTurnIsSettledWhateverItsLastEventWas(t *testing.T) {
	turn, step := 1, 1
	calls := []llm.Call{{ID: "k1", Name: "read"}, {ID: "k2", Name: "shell"}}
	call := func(id, model, parent string) session.Draft {
		d := session.ToolCallData{Call: id, ModelID: model, Parent: parent, Caller: "model", Tool: "t"}
		if parent != "" {
			return session.ToolSubcall.New(turn, step, d)
		}
		return session.ToolCall.New(turn, step, d)
	}
	started := func(id string) session.Draft {
		return session.ToolStarted.New(turn, step, session.ToolStartedData{Call: id})
	}
	result := func(id, model, parent string) session.Draft {
		return session.ToolResult.New(turn, step, session.ToolResultData{Call: id, ModelID: model, Parent: parent, Content: llm.Text("ok")})
	}
	script := []session.Draft{
		session.ActivityStart.New(0, 0, struct{}{}),
		session.TurnStart.New(turn, 0, session.TurnStartData{Mode: "manual"}),
		session.UserMessage.New(turn, 0, said("m", "go")),
		session.StepStart.New(turn, step, struct{}{}),
		session.AssistantMessage.New(turn, step, session.AssistantMessageData{ID: "r", Calls: calls, Usage: &llm.Usage{Input: 10, Output: 5}}),
		call("c1", "k1", ""), call("c2", "k2", ""),
		started("c1"), result("c1", "k1", ""),
		started("c2"), call("s1", "", "c2"), started("s1"), result("s1", "", "c2"), call("s2", "", "c2"),
		result("s2", "", "c2"), result("c2", "k2", ""),
		session.StepEnd.New(turn, step, struct{}{}),
		session.TurnEnd.New(turn, 0, session.TurnEndData{Reason: session.EndReason{Kind: session.EndCompleted}}),
		session.ActivityEnd.New(0, 0, struct{}{}),
	}
	const lost, unknown = session.CodeNotStarted, session.CodeOutcomeUnknown
	// What recovery writes after the first n events of the script.
	want := map[int][]string{
		0:  nil,
		1:  {"activity/end", "session/recovered"},
		2:  {"turn/end", "activity/end", "session/recovered"},
		3:  {"turn/end", "activity/end", "session/recovered"},
		4:  {"step/end", "turn/end", "activity/end", "session/recovered"},
		5:  {"/k1 " + lost, "/k2 " + lost, "step/end", "turn/end", "activity/end", "session/recovered"},
		6:  {"c1/k1 " + lost, "/k2 " + lost, "step/end", "turn/end", "activity/end", "session/recovered"},
		7:  {"c1/k1 " + lost, "c2/k2 " + lost, "step/end", "turn/end", "activity/end", "session/recovered"},
		8:  {"c1/k1 " + unknown, "c2/k2 " + lost, "step/end", "turn/end", "activity/end", "session/recovered"},
		9:  {"c2/k2 " + lost, "step/end", "turn/end", "activity/end", "session/recovered"},
		10: {"c2/k2 " + unknown, "step/end", "turn/end", "activity/end", "session/recovered"},
		11: {"s1/ " + lost, "c2/k2 " + unknown, "step/end", "turn/end", "activity/end", "session/recovered"},
		12: {"s1/ " + unknown, "c2/k2 " + unknown, "step/end", "turn/end", "activity/end", "session/recovered"},
		13: {"c2/k2 " + unknown, "step/end", "turn/end", "activity/end", "session/recovered"},
		14: {"s2/ " + lost, "c2/k2 " + unknown, "step/end", "turn/end", "activity/end", "session/recovered"},
		15: {"c2/k2 " + unknown, "step/end", "turn/end", "activity/end", "session/recovered"},
		16: {"step/end", "turn/end", "activity/end", "session/recovered"},
		17: {"turn/end", "activity/end", "session/recovered"},
		18: {"activity/end", "session/recovered"},
		19: nil,
	}
	for n := range len(script) + 1 {
		t.Run(fmt.Sprint("after ", n, " events"), func(t *testing.T) {
			ctx := t.Context()
			dir := t.TempDir()
			log := must(library(t, dir).Create(ctx, session.CreatedData{}))(t)
			for _, d := range script[:n] {
				must(log.Append(ctx, d))(t)
			}
			again, left := killed(t, dir, log)
			var got []string
			for _, e := range all(t, again, int64(n)+2) {
				line := e.Type
				switch {
				case session.ToolResult.Of(e):
					d := must(session.ToolResult.Decode(e))(t)
					line = d.Call + "/" + d.ModelID + " " + d.Code
					if !d.Failed || llm.Plain(d.Content) == "" {
						t.Errorf("the result of %s does not say what happened: %+v", d.Call, d)
					}
				case session.TurnEnd.Of(e):
					d := must(session.TurnEnd.Decode(e))(t)
					if d.Reason.Kind != session.EndInterrupted || d.Text == "" || e.Turn != turn {
						t.Errorf("turn end = %+v", d)
					}
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(want[n], got); diff != "" {
				t.Errorf("recovery writes (-want +got)\n%s", diff)
			}
			paired(t, again.Surface())
			// A driver that could not write its end has it written in place.
			if err := log.Settle(ctx, "The end could not be written."); err != nil {
				t.Fatal(err)
			}
			types := func(events []session.Event) (out []string) {
				for _, e := range events {
					out = append(out, e.Type)
				}
				return out
			}
			if diff := cmp.Diff(types(all(t, again, int64(n)+2)), types(all(t, log, int64(n)+2))); diff != "" {
				t.Errorf("settling does not write what recovery writes (-want +got)\n%s", diff)
			}
			paired(t, log.Surface())
			// Settled once is settled.
			seq := again.Seq()
			if l, _ := killed(t, left, again); l.Seq() != seq {
				t.Errorf("the second recovery writes events %d to %d", seq+1, l.Seq())
			}
		})
	}
}

// paired wants exactly one result for each call of the surface, and none besides.
func paired(t *testing.T, surface []session.Entry) {
	t.Helper()
	var open []string
	for _, e := range surface {
		for _, c := range e.Message.Calls {
			open = append(open, c.ID)
		}
		if e.Message.Role == llm.ToolRole {
			i := slices.Index(open, e.Message.CallID)
			if i < 0 {
				t.Errorf("event %d answers %q, which nobody asked", e.Seq, e.Message.CallID)
				continue
			}
			open = slices.Delete(open, i, i+1)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
}

func TestTheStreamedPartOfAReplyIsKeptThroughAKill(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	log := must(library(t, dir).Create(ctx, session.CreatedData{}))(t)
	must(log.Append(ctx, session.TurnStart.New(1, 0, session.TurnStartData{}), session.StepStart.New(1, 1, struct{}{})))(t)
	log.Delta(session.DeltaData{Message: "first try", Channel: "text", Text: "thrown away"})
	log.FlushDeltas(ctx)
	log.Delta(session.DeltaData{Message: "r", Channel: "reasoning", Text: "thinking"})
	log.Delta(session.DeltaData{Message: "r", Channel: "text", Text: "half an "})
	log.FlushDeltas(ctx)
	log.Delta(session.DeltaData{Message: "r", Channel: "text", Offset: 8, Text: "answer"})
	log.FlushDeltas(ctx)
	again, _ := killed(t, dir, log)
	surface := again.Surface()
	if len(surface) != 1 || llm.Plain(surface[0].Message.Content) != "half an answer" {
		t.Errorf("surface = %+v", surface)
	}
	e := must(again.Event(ctx, surface[0].Seq))(t)
	if d := must(session.AssistantMessage.Decode(e))(t); !d.Interrupted || d.ID != "r" || e.Turn != 1 || e.Step != 1 {
		t.Errorf("message = %+v", d)
	}
}
