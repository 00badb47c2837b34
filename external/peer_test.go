//go:build realexternal

package external_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// peer is a model server that speaks Messages and Responses, for the real programs. What
// it does is in the prompt: "say" answers, "run" has a command run first, "refuse" is
// refused, "hang" never comes to an end.
type peer struct {
	server *httptest.Server

	mu     sync.Mutex
	bodies []string
}

func newPeer(t testing.TB) *peer {
	p := &peer{}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

// asked reports whether a request held a text.
func (p *peer) asked(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.bodies, func(b string) bool { return strings.Contains(b, text) })
}

const shellCommand = "echo from the shell; exit 3"

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	text := string(body)
	p.mu.Lock()
	p.bodies = append(p.bodies, text)
	p.mu.Unlock()
	switch {
	case r.Method != http.MethodPost || strings.Contains(r.URL.Path, "count_tokens"):
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"input_tokens":10,"data":[]}`)
		return
	case strings.Contains(text, "refuse the request"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"type":"error","error":{"type":"invalid_request_error","message":"the scripted refusal"}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, v map[string]any) {
		v["type"] = kind
		raw, err := json.Marshal(v)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, raw)
		w.(http.Flusher).Flush()
	}
	run := strings.Contains(text, "run the command") && !strings.Contains(text, `"type":"tool_result"`) && !strings.Contains(text, `"type":"function_call_output"`)
	hang := strings.Contains(text, "hang for ever")
	if hang {
		<-r.Context().Done()
		return
	}
	if strings.HasSuffix(r.URL.Path, "/messages") {
		messages(send, run)
		return
	}
	send("response.created", map[string]any{"response": map[string]any{"id": "r1"}})
	responses(send, run, text)
}

type sender func(kind string, v map[string]any)

// messages answers as Anthropic Messages does.
func messages(send sender, run bool) {
	send("message_start", map[string]any{"message": map[string]any{"id": "m1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
		"usage": map[string]any{"input_tokens": 12, "output_tokens": 1}}})
	stop := "end_turn"
	send("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
	said := "A ring that guides a rope."
	if run {
		said, stop = "I look.", "tool_use"
	}
	send("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": said}})
	send("content_block_stop", map[string]any{"index": 0})
	if run {
		input, _ := json.Marshal(map[string]any{"command": shellCommand, "description": "looks"})
		send("content_block_start", map[string]any{"index": 1, "content_block": map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": map[string]any{}}})
		send("content_block_delta", map[string]any{"index": 1, "delta": map[string]any{"type": "input_json_delta", "partial_json": string(input)}})
		send("content_block_stop", map[string]any{"index": 1})
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop}, "usage": map[string]any{"output_tokens": 7}})
	send("message_stop", map[string]any{})
}

// responses answers as OpenAI Responses does.
func responses(send sender, run bool, request string) {
	item := map[string]any{"type": "message", "id": "i1", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "A ring that guides a rope.", "annotations": []any{}}}}
	if run {
		name, args := "shell", any(map[string]any{"command": []string{"sh", "-c", shellCommand}})
		switch {
		case strings.Contains(request, `"exec_command"`):
			name, args = "exec_command", map[string]any{"cmd": shellCommand}
		case strings.Contains(request, `"shell_command"`):
			name, args = "shell_command", map[string]any{"command": shellCommand}
		}
		raw, _ := json.Marshal(args)
		item = map[string]any{"type": "function_call", "id": "f1", "call_id": "call_1", "name": name, "arguments": string(raw)}
	} else {
		send("response.output_item.added", map[string]any{"output_index": 0, "item": map[string]any{"type": "message", "id": "i1", "role": "assistant", "content": []any{}}})
		send("response.output_text.delta", map[string]any{"item_id": "i1", "output_index": 0, "content_index": 0, "delta": "A ring that guides a rope."})
	}
	send("response.output_item.done", map[string]any{"output_index": 0, "item": item})
	send("response.completed", map[string]any{"response": map[string]any{"id": "r1", "output": []any{item},
		"usage": map[string]any{"input_tokens": 12, "input_tokens_details": map[string]any{"cached_tokens": 4}, "output_tokens": 7, "output_tokens_details": map[string]any{"reasoning_tokens": 2}, "total_tokens": 19}}})
}
