package toolbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

func (h *house) shell(command string, more ...any) *session.ToolResultData {
	h.t.Helper()
	a := args{"command": command}
	for i := 0; i+1 < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return h.run("shell", a)
}

type terminal struct {
	ExitCode int
	Signal   string
	TimedOut bool
	Left     []string
	Cut      *struct{ Total, Lines, ShownHead, ShownTail int64 }
}

func viewOf(t *testing.T, r *session.ToolResultData) terminal {
	t.Helper()
	var v terminal
	if err := json.Unmarshal(r.View, &v); err != nil {
		t.Fatalf("view %s: %v", r.View, err)
	}
	return v
}

func TestCommandsTellHowTheyEnded(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		command, want, code string
		exit                int
	}{
		{"echo hello", "hello", "", 0},
		{"true", "(no output)", "", 0},
		{"echo out; echo err >&2; echo out again", "out\nerr\nout again", "", 0},
		{"echo before; exit 3", "before\n[exit code 3]", "EXIT_CODE", 3},
		{"kill -9 $$", "(no output)\n[ended by the signal SIGKILL]", "SIGNAL", 137},
		{"printf 'no newline'", "no newline", "", 0},
		{"nosuchprogram 2>/dev/null", "(no output)\n[exit code 127]", "EXIT_CODE", 127},
		{"pwd", h.dir, "", 0},
		{"read x; echo \"got <$x>\"", "got <>", "", 0},
		{`printf 'a\0b\033[31mred\033[0m\033]52;c;eA==\007!\r\nnext\rover\n'`, "abred!\nnext\nover", "", 0},
		{`printf '\xff\xfe ok \xe4\xbd\xa0'`, "� ok 你", "", 0},
	} {
		r := h.shell(c.command)
		if got := llm.Plain(r.Content); got != c.want || r.Code != c.code || viewOf(t, r).ExitCode != c.exit || r.Failed != (c.exit != 0) {
			t.Errorf("%s: %q, code %q, exit %d, failed %v; want %q, %q, %d", c.command, got, r.Code, viewOf(t, r).ExitCode, r.Failed, c.want, c.code, c.exit)
		}
	}
}

func TestProgramsThatWouldWaitForAPersonDoNot(t *testing.T) {
	h := newHouse(t)
	for _, command := range []string{
		"git init -q . && git -c user.name=n -c user.email=e@x commit --allow-empty -q -m x && git log",
		"GIT_EDITOR= git -c user.name=n -c user.email=e@x commit --allow-empty || true",
		"cat", "head -1", "bash -i </dev/tty 2>/dev/null || true",
	} {
		if r := h.shell(command, "timeout_ms", 20000); viewOf(t, r).TimedOut {
			t.Errorf("%s waited", command)
		}
	}
}

func TestLongOutputShowsBothEndsAndKeepsAll(t *testing.T) {
	h := newHouse(t)
	r := h.shell("seq 1 50000")
	text, view := llm.Plain(r.Content), viewOf(t, r)
	if !strings.HasPrefix(text, "1\n2\n3\n") || !strings.HasSuffix(text, "\n49999\n50000") {
		t.Errorf("it does not begin and end with the output: %.40q … %q", text, text[len(text)-40:])
	}
	if len(text) > 50000 || view.Cut == nil || view.Cut.Lines != 50000 || view.Cut.Total != 288894 {
		t.Errorf("%d bytes shown, cut %+v", len(text), view.Cut)
	}
	if r.Spill == nil {
		t.Fatal("the whole output was not kept")
	}
	whole, err := h.log.Blob(r.Spill.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(whole), "\n"); lines != 50000 {
		t.Errorf("%d lines were kept", lines)
	}
	if got := h.ok("read", args{"path": tool.Locator(*r.Spill), "offset": 25000, "limit": 2}); !strings.Contains(got, "25000") || !strings.Contains(got, "25001") {
		t.Errorf("reading on gives %q", got)
	}
}

func TestEndlessOutputIsBounded(t *testing.T) {
	h := newHouse(t)
	r := h.shell("yes | head -c 200000000", "timeout_ms", 60000)
	view := viewOf(t, r)
	if view.Cut == nil || view.Cut.Total != 200000000 || r.Spill == nil || r.Spill.Size != 64<<20 {
		t.Errorf("cut %+v, kept %+v", view.Cut, r.Spill)
	}
}

func TestATimeLimitEndsTheWholeTree(t *testing.T) {
	h := newHouse(t)
	r := h.shell("sleep 300 & echo $! > child; wait", "timeout_ms", 200)
	if view := viewOf(t, r); !view.TimedOut || r.Code != "TIMEOUT" || !strings.Contains(llm.Plain(r.Content), "timed out after 200ms") {
		t.Errorf("%+v %q", view, llm.Plain(r.Content))
	}
	gone(t, h.path("child"))
}

func TestStopEndsTheCommand(t *testing.T) {
	h := newHouse(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan *session.ToolResultData, 1)
	go func() {
		done <- h.tools.Execute(ctx, h.graph.Root().Realm(), h.call("shell", args{"command": "sleep 300 & echo $! > child; wait"}))
	}()
	waitFor(t, func() bool { text, err := os.ReadFile(h.path("child")); return err == nil && len(text) > 1 })
	stop()
	if r := <-done; !r.Failed {
		t.Errorf("a stopped command worked: %q", llm.Plain(r.Content))
	}
	gone(t, h.path("child"))
}

func TestWhatACommandLeavesBehindIsEnded(t *testing.T) {
	h := newHouse(t)
	begin := time.Now()
	r := h.shell("sleep 301 & echo $! > child; echo hi")
	if text := llm.Plain(r.Content); !strings.HasPrefix(text, "hi") {
		t.Errorf("%q", text)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %s: it waited for what it left running", took)
	}
	gone(t, h.path("child"))
}

// gone waits until the process whose id a file holds is no more. In a namespace of
// its own the id means nothing here; then the file's number is of no process that
// sleeps.
func gone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		return err != nil || !strings.HasPrefix(string(line), "sleep\x00")
	})
}

// waitFor polls a condition; the bound is a tenfold margin, not a measure.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatal("it never came true")
		case <-tick.C:
		}
	}
}

func TestTheCardShowsTheCommandAndBindsItsScripts(t *testing.T) {
	h := newHouse(t)
	h.put("run.sh", "echo hi\n")
	h.put("data.txt", "x\n")
	h.put("tool.py", "print(1)\n")
	for command, want := range map[string][]string{
		"bash run.sh":                        {"run.sh"},
		"./run.sh && cat data.txt":           {"run.sh"},
		"cd . && python3 'tool.py' data.txt": {"tool.py", "data.txt"},
		"cat run.sh":                         {},
		"rm data.txt":                        {},
	} {
		call := h.call("shell", args{"command": command, "description": "to try it"})
		call.Args = json.RawMessage(call.Raw)
		card, err := h.tools.Find(h.graph.Root().Realm(), "shell").(tool.Carder).Card(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		wantBinds := map[string]string{}
		for _, name := range want {
			id, err := tool.Identity(h.path(name))
			if err != nil {
				t.Fatal(err)
			}
			wantBinds[h.path(name)] = id
		}
		if diff := cmp.Diff(wantBinds, card.Binds); diff != "" || card.Hero != command || card.Parts[0].Text != command {
			t.Errorf("%s: %s %+v", command, diff, card)
		}
	}
}

func TestAFolderThatIsNotThereIsNamed(t *testing.T) {
	h := newHouse(t)
	r := h.shell("ls", "dir", "nowhere")
	if text := llm.Plain(r.Content); !r.Failed || !strings.Contains(text, "nowhere") {
		t.Errorf("%q", text)
	}
}
