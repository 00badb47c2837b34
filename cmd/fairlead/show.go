package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairlead/llm"
	"fairlead/session"
)

func (c *console) sessionShow() *cobra.Command {
	return c.one("show ID", "Print a session as it went", c.show, 0)
}

func (c *console) show(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
	log, err := lib.Read(ctx, id)
	if err != nil {
		return err
	}
	defer log.Close(ctx)
	if asJSON {
		return c.showJSON(log)
	}
	meta, err := session.StateOf(log, session.Meta)
	if err != nil {
		return err
	}
	title := meta.Title
	if title == "" {
		title = "(no title)"
	}
	fmt.Fprintf(c.out, "%s\n%s · %s · %s\n", title, id, tame(folderOr(meta.Folder)), count(log.Seq(), "event"))
	for _, f := range log.Header().Lineage {
		fmt.Fprintf(c.out, "%s goes on from event %d of %s\n", f.ID, f.Seq, f.Parent)
	}
	for _, d := range log.Damage() {
		fmt.Fprintf(c.out, "! damaged after seq %d: %s\n", d.AfterSeq, d.Text)
	}
	t := transcript{out: c.out, calls: map[string]session.ToolCallData{}}
	for e, err := range log.Events(1) {
		if err != nil {
			return err
		}
		if err := t.event(e); err != nil {
			return err
		}
	}
	return nil
}

func folderOr(folder string) string {
	if folder == "" {
		return "no folder"
	}
	return folder
}

func (c *console) showJSON(log *session.Log) error {
	events := []session.Event{}
	for e, err := range log.Events(1) {
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	cut := log.Cut()
	return c.json(map[string]any{"id": log.ID(), "seq": cut.Seq, "hash": cut.Hash, "header": cut.Header, "projections": cut.Views, "damage": list(log.Damage()), "events": events})
}

// transcript prints events as a person reads them.
type transcript struct {
	out   io.Writer
	calls map[string]session.ToolCallData
}

func (t *transcript) line(format string, args ...any) {
	fmt.Fprintln(t.out, tame(fmt.Sprintf(format, args...)))
}

// block prints text with a mark in front of its first line.
func (t *transcript) block(mark, text string) {
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i > 0 {
			mark = strings.Repeat(" ", len([]rune(mark)))
		}
		t.line("%s%s", mark, line)
	}
}

// shownLines bounds what is printed of a call's result.
const shownLines = 20

func (t *transcript) event(e session.Event) error {
	switch e.Type {
	case session.TurnStart.Name:
		d, err := session.TurnStart.Decode(e)
		t.line("\n── turn %d · %s · %s", e.Turn, d.Mode, time.UnixMilli(e.At).Format("2006-01-02 15:04:05"))
		return err
	case session.UserMessage.Name:
		d, err := session.UserMessage.Decode(e)
		t.block("> ", llm.Plain(d.Content))
		return err
	case session.Injected.Name:
		d, err := session.Injected.Decode(e)
		t.line("· %s tells the model: %s", d.Source, strings.Join(strings.Fields(d.Text), " "))
		return err
	case session.AssistantMessage.Name:
		d, err := session.AssistantMessage.Decode(e)
		for _, r := range d.Reasoning {
			t.block("~ ", r.Text)
		}
		if text := llm.Plain(d.Content); text != "" {
			t.block("  ", text)
		}
		if d.Interrupted {
			t.line("  (interrupted)")
		}
		return err
	case session.ToolCall.Name:
		d, err := session.ToolCall.Decode(e)
		t.calls[d.Call] = d
		return err
	case session.ToolResult.Name:
		d, err := session.ToolResult.Decode(e)
		t.line("%s", callLine(t.calls[d.Call], d))
		t.result(llm.Plain(d.Content))
		return err
	case session.RequestAttempt.Name:
		d, err := session.RequestAttempt.Decode(e)
		t.line("· attempt %d failed: %s %s", d.Attempt, d.Code, d.Message)
		return err
	case session.PrefixBroken.Name:
		d, err := session.PrefixBroken.Decode(e)
		t.line("· the next request does not extend the last one: %s", d.Cause)
		return err
	case session.Incident.Name:
		d, err := session.Incident.Decode(e)
		t.line("! damage after seq %d: %s", d.AfterSeq, d.Text)
		return err
	case session.Recovered.Name:
		d, err := session.Recovered.Decode(e)
		if d.Turn == 0 && len(d.NotStarted)+len(d.OutcomeUnknown) == 0 {
			t.line("! the program ended before it had said that it was at rest; nothing was open")
			return err
		}
		t.line("! turn %d was cut short by the end of the program; calls never started: %d, outcome unknown: %d", d.Turn, len(d.NotStarted), len(d.OutcomeUnknown))
		return err
	case session.Note.Name:
		d, err := session.Note.Decode(e)
		t.line("· %s", d.Text)
		return err
	case session.TurnEnd.Name:
		d, err := session.TurnEnd.Decode(e)
		t.turnEnd(d)
		return err
	}
	return nil
}

func (t *transcript) result(text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	rest := len(lines) - shownLines
	if rest > 1 {
		lines = append(lines[:shownLines], fmt.Sprintf("… %d more lines", rest))
	}
	for _, line := range lines {
		t.line("  │ %s", line)
	}
}

func (t *transcript) turnEnd(d session.TurnEndData) {
	end := d.Reason.Kind
	if d.Reason.By != "" {
		end += " by " + d.Reason.By
	}
	t.line("── %s · %s · %s", end, count(d.Steps, "step"), time.Duration(d.Millis)*time.Millisecond)
	if d.Text != "" {
		t.block("   ", d.Text)
	}
	if len(d.Changed) > 0 {
		t.line("   changed: %s", strings.Join(d.Changed, ", "))
	}
}
