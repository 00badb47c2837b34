package external

import (
	"encoding/json"
	"strings"

	"fairlead/llm"
)

// claude is Claude Code, seen with 2.1: `claude -p --output-format stream-json`.
func claude() *Adapter {
	a := &Adapter{
		Name: "claude", Label: "Claude Code", Program: "claude",
		Folders: []string{".claude", ".claude.json", ".cache/claude", ".local/state/claude"}, HomeVariable: "CLAUDE_CONFIG_DIR",
		Credentials: []string{".credentials.json"},
		Guarded:     []string{"settings.json", "settings.local.json", "CLAUDE.md", "hooks", "skills", "commands", "agents"},
		SignIn:      "Run claude in a terminal and sign in with /login.",
		Build:       buildClaude, Translate: translateClaude,
	}
	a.Finalize = func(h Heard, e Ended) Verdict { return judged(a, h, e) }
	return a
}

// claudeWrites are its tools that change files.
const claudeWrites = "Edit,Write,MultiEdit,NotebookEdit"

func buildClaude(r Request) Launch {
	argv := []string{"claude", "-p", "--output-format", "stream-json", "--verbose"}
	switch {
	case r.Access == Full:
		argv = append(argv, "--permission-mode", "bypassPermissions")
	case r.Access == WorkspaceWrite && r.Confined:
		argv = append(argv, "--permission-mode", "acceptEdits", "--allowed-tools", "Bash")
	case r.Access == WorkspaceWrite:
		argv = append(argv, "--permission-mode", "acceptEdits")
	default:
		argv = append(argv, "--permission-mode", "default", "--disallowed-tools", claudeWrites)
	}
	if r.Effort != "" {
		argv = append(argv, "--effort", string(r.Effort))
	}
	if r.Session != "" {
		argv = append(argv, "--resume", r.Session)
	}
	// What a gateway of ours is reached with must not become the person's account there.
	return Launch{Argv: argv, Stdin: r.Prompt, Env: map[string]*string{"ANTHROPIC_API_KEY": nil, "ANTHROPIC_AUTH_TOKEN": nil, "ANTHROPIC_BASE_URL": nil,
		"CLAUDECODE": nil, "DISABLE_AUTOUPDATER": value("1"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": value("1")}}
}

type claudeLine struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Result  string          `json:"result"`
	IsError bool            `json:"is_error"`
	Errors  []string        `json:"errors"`
	Turns   int             `json:"num_turns"`
	Cost    *float64        `json:"total_cost_usd"`
	Usage   *claudeUsage    `json:"usage"`
	Model   string          `json:"model"`
	Status  json.RawMessage `json:"status"`
}

type claudeUsage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
}

func (u *claudeUsage) usage() *llm.Usage {
	if u == nil {
		return nil
	}
	return &llm.Usage{Input: u.Input + u.Read + u.Created, Cached: u.Read, Written: u.Created, Output: u.Output}
}

type claudeBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	ToolUse  string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	IsError  bool            `json:"is_error"`
}

func translateClaude(line []byte) []Event {
	var l claudeLine
	if note, ok := decoded(line, &l); !ok {
		return note
	}
	switch l.Type {
	case "system":
		if l.Subtype == "init" {
			return []Event{{Kind: Session, Session: l.Session, Text: l.Model}}
		}
		return []Event{{Kind: Note, Text: strings.Trim(l.Subtype+" "+compact(l.Status), " ")}}
	case "assistant":
		return claudeSaid(l)
	case "user":
		return claudeResults(l)
	case "result":
		return claudeResult(l)
	case "rate_limit_event", "stream_event", "tool_progress":
		return []Event{{Kind: Note, Text: strings.ReplaceAll(l.Type, "_", " ")}}
	}
	return unknown(l.Type)
}

// claudeBlocks reads the content of a message, which may be plain text.
func claudeBlocks(raw json.RawMessage) []claudeBlock {
	var blocks []claudeBlock
	if json.Unmarshal(raw, &blocks) != nil {
		return []claudeBlock{{Type: "text", Text: compact(raw)}}
	}
	return blocks
}

func claudeSaid(l claudeLine) (events []Event) {
	for _, b := range claudeBlocks(l.Message.Content) {
		switch b.Type {
		case "text":
			events = append(events, Event{Kind: Text, Text: b.Text})
		case "thinking":
			events = append(events, Event{Kind: Reasoning, Text: b.Thinking})
		case "redacted_thinking":
			events = append(events, Event{Kind: Reasoning})
		case "tool_use", "server_tool_use":
			events = append(events, Event{Kind: ToolUse, Tool: b.Name, Call: b.ID, Arguments: compact(b.Input)})
		default:
			events = append(events, unknown("assistant "+b.Type)...)
		}
	}
	return events
}

func claudeResults(l claudeLine) (events []Event) {
	for _, b := range claudeBlocks(l.Message.Content) {
		if b.Type != "tool_result" {
			continue // the prompt itself, said again
		}
		var text []string
		for _, part := range claudeBlocks(b.Content) {
			text = append(text, part.Text)
		}
		events = append(events, Event{Kind: ToolUse, Call: b.ToolUse, Text: strings.Join(text, "\n"), Done: true, Failed: b.IsError})
	}
	return events
}

func claudeResult(l claudeLine) []Event {
	used := Event{Kind: Usage, Usage: l.Usage.usage(), Turns: l.Turns}
	if l.Cost != nil {
		cost := llm.Dollars(*l.Cost)
		used.Cost = &cost
	}
	end := Event{Kind: Text, Text: l.Result, Final: true, Over: true}
	if l.IsError || l.Subtype != "success" {
		text := strings.Join(append([]string{l.Result}, l.Errors...), " ")
		if strings.TrimSpace(text) == "" {
			text = strings.ReplaceAll(l.Subtype, "_", " ")
		}
		end = Event{Kind: Failure, Text: strings.TrimSpace(text), Failed: true, Over: true}
	}
	return []Event{used, end}
}
