package goal

import (
	"context"
	_ "embed" // the texts are files
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed prompts/goal_done.md
var doneText string

//go:embed prompts/goal_blocked.md
var blockedText string

// The names of the tools.
const (
	doneName    = "goal_done"
	blockedName = "goal_blocked"
)

// ender is a tool with which the model ends the goal. What it writes is a word of the
// model about its own work, so it only looks.
type ender struct {
	driver *driver
	name   string
	doc    string
	rare   string
	field  string // its one argument
	// end is what a use makes of an active goal.
	end func(s State, text string) (ChangedData, error)
}

func (d *driver) done() ender {
	return ender{d, doneName, doneText, "says that the goal of the session is met, with evidence", "evidence", func(s State, text string) (ChangedData, error) {
		c := s.becomes(opCompleted, Complete, WhyMet, "model", fmt.Sprintf("The goal is met after %s.", rounds(s.begun())))
		c.Evidence = text
		return c, nil
	}}
}

func (d *driver) blocked() ender {
	return ender{d, blockedName, blockedText, "says that the goal of the session cannot be reached, and why", "reason", func(s State, text string) (ChangedData, error) {
		tried := s.Tried
		if s.Open {
			tried++
		}
		if tried < triedRounds {
			return ChangedData{}, fault.New(fault.Denied, "goal.blocked", "The goal was tried in %s; it may be given up after %d. Nothing was changed: try another way, or end your turn and say what is left.", rounds(tried), triedRounds)
		}
		return s.becomes(opBlocked, Blocked, WhyStuck, "model", fmt.Sprintf("The goal is not met: the model gave it up after %s. In its words: %s", rounds(s.begun()), text)), nil
	}}
}

// begun counts the rounds with the one that runs.
func (s State) begun() int {
	if s.Open {
		return s.Rounds + 1
	}
	return s.Rounds
}

// Schema describes the tool.
func (e ender) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: e.name, Description: strings.TrimSpace(e.doc),
		Parameters: json.RawMessage(`{"type":"object","properties":{"` + e.field + `":{"type":"string","minLength":1}},"required":["` + e.field + `"],"additionalProperties":false}`)}
}

// Rare keeps it out of the list of tools.
func (e ender) Rare() string { return e.rare }

// ReadOnly is true: nothing but the goal changes.
func (ender) ReadOnly(*tool.Call) bool { return true }

func (e ender) text(c *tool.Call) string {
	var a map[string]string
	_ = c.Decode(&a) // the arguments passed the schema
	return short(strings.TrimSpace(a[e.field]))
}

// Present shows what the model says.
func (e ender) Present(c *tool.Call) session.Present {
	first, _, _ := strings.Cut(e.text(c), "\n")
	return session.Present{Verb: "use", What: e.name + ": " + first}
}

// Run ends the goal and the turn.
func (e ender) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	text := e.text(c)
	if text == "" {
		return nil, fault.New(fault.Invalid, "goal."+e.name, "%s is empty. Nothing was changed; say it in words.", e.field)
	}
	s, err := e.driver.change(ctx, c.Log, c.Turn, c.Step, func(s State) (ChangedData, error) {
		if !s.armed(e.driver.mark) {
			return ChangedData{}, fault.New(fault.NotFound, "goal."+e.name, "No goal is active in this session, so there is none to end. Nothing was changed.")
		}
		return e.end(s, text)
	})
	if err != nil {
		return nil, err
	}
	r := tool.Text(s.Text)
	r.EndsTurn = true
	return r, nil
}

// short cuts a text to what is kept of it.
func short(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + " …"
}
