package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/llm/scripted"
)

// caller is another agent: the official client, with this program as its server in a
// process of its own.
type caller struct {
	t       *testing.T
	session *sdk.ClientSession
	work    string
}

type answer struct {
	Session, State, Answer, Ended string
	Seq                           int64
	Events                        []string
}

func newCaller(t *testing.T, script string, flags ...string) *caller {
	t.Helper()
	parsed, err := scripted.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(scripted.Handler(parsed))
	t.Cleanup(model.Close)
	home, work := t.TempDir(), t.TempDir()
	if work, err = filepath.EvalSymlinks(work); err != nil {
		t.Fatal(err)
	}
	patch := filepath.Join(home, "patch.yaml")
	if err := os.WriteFile(patch, []byte("rows:\n  - {id: model, plugin: connection, config: {name: model, baseUrl: \""+model.URL+"/v1\", default: scripted, prefer: true}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"fairlead", "mcp", "serve", "--workspace", work}, flags...)
	cmd.Env = append(os.Environ(), "FAIRLEAD_HOME="+home)
	cmd.Stderr = t.Output()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "caller"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server does not end cleanly: %v", err)
		}
	})
	return &caller{t, session, work}
}

func (c *caller) try(name string, args map[string]any) (answer, string) {
	c.t.Helper()
	r, err := c.session.CallTool(context.WithoutCancel(c.t.Context()), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.t.Fatal(err)
	}
	if r.IsError {
		return answer{}, r.Content[0].(*sdk.TextContent).Text
	}
	var a answer
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return a, ""
}

func (c *caller) call(name string, args map[string]any) answer {
	c.t.Helper()
	a, refused := c.try(name, args)
	if refused != "" {
		c.t.Fatalf("%s: %s", name, refused)
	}
	return a
}

func TestAnotherAgentRunsFollowsAndStopsASession(t *testing.T) {
	c := newCaller(t, `reply
  call write {"path": "a.txt", "content": "hello\n"}
reply
  say It is written.
reply
  call shell {"command": "sleep 100"}
`, "--mode", "bypass")
	began := c.call("session_run", map[string]any{"prompt": "Write a file."})
	got := began
	for seq := began.Seq; got.State != "idle"; seq = got.Seq {
		got = c.call("session_follow", map[string]any{"session": began.Session, "after": seq, "wait_ms": 50_000})
	}
	if got.Answer != "It is written." || got.Ended != "completed" || !strings.Contains(strings.Join(got.Events, "\n"), "write a.txt") {
		t.Errorf("followed: %+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(c.work, "a.txt")); err != nil || string(text) != "hello\n" {
		t.Errorf("the file: %q, %v", text, err)
	}
	again := c.call("session_run", map[string]any{"prompt": "Sleep.", "session": began.Session})
	for seq, line := again.Seq, ""; !strings.Contains(line, "run sleep"); {
		news := c.call("session_follow", map[string]any{"session": began.Session, "after": seq, "wait_ms": 1})
		seq, line = news.Seq, strings.Join(news.Events, "\n")
	}
	if stopped := c.call("session_stop", map[string]any{"session": began.Session}); stopped.State != "idle" || stopped.Ended != "aborted" {
		t.Errorf("stopped: %+v", stopped)
	}
}

func TestAnotherAgentCannotWidenWhatItMayDo(t *testing.T) {
	c := newCaller(t, "reply\n  call write {\"path\": \"a.txt\", \"content\": \"hello\"}\nreply\n  say It was refused.\n")
	began := c.call("session_run", map[string]any{"prompt": "Write a file."})
	got := began
	for got.State != "idle" {
		got = c.call("session_follow", map[string]any{"session": began.Session, "wait_ms": 50_000})
	}
	if !strings.Contains(strings.Join(got.Events, "\n"), "failed: DENIED") || got.Answer != "It was refused." {
		t.Errorf("in manual with nobody there: %+v", got)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(c.work, "out")); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"/etc", "../..", "out", "nowhere"} {
		if _, refused := c.try("session_run", map[string]any{"prompt": "x", "folder": folder}); refused == "" {
			t.Errorf("a session was begun in %s", folder)
		}
	}
	for name, args := range map[string]map[string]any{"session_run": {"prompt": "x", "session": "01890000-0000-7000-8000-000000000000"}, "session_stop": {"session": "x"}, "session_follow": {"session": "../x"}} {
		if _, refused := c.try(name, args); !strings.Contains(refused, "was begun here") {
			t.Errorf("%s of a session that is not its own: %q", name, refused)
		}
	}
}
