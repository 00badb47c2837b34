package external

import (
	"encoding/json"
	"strings"

	"fairlead/llm"
)

// grok is Grok Build: `grok --output-format streaming-json`. Its format is taken from
// its documentation (user guide, "Headless Mode and Scripting").
func grok() *Adapter {
	a := &Adapter{
		Name: "grok", Label: "Grok", Program: "grok",
		Folders: []string{".grok"}, HomeVariable: "GROK_HOME", Credentials: []string{"auth.json"},
		Guarded: []string{"config.toml", "hooks", "skills", "rules"},
		SignIn:  "Run grok login in a terminal.", PinsAccess: true,
		Build: buildGrok, Translate: translateGrok,
	}
	a.Finalize = func(h Heard, e Ended) Verdict { return judged(a, h, e) }
	return a
}

// buildGrok hands the prompt over in a file: Grok does not read it from stdin, and a
// command line is short and seen by everybody. The effort is pinned where nobody chose
// one, so that what the person set for their terminal does not count here.
func buildGrok(r Request) Launch {
	argv := []string{"grok", "--no-auto-update", "--output-format", "streaming-json", "--prompt-file", r.File, "--cwd", r.Folder}
	effort := r.Effort
	if effort == "" {
		effort = High
	}
	argv = append(argv, "--reasoning-effort", string(effort))
	sandbox, mode := "read-only", "plan"
	switch {
	case r.Access == Full:
		sandbox, mode = "off", "bypassPermissions"
	case r.Access == WorkspaceWrite && r.Confined:
		sandbox, mode = "workspace", "bypassPermissions"
	case r.Access == WorkspaceWrite:
		sandbox, mode = "workspace", "acceptEdits"
	}
	if r.Session != "" {
		argv = append(argv, "--resume", r.Session) // it keeps the sandbox that it began with
	} else {
		argv = append(argv, "--sandbox", sandbox)
	}
	return Launch{Argv: append(argv, "--permission-mode", mode), PromptFile: true, Env: map[string]*string{"XAI_API_KEY": nil, "GROK_API_KEY": nil}}
}

type grokLine struct {
	Type    string          `json:"type"`
	Text    string          `json:"data"`
	Call    string          `json:"toolCallId"`
	Tool    string          `json:"toolName"`
	Title   string          `json:"title"`
	Status  string          `json:"status"`
	Input   json.RawMessage `json:"rawInput"`
	Output  json.RawMessage `json:"rawOutput"`
	Stop    string          `json:"stopReason"`
	Session string          `json:"sessionId"`
	Usage   *grokUsage      `json:"usage"`
	Cost    *float64        `json:"total_cost_usd"`
	Turns   int             `json:"num_turns"`
	Message string          `json:"message"`
}

type grokUsage struct {
	claudeUsage
	Reasoning int `json:"reasoning_tokens"`
}

func translateGrok(line []byte) []Event {
	var l grokLine
	if note, ok := decoded(line, &l); !ok {
		return note
	}
	switch l.Type {
	case "text":
		return []Event{{Kind: Text, Text: l.Text, Joined: true}}
	case "thought":
		return []Event{{Kind: Reasoning, Text: l.Text, Joined: true}}
	case "tool_call":
		name := l.Tool
		if name == "" {
			name = l.Title
		}
		return []Event{{Kind: ToolUse, Tool: name, Call: l.Call, Arguments: compact(l.Input)}}
	case "tool_call_update":
		return l.update()
	case "usage":
		return []Event{{Kind: Usage, Usage: l.used()}}
	case "end":
		return l.end()
	case "error":
		return []Event{{Kind: Failure, Text: messageOf(quote(l.Message)), Failed: true, Over: true}}
	case "max_turns_reached":
		return []Event{{Kind: Failure, Text: "the most turns were reached", Failed: true, Over: true}}
	case "available_commands", "plan":
		return []Event{{Kind: Note, Text: strings.ReplaceAll(l.Type, "_", " ")}}
	}
	return unknown(l.Type)
}

func (l grokLine) update() []Event {
	if l.Status != "completed" && l.Status != "failed" {
		return nil
	}
	e := Event{Kind: ToolUse, Tool: l.Tool, Call: l.Call, Text: compact(l.Output), Done: true, Failed: l.Status == "failed"}
	var out struct {
		Exit   *int   `json:"exit_code"`
		Prompt string `json:"output_for_prompt"`
	}
	if json.Unmarshal(l.Output, &out) == nil {
		e.Exit = out.Exit
		if out.Prompt != "" {
			e.Text = out.Prompt
		}
	}
	return []Event{e}
}

func (l grokLine) used() *llm.Usage {
	if l.Usage == nil {
		return nil
	}
	u := l.Usage.usage()
	u.Reasoning = l.Usage.Reasoning
	return u
}

// goodEnds are the reasons to stop that leave an answer, in its older and newer spelling.
func goodEnd(reason string) bool {
	switch strings.ToLower(strings.ReplaceAll(reason, "_", "")) {
	case "", "endturn", "stop", "stopsequence":
		return true
	}
	return false
}

func (l grokLine) end() []Event {
	used := Event{Kind: Usage, Usage: l.used(), Turns: l.Turns, Over: true}
	if l.Cost != nil {
		cost := llm.Dollars(*l.Cost)
		used.Cost = &cost
	}
	events := []Event{used}
	if l.Session != "" {
		events = append(events, Event{Kind: Session, Session: l.Session})
	}
	if !goodEnd(l.Stop) {
		text := "it stopped: " + l.Stop
		if strings.EqualFold(l.Stop, "cancelled") {
			text += " (it wanted to do something that its access does not allow)"
		}
		events = append(events, Event{Kind: Failure, Text: text, Failed: true, Over: true})
	}
	return events
}
