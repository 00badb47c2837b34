package toolbox_test

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/session"
	"fairlead/toolbox"
)

// lsp asks a question that must be answered.
func (h *house) lsp(action, path, symbol string, more args) string {
	h.t.Helper()
	a := args{"action": action, "path": path}
	if symbol != "" {
		a["symbol"] = symbol
	}
	for k, v := range more {
		a[k] = v
	}
	return h.ok("lsp", a)
}

// peer is a language server that this test program is when it is started so; kind
// says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "language-server" {
		os.Exit(peer(os.Args[2]))
	}
	os.Exit(m.Run())
}

func peer(kind string) int {
	if kind == "no-start" {
		return 3
	}
	if kind == "chatter" {
		fmt.Println("Welcome to the server!") // what is no message
	}
	in, self := bufio.NewReader(os.Stdin), rand.Text()
	send := func(v map[string]any) {
		v["jsonrpc"] = "2.0"
		body, _ := json.Marshal(v)
		fmt.Printf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	text := ""
	for {
		size := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return 0
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				size, _ = strconv.Atoi(n)
			}
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(in, body); err != nil {
			return 0
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				TextDocument   struct{ URI, Text string }
				ContentChanges []struct{ Text string }
			}
		}
		if json.Unmarshal(body, &m) != nil {
			return 1
		}
		uri := m.Params.TextDocument.URI
		switch m.Method {
		case "initialize":
			send(map[string]any{"id": "mine", "method": "workspace/configuration", "params": map[string]any{"items": []any{1, 2}}})
			send(map[string]any{"id": m.ID, "result": map[string]any{"capabilities": map[string]any{}}})
		case "textDocument/didOpen":
			text = m.Params.TextDocument.Text
		case "textDocument/didChange":
			text = m.Params.ContentChanges[0].Text
		case "textDocument/definition":
			switch kind {
			case "dies":
				return 9
			case "null":
				send(map[string]any{"id": m.ID, "result": nil})
			case "error":
				send(map[string]any{"id": m.ID, "error": map[string]any{"code": -1, "message": "the index is being built"}})
			case "outside":
				send(map[string]any{"id": m.ID, "result": []any{map[string]any{"targetUri": "file:///etc/passwd", "targetSelectionRange": map[string]any{"start": map[string]any{"line": 0, "character": 0}}}, map[string]any{"uri": "http://x/y"}}})
			default:
				send(map[string]any{"id": m.ID, "result": map[string]any{"uri": uri, "range": map[string]any{"start": map[string]any{"line": 0, "character": 4}}}})
			}
		case "textDocument/hover":
			_, err := os.Create("made-by-server")
			send(map[string]any{"id": m.ID, "result": map[string]any{"contents": []any{"writes: " + strconv.FormatBool(err == nil), map[string]any{"language": "x", "value": "process " + self}}}})
		}
		if strings.HasPrefix(m.Method, "textDocument/did") {
			var found []any
			if strings.Contains(text, "wrong") {
				found = append(found, map[string]any{"range": map[string]any{"start": map[string]any{"line": 1, "character": 2}}, "severity": 2, "message": "this is\nwrong"})
			}
			send(map[string]any{"method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": uri, "diagnostics": found}})
		}
	}
}

// newPeerHouse is a house whose server for .x files behaves in one way.
func newPeerHouse(t *testing.T, kind string) *house {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := newHouseWith(t, toolbox.LanguageServer{Command: []string{program, "language-server", kind}, Endings: []string{".x"}})
	h.put("a.x", "the word\n")
	return h
}

func TestALanguageServerIsAskedAndFollowsTheFile(t *testing.T) {
	h := newPeerHouse(t, "plain")
	if got := h.lsp("definition", "a.x", "word", nil); got != "a.x:1:5  the word" {
		t.Errorf("%q", got)
	}
	if got := h.lsp("diagnostics", "a.x", "", nil); got != "The language server finds nothing wrong in a.x." {
		t.Errorf("%q", got)
	}
	h.put("a.x", "the word\nis wrong\n")
	if got := h.lsp("diagnostics", "a.x", "", nil); got != "a.x:2:3: warning: this is wrong" {
		t.Errorf("%q", got)
	}
	first := h.lsp("hover", "a.x", "word", nil)
	says(t, first, "writes: false", "process ")
	if again := h.lsp("hover", "a.x", "word", args{"line": 1}); again != first {
		t.Errorf("another process answers: %q, %q", first, again)
	}
}

func TestALanguageServerThatMisbehavesIsNamed(t *testing.T) {
	for kind, c := range map[string]struct{ code, says string }{
		"dies":     {"SERVER_GONE", "ended while it was asked"},
		"error":    {"SERVER_ERROR", "the index is being built"},
		"no-start": {"NO_SERVER", "could not be started"},
		"chatter":  {"NO_SERVER", "could not be started"},
	} {
		t.Run(kind, func(t *testing.T) {
			h := newPeerHouse(t, kind)
			for range 2 { // a second question starts it anew
				says(t, h.refused(c.code, "lsp", args{"action": "definition", "path": "a.x", "symbol": "word"}), c.says)
			}
		})
	}
	if got := newPeerHouse(t, "null").lsp("definition", "a.x", "word", nil); got != "The language server knows no place." {
		t.Errorf("%q", got)
	}
	if got := newPeerHouse(t, "outside").lsp("definition", "a.x", "word", nil); !strings.HasPrefix(got, "/etc/passwd:1:1") || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

func TestAMissingLanguageServerIsSaidPlainly(t *testing.T) {
	h := newHouseWith(t, toolbox.LanguageServer{Command: []string{"no-such-language-server"}, Endings: []string{".x"}})
	h.put("a.x", "x\n")
	h.put("a.unknown", "x\n")
	says(t, h.refused("NO_SERVER", "lsp", args{"action": "symbols", "path": "a.x"}), "No language server for .x files is on this machine (looked for no-such-language-server)")
	says(t, h.refused("NO_SERVER", "lsp", args{"action": "symbols", "path": "a.unknown"}), `No language server is known for ".unknown" files`)
	says(t, h.refused("NOT_FOUND", "lsp", args{"action": "symbols", "path": "gone.x"}), "gone.x does not exist")
}

func TestALanguageServerEndsWithItsSession(t *testing.T) {
	h := newPeerHouse(t, "plain")
	first := h.lsp("hover", "a.x", "word", nil)
	if _, err := h.log.Append(t.Context(), session.Archived.New(0, 0, session.ArchivedData{Archived: true})); err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil { // each question is a real one; the last goes to a new process
		r := h.run("lsp", args{"action": "hover", "path": "a.x", "symbol": "word"})
		if text := llm.Plain(r.Content); !r.Failed && text != first {
			return
		}
	}
}
