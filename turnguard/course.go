package turnguard

import (
	"encoding/json"
	"slices"
	"strings"

	"fairlead/llm"
	"fairlead/session"
)

// Course is where a turn has been: the calls it made last, and what it did often.
type Course struct {
	Origin string `json:"origin,omitempty"` // as in session.TurnStartData
	Mode   string `json:"mode,omitempty"`
	// Calls are the newest ones, the last at the end; those that only wait are left out.
	Calls []Made `json:"calls,omitempty"`
	// Run is how many calls up to the newest one are the same, and Told how many they
	// were when the model was reminded of it.
	Run  int `json:"run,omitempty"`
	Told int `json:"told,omitempty"`
	// Args is the beginning of the newest call's arguments, for the reminder.
	Args string `json:"args,omitempty"`
	// Searches are those of the turn, Failed the ones in a row that failed.
	Searches int `json:"searches,omitempty"`
	Failed   int `json:"failed,omitempty"`
	// Plans counts the plans that were begun in the turn, since a person had a say.
	Plans int `json:"plans,omitempty"`
	// Wrote is true once some answer text was given, Warned once the model was told
	// that the turn is about to be ended.
	Wrote  bool `json:"wrote,omitempty"`
	Warned bool `json:"warned,omitempty"`
	// Filled are the tokens of the last request with its reply, 0 where nobody counted
	// them; Window is what Route can read, 0 where only the route knows.
	Filled int    `json:"filled,omitempty"`
	Window int    `json:"window,omitempty"`
	Route  string `json:"route,omitempty"`
}

// Made is a call that was made.
type Made struct {
	Call string `json:"call"` // our id
	Tool string `json:"tool"`
	Name string `json:"name"` // in a person's words
	Form Form   `json:"form"`
	// Failed is true once its result says so; a call that was refused failed too.
	Failed bool `json:"failed,omitempty"`
}

// remembered is how many calls are kept, as many as end a turn.
const remembered = circlesEnd

// argsShown is how much of a call's arguments a reminder repeats, in bytes.
const argsShown = 500

// waiting are the tools whose calls only wait for something that runs: to call them
// again is what they are for.
var waiting = []string{"job_output", "terminal_read"}

// Kinds and tools of other slices, by their names: a plan is proposed with an event,
// a search of the web is a call, and the slice that keeps the context says how full
// it is and what became of making room.
const (
	planProposed  = "plan/proposed"
	planDecided   = "plan/decided"
	searchTool    = "web_search"
	measured      = "context/measured"
	compactionEnd = "compaction/end"
)

// Path folds the course of the turn.
var Path = session.Projection[Course]{Name: "course", Version: 1, Hidden: true, Fold: foldCourse}

func foldCourse(c Course, e session.Event) Course {
	switch e.Type {
	case session.TurnStart.Name:
		c = Course{Filled: c.Filled, Window: c.Window, Route: c.Route}
		if d, err := session.TurnStart.Decode(e); err == nil {
			c.Origin, c.Mode = d.Origin, d.Mode
		}
	case session.UserMessage.Name: // who is told something new may do the same again
		c.Calls, c.Run, c.Told, c.Args = nil, 0, 0, ""
	case session.Injected.Name:
		if d, err := session.Injected.Decode(e); err == nil {
			switch d.Source {
			case ReminderRow:
				c.Told = c.Run
			case GuardRow:
				c.Warned = true
			}
		}
	case session.AssistantMessage.Name:
		d, err := session.AssistantMessage.Decode(e)
		c.Wrote = c.Wrote || err == nil && strings.TrimSpace(llm.Plain(d.Content)) != ""
		if err == nil && d.Usage != nil && d.Usage.Input > 0 {
			if d.Model != c.Route {
				c.Window = 0
			}
			c.Filled, c.Route = d.Usage.Input+max(d.Usage.Output, 0), d.Model
		}
	case session.ToolCall.Name:
		if d, err := session.ToolCall.Decode(e); err == nil && d.Parent == "" {
			c = c.call(d)
		}
	case session.ToolResult.Name:
		if d, err := session.ToolResult.Decode(e); err == nil && d.Parent == "" {
			c = c.result(d)
		}
	case planProposed:
		c.Plans++
	case planDecided:
		var d struct{ By string }
		if json.Unmarshal(e.Data, &d) == nil && d.By == "person" {
			c = Course{Origin: c.Origin, Mode: c.Mode, Filled: c.Filled, Window: c.Window, Route: c.Route}
		}
	case measured:
		var d struct {
			Route                 string
			Tokens, Total, Window int
		}
		if json.Unmarshal(e.Data, &d) == nil {
			c.Filled, c.Window, c.Route = max(d.Tokens, d.Total), d.Window, d.Route
		}
	case compactionEnd:
		var d struct{ After int }
		if json.Unmarshal(e.Data, &d) == nil && d.After > 0 {
			c.Filled = d.After
		}
	}
	return c
}

func (c Course) call(d session.ToolCallData) Course {
	if slices.Contains(waiting, d.Tool) {
		return c
	}
	if d.Tool == searchTool {
		c.Searches++
	}
	m := Made{Call: d.Call, Tool: d.Tool, Name: nameOf(d), Form: formOf(d.Tool, d.Arguments)}
	if n := len(c.Calls); n > 0 && c.Calls[n-1].Form.Exact == m.Form.Exact {
		c.Run++
	} else {
		c.Run, c.Told = 1, 0
	}
	c.Args = shown(d.Arguments)
	c.Calls = append(slices.Clone(c.Calls[max(0, len(c.Calls)-remembered+1):]), m)
	return c
}

func (c Course) result(d session.ToolResultData) Course {
	i := slices.IndexFunc(c.Calls, func(m Made) bool { return m.Call == d.Call })
	if i < 0 {
		return c
	}
	if c.Calls[i].Tool == searchTool && d.DeniedBy == "" {
		if c.Failed++; !d.Failed {
			c.Failed = 0
		}
	}
	if d.Failed {
		c.Calls = slices.Clone(c.Calls)
		c.Calls[i].Failed = true
	}
	return c
}

// nameOf says a call in a person's words: the tool, and what it was used on.
func nameOf(d session.ToolCallData) string {
	what := strings.TrimSpace(d.Present.What)
	if what == "" || what == d.Tool {
		what = shown(d.Arguments)
	}
	if len(what) > 80 {
		what = strings.ToValidUTF8(what[:80], "") + "…"
	}
	return strings.TrimSpace(d.Tool + " " + what)
}

// shown is the beginning of arguments.
func shown(args string) string {
	if len(args) > argsShown {
		return strings.ToValidUTF8(args[:argsShown], "") + "…"
	}
	return args
}

// canonical writes arguments so that equal ones are the same text, whatever the
// order of their keys and the blanks between them.
func canonical(args string) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return strings.TrimSpace(args)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(b)
}

// share is how full the window was, 0 where that is unknown.
func (c Course) share(routes *llm.Routes) float64 {
	if c.Filled == 0 {
		return 0
	}
	if c.Window > 0 {
		return float64(c.Filled) / float64(c.Window)
	}
	for _, r := range routes.List() {
		if r.Name == c.Route && r.Model.Window > 0 {
			return float64(c.Filled) / float64(r.Model.Window)
		}
	}
	return 0
}
