package agent_test

import (
	"context"
	"slices"
	"testing"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
)

func TestAnAsideIsInTheLogAndNoPartOfTheConversation(t *testing.T) {
	var asked *session.AssistantMessageData
	h := build(t, blueprint{
		script: "on /how long/\nreply\n  say Two words.\non /hello/\nreply\n  say Good day.\non /go on/\nreply\n  say Gladly.",
		plugins: plugin(func(f *fiber) {
			agent.Request.On(f, func(ctx context.Context, q *agent.Asking, next func(context.Context, *agent.Asking) (agent.Choice, error)) (agent.Choice, error) {
				choice, err := next(ctx, q)
				if err != nil || q.Turn < 2 {
					return choice, err
				}
				surface := q.Agent.Log().Surface()
				first := slices.IndexFunc(surface, func(e session.Entry) bool { return e.Message.Role == llm.Assistant })
				asked, err = q.Agent.Aside(ctx, agent.Aside{Choice: choice, Until: surface[first].Seq, Ask: "how long was that?", Cause: "compaction", Activity: "summarising"})
				choice.NewSeries = "compaction"
				return choice, err
			})
		}),
	})
	a := h.create()
	h.say(a, "hello")
	h.say(a, "go on")
	if asked == nil || llm.Plain(asked.Content) != "Two words." {
		t.Fatalf("the reply to the aside is %+v", asked)
	}
	for _, e := range a.Log().Surface() {
		if text := llm.Plain(e.Message.Content); text == "Two words." || text == "how long was that?" {
			t.Errorf("the surface holds %q", text)
		}
	}
	headers := decoded(h, a, session.RequestHeader)
	if len(headers) != 3 || headers[1].Ask == "" || headers[1].Until == 0 || headers[2].Ask != "" {
		t.Errorf("headers = %+v", headers)
	}
	for n := range headers {
		if _, _, err := agent.Rebuild(a.Log(), n+1, func(string) (llm.Adapter, error) { return scripted.New(scripted.Demo()), nil }); err != nil {
			t.Errorf("request %d: %v", n+1, err)
		}
	}
	if got := decoded(h, a, session.PrefixBroken); len(got) != 2 || got[0].Cause != "compaction" || got[1].Cause != "compaction" {
		t.Errorf("breaks = %+v, want two that name the compaction", got)
	}
}

func TestMessagesWaitWhileASessionIsMaintainedAndStopEndsIt(t *testing.T) {
	h := build(t, blueprint{script: "reply\n  say hello"})
	a := h.create()
	entered, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- a.Maintain(t.Context(), "summarising", func(ctx context.Context) error {
			close(entered)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-entered
	h.send(a, "are you there?")
	if s := a.Status(); s.State != agent.Running || s.Activity != "summarising" || len(h.ends(a)) != 0 {
		t.Errorf("status = %+v with %d turns while the session is maintained", s, len(h.ends(a)))
	}
	err := a.Maintain(t.Context(), "summarising", func(context.Context) error { return nil })
	if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != agent.CodeBusy {
		t.Errorf("a second task: %v", err)
	}
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the task was not stopped")
	}
	h.idle(a)
	if ends := h.ends(a); len(ends) != 1 || ends[0].Reason.Kind != session.EndCompleted {
		t.Errorf("the message that waited ended %+v", ends)
	}
}
