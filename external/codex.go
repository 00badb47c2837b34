package external

import (
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/llm"
)

// codex is Codex CLI, seen with 0.171: `codex exec --json`.
func codex() *Adapter {
	a := &Adapter{
		Name: "codex", Label: "Codex", Program: "codex",
		Folders: []string{".codex"}, HomeVariable: "CODEX_HOME", Credentials: []string{"auth.json"},
		Guarded: []string{"config.toml", "hooks.json", "AGENTS.md", "rules", "skills", "plugins", "prompts"},
		SignIn:  "Run codex login in a terminal.", PinsAccess: true,
		Build: buildCodex, Translate: translateCodex,
	}
	a.Finalize = func(h Heard, e Ended) Verdict { return judged(a, h, e) }
	return a
}

// buildCodex leaves confining to us where we do it: Codex builds its own walls with
// bubblewrap, which cannot be put up inside ours.
func buildCodex(r Request) Launch {
	argv := []string{"codex", "exec"}
	if r.Session != "" {
		argv = append(argv, "resume")
	}
	argv = append(argv, "--json", "--skip-git-repo-check")
	switch {
	case r.Access == Full:
		argv = append(argv, "--dangerously-bypass-approvals-and-sandbox")
	case r.Confined:
		argv = append(argv, "-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="never"`)
	case r.Access == WorkspaceWrite:
		argv = append(argv, "-c", `sandbox_mode="workspace-write"`, "-c", `approval_policy="never"`)
	default:
		argv = append(argv, "-c", `sandbox_mode="read-only"`, "-c", `approval_policy="never"`)
	}
	if r.Effort != "" {
		argv = append(argv, "-c", fmt.Sprintf("model_reasoning_effort=%q", string(r.Effort)))
	}
	if r.Session != "" {
		argv = append(argv, r.Session)
	}
	return Launch{Argv: append(argv, "-"), Stdin: r.Prompt, Env: map[string]*string{"OPENAI_API_KEY": nil, "OPENAI_BASE_URL": nil, "CODEX_API_KEY": nil}}
}

type codexLine struct {
	Type    string          `json:"type"`
	Thread  string          `json:"thread_id"`
	Item    codexItem       `json:"item"`
	Usage   *codexUsage     `json:"usage"`
	Message string          `json:"message"`
	Error   json.RawMessage `json:"error"`
}

type codexUsage struct {
	Input     int `json:"input_tokens"`
	Cached    int `json:"cached_input_tokens"`
	Output    int `json:"output_tokens"`
	Reasoning int `json:"reasoning_output_tokens"`
}

type codexItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Text    string `json:"text"`
	Message string `json:"message"`
	// Of a command.
	Command string `json:"command"`
	Output  string `json:"aggregated_output"`
	Exit    *int   `json:"exit_code"`
	// Of a change of files.
	Changes []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`
	// Of a call of an MCP tool and of a search.
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
	Query     string          `json:"query"`
	Items     []struct {
		Text      string `json:"text"`
		Completed bool   `json:"completed"`
	} `json:"items"`
}

func translateCodex(line []byte) []Event {
	var l codexLine
	if note, ok := decoded(line, &l); !ok {
		return note
	}
	switch l.Type {
	case "thread.started":
		return []Event{{Kind: Session, Session: l.Thread}}
	case "turn.started":
		return []Event{{Kind: Note, Text: "turn started"}}
	case "turn.completed":
		e := Event{Kind: Usage, Over: true, Turns: 1}
		if u := l.Usage; u != nil {
			e.Usage = &llm.Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning}
		}
		return []Event{e}
	case "turn.failed":
		return []Event{{Kind: Failure, Text: messageOf(l.Error), Failed: true, Over: true}}
	case "error":
		return []Event{{Kind: Failure, Text: messageOf(json.RawMessage(quote(l.Message)))}}
	case "item.started", "item.updated", "item.completed":
		return l.Item.events(l.Type)
	}
	return unknown(l.Type)
}

func (i codexItem) events(when string) []Event {
	done := when == "item.completed"
	failed := done && i.Status == "failed"
	switch i.Type {
	case "agent_message":
		return said(done, Event{Kind: Text, Text: i.Text})
	case "reasoning":
		return said(done, Event{Kind: Reasoning, Text: i.Text})
	case "error":
		return said(done, Event{Kind: Failure, Text: i.Message})
	case "command_execution":
		e := Event{Kind: ToolUse, Tool: "shell", Call: i.ID, Arguments: i.Command, Done: done, Failed: failed || done && i.Status == "declined"}
		if done {
			e.Text, e.Exit = i.Output, i.Exit
		}
		return began(when, e)
	case "file_change":
		return said(done, i.changed(failed)...)
	case "mcp_tool_call":
		e := Event{Kind: ToolUse, Tool: i.Server + "." + i.Tool, Call: i.ID, Arguments: compact(i.Arguments), Done: done, Failed: failed}
		if done {
			e.Text = strings.TrimSpace(compact(i.Result) + " " + messageOf(i.Error))
		}
		return began(when, e)
	case "web_search":
		return began(when, Event{Kind: ToolUse, Tool: "web search", Call: i.ID, Arguments: i.Query, Done: done})
	case "todo_list":
		var lines []string
		for _, item := range i.Items {
			mark := "☐ "
			if item.Completed {
				mark = "☑ "
			}
			lines = append(lines, mark+item.Text)
		}
		return []Event{{Kind: Note, Text: strings.Join(lines, "\n")}}
	}
	return unknown(when + " " + i.Type)
}

func (i codexItem) changed(failed bool) (events []Event) {
	for _, c := range i.Changes {
		change := map[string]string{"add": "added", "update": "changed", "delete": "deleted"}[c.Kind]
		events = append(events, Event{Kind: File, Call: i.ID, Path: c.Path, Change: change, Failed: failed})
	}
	return events
}

// said gives what counts once it is complete.
func said(done bool, events ...Event) []Event {
	if !done {
		return nil
	}
	return events
}

// began leaves out what an item says in between.
func began(when string, e Event) []Event {
	if when == "item.updated" {
		return nil
	}
	return []Event{e}
}

// messageOf finds what an error says: a text, an object with a message, or such JSON
// inside a text.
func messageOf(raw json.RawMessage) string {
	text := compact(raw)
	var wrapped struct {
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(text), &wrapped) != nil {
		return text
	}
	switch {
	case wrapped.Message != "":
		return messageOf(quote(wrapped.Message))
	case wrapped.Detail != "":
		return wrapped.Detail
	case len(wrapped.Error) > 0:
		return messageOf(wrapped.Error)
	}
	return text
}

func quote(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil // a text always has JSON
	}
	return raw
}
