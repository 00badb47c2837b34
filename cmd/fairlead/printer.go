package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"fairlead/goal"
	"fairlead/llm"
	"fairlead/session"
)

// printer shows a run. finish is called once, after the last frame.
type printer struct {
	*console
	output string
	lines  *json.Encoder // of stream-json
	line   []byte        // scratch for an event's line
	began  time.Time
	result result
	calls  map[string]session.ToolCallData
	end    *session.TurnEndData
}

// result is what a run came to; the last line of stream-json, all of json.
type result struct {
	Type       string             `json:"type"`
	SessionID  session.ID         `json:"sessionId"`
	Reason     string             `json:"reason"`
	By         string             `json:"by,omitempty"`
	Text       string             `json:"text"`
	Usage      llm.Usage          `json:"usage"`
	CostUSD    *llm.Money         `json:"costUsd"` // null where a price is unknown
	Steps      int                `json:"steps"`
	DurationMS int64              `json:"durationMs"`
	Changed    []string           `json:"changed,omitempty"`
	Notice     string             `json:"notice,omitempty"`
	Error      *session.ErrorData `json:"error,omitempty"`
	Goal       *goal.ChangedData  `json:"goal,omitempty"` // as its last change left it

	unpriced bool // some turn's cost is unknown
}

// liveLine is a live frame as a line of stream-json.
type liveLine struct {
	Type string `json:"type"`
	Live bool   `json:"live"`
	Data any    `json:"data"`
}

func newPrinter(c *console, output string, id session.ID, began time.Time) *printer {
	p := &printer{console: c, output: output, began: began, calls: map[string]session.ToolCallData{}}
	p.result = result{Type: "result", SessionID: id, Usage: llm.UnknownUsage()}
	p.lines = json.NewEncoder(c.out)
	p.lines.SetEscapeHTML(false)
	return p
}

// frame shows one frame of the log.
func (p *printer) frame(f session.Frame) error {
	if f.Live != nil {
		if p.output == "stream-json" {
			return p.lines.Encode(liveLine{f.Live.Type, true, f.Live.Data})
		}
		return nil
	}
	if p.output == "stream-json" {
		p.line = f.Event.AppendLine(p.line[:0])
		if _, err := p.out.Write(p.line); err != nil {
			return err
		}
	}
	return p.event(*f.Event)
}

// event takes from an event what the result needs, and tells of it on stderr.
func (p *printer) event(e session.Event) error {
	switch e.Type {
	case session.AssistantMessage.Name:
		d, err := session.AssistantMessage.Decode(e)
		if err != nil {
			return err
		}
		if text := llm.Plain(d.Content); text != "" {
			p.result.Text = text
		}
	case session.ToolCall.Name:
		d, err := session.ToolCall.Decode(e)
		if err != nil {
			return err
		}
		p.calls[d.Call] = d
	case session.ToolResult.Name:
		d, err := session.ToolResult.Decode(e)
		if err != nil {
			return err
		}
		p.say("%s", callLine(p.calls[d.Call], d))
		delete(p.calls, d.Call)
	case session.RequestAttempt.Name:
		d, err := session.RequestAttempt.Decode(e)
		if err != nil || d.Final {
			return err
		}
		p.say("· the request failed (%s); trying again in %s", d.Code, time.Duration(d.WaitMillis)*time.Millisecond)
	case session.Note.Name:
		d, err := session.Note.Decode(e)
		if err != nil {
			return err
		}
		p.say("· %s", d.Text)
	case goal.Changed.Name:
		d, err := goal.Changed.Decode(e)
		if err != nil {
			return err
		}
		p.result.Goal = &d
		if d.Text != "" {
			p.say("%s", strings.TrimSpace("· "+d.Text+" "+d.Evidence))
		}
	case session.TurnEnd.Name:
		d, err := session.TurnEnd.Decode(e)
		if err != nil {
			return err
		}
		p.took(d)
	}
	return nil
}

func (p *printer) took(d session.TurnEndData) {
	r := &p.result
	p.end = &d
	r.Reason, r.By, r.Error, r.Notice = d.Reason.Kind, d.Reason.By, d.Error, d.Text
	r.Usage = r.Usage.Add(d.Usage)
	r.Steps += d.Steps
	r.Changed = append(r.Changed, d.Changed...)
	r.cost(d)
}

// cost adds what a turn cost. A turn whose cost is unknown makes the sum unknown.
func (r *result) cost(d session.TurnEndData) {
	switch {
	case d.Steps == 0:
	case d.Cost == nil:
		r.CostUSD, r.unpriced = nil, true
	case !r.unpriced:
		sum := *d.Cost
		if r.CostUSD != nil {
			sum += *r.CostUSD
		}
		r.CostUSD = &sum
	}
}

// say tells of what goes on, on stderr; a program that reads JSON has it already.
func (p *printer) say(format string, args ...any) {
	if p.output == "text" {
		fmt.Fprintf(p.err, format+"\n", args...)
	}
}

// callLine is a call with what came of it, on one line.
func callLine(c session.ToolCallData, r session.ToolResultData) string {
	line := "· " + c.Present.Verb
	if c.Present.Verb == "" {
		line = "· " + c.Tool
	}
	if c.Present.What != "" {
		line += " " + c.Present.What
	}
	switch {
	case r.DeniedBy != "":
		line += " (not run: denied by " + r.DeniedBy + ")"
	case r.Failed:
		line += " (failed: " + strings.ToLower(strings.ReplaceAll(r.Code, "_", " ")) + ")"
	}
	return line
}

// finish prints what the run came to.
func (p *printer) finish() error {
	p.result.DurationMS = time.Since(p.began).Milliseconds()
	if p.output != "text" {
		return p.lines.Encode(p.result)
	}
	if text := p.result.Text; text != "" {
		if _, err := io.WriteString(p.console.out, strings.TrimRight(text, "\n")+"\n"); err != nil {
			return err
		}
	}
	if p.result.Notice != "" {
		fmt.Fprintln(p.err, "fairlead: "+p.result.Notice)
		if e := p.result.Error; e != nil && e.Details != "" {
			fmt.Fprintln(p.err, "  "+e.Details)
		}
	}
	cost := ""
	if p.result.CostUSD != nil {
		cost = " · " + p.result.CostUSD.String()
	}
	fmt.Fprintf(p.err, "session %s · %s · %s · %s%s\n", p.result.SessionID, p.result.Reason, count(p.result.Steps, "step"), time.Duration(p.result.DurationMS)*time.Millisecond, cost)
	return nil
}

// code is the exit code that the end reason of the last turn gives.
func (p *printer) code() int {
	if p.end == nil {
		return exitFailed
	}
	return exitCode(*p.end)
}

// unavailable are the codes of an error with which the model, not the work, failed.
var unavailable = map[string]bool{
	"model-unavailable": true, string(llm.CodeTransport): true, string(llm.CodeServer): true, string(llm.CodeTimeout): true,
	string(llm.CodeRateLimit): true, string(llm.CodeQuota): true, string(llm.CodeAuth): true, string(llm.CodeModel): true, string(llm.CodeNotAPI): true,
}

func exitCode(d session.TurnEndData) int {
	switch d.Reason.Kind {
	case session.EndCompleted:
		return exitOK
	case session.EndBlocked:
		return exitRefused
	case session.EndBudget, session.EndGuard:
		return exitBudget
	case session.EndAborted:
		if d.Reason.By == "shutdown" {
			return exitTerminated
		}
		return exitInterrupted
	case session.EndError:
		if d.Error != nil && unavailable[d.Error.Code] {
			return exitModel
		}
	}
	return exitFailed
}
