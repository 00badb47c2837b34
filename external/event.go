package external

import (
	"fmt"
	"strings"

	"fairlead/llm"
	"fairlead/tool"
)

// EventKind says what an event is about.
type EventKind string

// The kinds, the same for all agents.
const (
	Session   EventKind = "session"   // the agent's own session has an id
	Reasoning EventKind = "reasoning" // what it thinks, as far as it shows that
	Text      EventKind = "text"      // what it says
	ToolUse   EventKind = "tool"      // a tool begins or has ended
	File      EventKind = "file"      // a file was changed
	Failure   EventKind = "error"     // it says that something went wrong
	Usage     EventKind = "usage"     // what it used up
	Note      EventKind = "note"      // anything else, lines that nobody understands too
)

// Event is one thing an agent did. Seq counts from 1 in a run without gaps, also over
// events that were dropped; At is milliseconds since the run began. Both are set by the
// table of runs.
type Event struct {
	Seq  int64     `json:"seq"`
	At   int64     `json:"at"`
	Kind EventKind `json:"kind"`
	// Text is what was said, thought or printed; of a tool, what it gave.
	Text string `json:"text,omitempty"`
	// Tool and Arguments are set where a tool begins, Call ties its end to it. Exit is
	// the exit code of a command.
	Tool      string `json:"tool,omitempty"`
	Call      string `json:"call,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Exit      *int   `json:"exit,omitempty"`
	Done      bool   `json:"done,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	// Path is the changed file, Change is "added", "changed" or "deleted".
	Path    string     `json:"path,omitempty"`
	Change  string     `json:"change,omitempty"`
	Session string     `json:"session,omitempty"`
	Usage   *llm.Usage `json:"usage,omitempty"`
	Cost    *llm.Money `json:"costUsd,omitempty"` // nil where the agent does not say
	Turns   int        `json:"turns,omitempty"`
	// Cut is true where Text or Arguments are longer than is kept in memory.
	Cut bool `json:"cut,omitempty"`

	// Joined says that Text goes on where the event before it ended.
	Joined bool `json:"-"`
	// Final says that Text is the whole answer, whatever was said before.
	Final bool `json:"-"`
	// Over says that the agent has nothing more to do.
	Over bool `json:"-"`
	// Broken marks a note about a line that could not be read.
	Broken bool `json:"-"`
}

const digestWidth = 160

// Line tells an event in one line, for a model or a terminal.
func (e Event) Line() string {
	text := tool.OutsideLine(e.Text, digestWidth)
	switch e.Kind {
	case Session:
		return "session " + e.Session
	case ToolUse:
		return e.toolLine(text)
	case File:
		return strings.TrimSpace("file " + e.Change + " " + tool.OutsideLine(e.Path, digestWidth))
	case Usage:
		return "usage " + e.spent()
	case Failure:
		return "error: " + text
	}
	return string(e.Kind) + ": " + text
}

func (e Event) toolLine(text string) string {
	line := "tool " + tool.OutsideLine(e.Tool, 60)
	if e.Arguments != "" {
		line += " " + tool.OutsideLine(e.Arguments, digestWidth)
	}
	switch {
	case e.Exit != nil:
		line += fmt.Sprintf(" → exit %d", *e.Exit)
	case e.Failed:
		line += " → failed"
	case e.Done:
		line += " → done"
	}
	if e.Failed && text != "" {
		line += ": " + text
	}
	return line
}

func (e Event) spent() string {
	var parts []string
	if e.Usage != nil {
		parts = append(parts, fmt.Sprintf("%d tokens in, %d out", e.Usage.Input, e.Usage.Output))
	}
	if e.Turns > 0 {
		parts = append(parts, fmt.Sprintf("%d turns", e.Turns))
	}
	if e.Cost != nil {
		parts = append(parts, e.Cost.String())
	}
	return strings.Join(parts, ", ")
}
