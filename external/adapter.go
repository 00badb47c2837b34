package external

import (
	"encoding/json"
	"time"

	"fairlead/tool"
)

// Adapter is all there is to know of one product: three pure functions and where the
// product keeps what it needs.
type Adapter struct {
	Name  string // as a model and a person call it, "claude"
	Label string // its own name, "Claude Code"
	// Program is looked up on the PATH.
	Program string
	// Folders are where it keeps its sessions and its credential, below the person's home
	// folder. It may write them whatever its access. Where the variable HomeVariable is
	// set, that is the folder instead.
	Folders      []string
	HomeVariable string
	// SignIn says how a person signs in.
	SignIn string
	// Credentials are files below its folder one of which is there when somebody is
	// signed in; empty where that cannot be seen.
	Credentials []string
	// Guarded are files and folders below its folder that decide what it runs by itself. A
	// run never changes them: what a model writes there would run without a question later.
	Guarded []string
	// PinsAccess is true where a resumed session keeps the access that it began with.
	PinsAccess bool

	// Build says how a request is put to the program.
	Build func(Request) Launch
	// Translate reads one line of its output. It never fails: what it does not understand
	// it gives back as a note.
	Translate func(line []byte) []Event
	// Finalize says what came of a run, from what was heard and how the program ended.
	Finalize func(Heard, Ended) Verdict
}

// Request is one thing to ask of an agent, with everything decided.
type Request struct {
	Prompt string
	Access Access
	Effort Effort
	// Session is the agent's session to go on with, "" for a new one.
	Session string
	// Folder is where it works, absolute.
	Folder string
	// File is where the prompt may be put for a program that does not read it from stdin.
	File string
	// Confined is true where the system keeps the program to its access. Where it does
	// not, the program's own flags are all there is, and they are set tighter.
	Confined bool
}

// Launch is how the program is started. Env changes its environment: a nil value removes
// the variable. Where PromptFile is true the prompt is written to Request.File first.
type Launch struct {
	Argv       []string
	Stdin      string
	Env        map[string]*string
	PromptFile bool
}

// Access is what an agent may do on this machine.
type Access string

// The levels, from the narrowest.
const (
	ReadOnly       Access = "read-only"
	WorkspaceWrite Access = "workspace-write"
	Full           Access = "full"
)

// rank orders the levels; 0 is none of them.
func (a Access) rank() int {
	switch a {
	case ReadOnly:
		return 1
	case WorkspaceWrite:
		return 2
	case Full:
		return 3
	}
	return 0
}

// Effort is how much an agent is to think; "" leaves it to the agent.
type Effort string

// The efforts.
const (
	Low    Effort = "low"
	Medium Effort = "medium"
	High   Effort = "high"
	XHigh  Effort = "xhigh"
)

// Ended is how the program of a run ended.
type Ended struct {
	Exit   int
	Signal string
	// Stopped: somebody stopped the run. TimedOut: it took longer than Limit. Flooded: it
	// printed more than is read of one run. Waiting: it asked somebody to sign in and did
	// nothing else. Lingered: it had said that it was done, and did not end.
	Stopped, TimedOut, Flooded, Waiting, Lingered bool
	Limit                                         time.Duration
	// Torn: its output ended in the middle of a line.
	Torn bool
	// Stderr is the end of what it printed there.
	Stderr string
	// Printed counts the bytes of its output.
	Printed int64
}

// Verdict is what came of a run. Code is a stable word; Reason says it in one sentence
// for people and models; Answer is what the agent said, also where the run failed.
type Verdict struct {
	OK     bool   `json:"ok"`
	Code   string `json:"code"`
	Reason string `json:"reason,omitempty"`
	Answer string `json:"answer,omitempty"`
}

// longestNote bounds what a note repeats of a line, in characters.
const longestNote = 300

// decoded reads a line as JSON into v. Where it is none, the note says so.
func decoded(line []byte, v any) (note []Event, ok bool) {
	if err := json.Unmarshal(line, v); err != nil {
		return []Event{{Kind: Note, Broken: true, Text: "not understood: " + tool.OutsideLine(string(line), longestNote)}}, false
	}
	return nil, true
}

// unknown is a note about a line of a kind that is not known here.
func unknown(kind string) []Event {
	if kind == "" {
		kind = "without a type"
	}
	return []Event{{Kind: Note, Text: "unknown event: " + tool.OutsideLine(kind, longestNote)}}
}

// compact gives JSON as text; a JSON string as what it says.
func compact(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

func value(s string) *string { return &s }
