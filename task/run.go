package task

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Fired is the kind of a task's firing, in the session of the run.
var Fired = session.Kind[FiredData]{Name: "task/fired", Doc: "a task sent its prompt", Ignorable: true}

// FiredData says which task, for which due time (Unix milliseconds), and how much
// later that was where it was noticeable. Asked is true where a person started it.
type FiredData struct {
	Task        string `json:"task"`
	Due         int64  `json:"due"`
	LateSeconds int64  `json:"lateSeconds,omitempty"`
	Asked       bool   `json:"asked,omitempty"`
}

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{Fired} }

// origin is who gives the input of a run; the gate asks nobody for it.
const origin = "task"

// reportBytes bounds what a record keeps of an answer; the session has all of it.
const reportBytes = 2000

// player runs tasks as agents.
type player struct {
	host *agent.Host
	log  *slog.Logger
}

// play runs a task in a session of its own, to the end of its activity.
func (p player) play(ctx context.Context, t Task, r Record, begun func(Record)) Record {
	if t.Folder != "" {
		if info, err := os.Stat(t.Folder); err != nil || !info.IsDir() {
			r.Outcome, r.Text = Failed, fmt.Sprintf("The folder %s is not there. Nothing was done.", t.Folder)
			return r
		}
	}
	a, err := p.begin(ctx, t, r)
	if err != nil {
		return failed(r, err)
	}
	defer p.release(context.WithoutCancel(ctx), t, a)
	r.Session = a.ID()
	begun(r)
	_, err = a.Send(ctx, agent.Input{Content: llm.Text(t.Prompt), Mode: t.mode(), Model: t.Model, Effort: t.Effort, Origin: origin})
	if err != nil {
		return failed(r, err)
	}
	if err := a.Quiet(ctx); ctx.Err() != nil {
		ending := context.WithoutCancel(ctx)
		if err := a.Cancel(ending, "shutdown"); err != nil {
			return failed(r, err)
		}
	} else if err != nil {
		return failed(r, err)
	}
	return judge(r, a.Log())
}

// release lets go of the session of a run, so that a year of runs holds no memory.
func (p player) release(ctx context.Context, t Task, a *agent.Agent) {
	if err := p.host.Release(ctx, a.ID()); err != nil {
		p.log.Warn("the session of a task was not closed cleanly", "task", t.Name, "session", a.ID(), "err", err)
	}
}

// begin makes the session of a run and says in it what it is.
func (p player) begin(ctx context.Context, t Task, r Record) (*agent.Agent, error) {
	a, err := p.host.Create(ctx, agent.Spec{Folder: t.Folder, Preset: t.Preset, Mode: t.mode(), Model: t.Model, Effort: t.Effort})
	if err != nil {
		return nil, err
	}
	_, err = a.Log().Append(ctx,
		Fired.New(0, 0, FiredData{Task: t.Name, Due: r.Due.UnixMilli(), LateSeconds: r.Late, Asked: r.Asked}),
		session.Titled.New(0, 0, session.TitledData{Title: t.Name + " · " + r.Due.In(zone(t)).Format("2006-01-02 15:04"), By: origin}))
	if err != nil {
		p.release(context.WithoutCancel(ctx), t, a)
	}
	return a, err
}

// zone is where the task's clock hangs.
func zone(t Task) *time.Location {
	z, err := zoneOf(t.Zone)
	if err != nil {
		return time.Local
	}
	return z
}

func failed(r Record, err error) Record {
	r.Outcome, r.Text = Failed, fault.Person(err)
	return r
}

// judge reads from the log what a run came to.
func judge(r Record, log *session.Log) Record {
	var answer string
	var end session.TurnEndData
	r.Changed, r.Refused = nil, 0
	for e, err := range log.Events(1) {
		if err != nil {
			return failed(r, err)
		}
		switch {
		case session.AssistantMessage.Of(e):
			if d, err := session.AssistantMessage.Decode(e); err == nil {
				if text := llm.Plain(d.Content); strings.TrimSpace(text) != "" {
					answer = text
				}
			}
		case session.ToolResult.Of(e):
			if d, err := session.ToolResult.Decode(e); err == nil && d.DeniedBy == "nobody" {
				r.Refused++
			}
		case session.TurnEnd.Of(e):
			d, err := session.TurnEnd.Decode(e)
			if err != nil {
				return failed(r, err)
			}
			end = d
			r.Changed = append(r.Changed, d.Changed...)
		}
	}
	r.Outcome, r.Text = outcome(end, answer, r.Refused), cut(answer)
	if r.Outcome != Ran && r.Outcome != Denied || r.Text == "" {
		r.Text = cut(reason(end))
	}
	return r
}

func outcome(end session.TurnEndData, answer string, refused int) Outcome {
	switch {
	case end.Reason.Kind == session.EndAborted || end.Reason.Kind == session.EndInterrupted:
		return Stopped
	case refused > 0 && (end.Reason.Kind == session.EndCompleted || end.Reason.Kind == session.EndBlocked):
		return Denied
	case end.Reason.Kind != session.EndCompleted:
		return Failed
	case strings.TrimSpace(answer) == "":
		return Empty
	}
	return Ran
}

// reason is why a run came to no answer, in words.
func reason(end session.TurnEndData) string {
	switch {
	case end.Error != nil:
		return end.Error.Message
	case end.Text != "":
		return end.Text
	case end.Reason.Kind == session.EndCompleted:
		return "The model ended without an answer."
	}
	return "It ended early: " + end.Reason.Kind + "."
}

// cut shortens a text at a character, visibly.
func cut(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= reportBytes {
		return text
	}
	return strings.ToValidUTF8(text[:reportBytes], "") + " …"
}
