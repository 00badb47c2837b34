// Command floor is the least an agent can be: one loop over streaming Chat
// Completions with one shell tool and no features. It is the yardstick that the
// benchmark measures Fairlead against; nobody should use it for work.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

type call struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// tools is the one tool, as the wire wants it.
const tools = `[{"type":"function","function":{"name":"shell","description":"Run a command.",` +
	`"parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}]`

func main() {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println("floor")
		return
	}
	if err := run(os.Getenv("BASE_URL"), os.Getenv("PROMPT")); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(base, prompt string) error {
	history := []message{{Role: "system", Content: "You run commands."}, {Role: "user", Content: prompt}}
	for {
		reply, err := ask(base, history)
		if err != nil {
			return err
		}
		history = append(history, reply)
		if len(reply.ToolCalls) == 0 {
			return nil
		}
		for _, c := range reply.ToolCalls {
			var args struct{ Command string }
			if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
				return err
			}
			out, _ := exec.Command("bash", "-c", args.Command).CombinedOutput() // an exit code is for the model to read
			history = append(history, message{Role: "tool", ToolCallID: c.ID, Content: string(out)})
		}
	}
}

func ask(base string, history []message) (message, error) {
	body, err := json.Marshal(map[string]any{"model": "scripted", "stream": true, "tools": json.RawMessage(tools), "messages": history})
	if err != nil {
		return message{}, err
	}
	resp, err := http.Post(base+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	return read(resp)
}

// read assembles the reply and prints its text as it comes.
func read(resp *http.Response) (message, error) {
	reply := message{Role: "assistant"}
	var text strings.Builder
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string `json:"content"`
					ToolCalls []call `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			return reply, err
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != "" {
				text.WriteString(choice.Delta.Content)
				fmt.Print(choice.Delta.Content)
			}
			for _, c := range choice.Delta.ToolCalls {
				for len(reply.ToolCalls) <= c.Index {
					reply.ToolCalls = append(reply.ToolCalls, call{Index: len(reply.ToolCalls), Type: "function"})
				}
				to := &reply.ToolCalls[c.Index]
				if c.ID != "" {
					to.ID = c.ID
				}
				to.Function.Name += c.Function.Name
				to.Function.Arguments += c.Function.Arguments
			}
		}
	}
	reply.Content = text.String()
	return reply, lines.Err()
}
