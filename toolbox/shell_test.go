package toolbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// terminal is the view of a command's result, as the page reads it.
type terminal struct {
	Kind      string
	ExitCode  int
	Signal    string
	TimedOut  bool
	Left      []string
	Cut       *struct{ Total, Lines, ShownHead, ShownTail int }
	Dir       string
	Protected []string
}

func view(t testing.TB, r *session.ToolResultData) (v terminal) {
	t.Helper()
	if err := json.Unmarshal(r.View, &v); err != nil {
		t.Fatalf("view %s: %v", r.View, err)
	}
	return v
}

// mayWrite lets commands of the house change its folder.
func mayWrite(h *house) { h.policy = sandbox.Policy{Write: []string{h.dir}, Network: true} }

func (h *house) shell(a args) (string, *session.ToolResultData) {
	h.t.Helper()
	r := h.run("shell", a)
	return llm.Plain(r.Content), r
}

func TestACommandShowsBothStreamsInOrderAndItsExitCode(t *testing.T) {
	h := newHouse(t)
	text, r := h.shell(args{"command": "echo one; echo two >&2; echo three; exit 3"})
	if text != "one\ntwo\nthree\n[exit code 3]" || !r.Failed || r.Code != "EXIT_CODE" {
		t.Errorf("%q, failed %t, code %q", text, r.Failed, r.Code)
	}
	if diff := cmp.Diff(terminal{Kind: "terminal", ExitCode: 3, Dir: "."}, view(t, r)); diff != "" {
		t.Error(diff)
	}
	if text, r := h.shell(args{"command": "true"}); text != "(no output)" || r.Failed {
		t.Errorf("%q", text)
	}
}

func TestCommandsTellHowTheyEnded(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		command, want, code string
		exit                int
	}{
		{"echo before; exit 3", "before\n[exit code 3]", "EXIT_CODE", 3},
		{"kill -9 $$", "(no output)\n[ended by SIGKILL]", "SIGNAL", 137},
		{"printf 'no newline'", "no newline", "", 0},
		{"nosuchprogram 2>/dev/null", "(no output)\n[exit code 127]", "EXIT_CODE", 127},
	} {
		text, r := h.shell(args{"command": c.command})
		if text != c.want || r.Code != c.code || view(t, r).ExitCode != c.exit || r.Failed != (c.exit != 0) {
			t.Errorf("%s: %q, code %q, exit %d, failed %v; want %q, %q, %d", c.command, text, r.Code, view(t, r).ExitCode, r.Failed, c.want, c.code, c.exit)
		}
	}
}

func TestACommandStartsInItsFolderAndChangesWhatItMay(t *testing.T) {
	h := newHouse(t)
	mayWrite(h)
	h.put("sub/a", "x")
	text, _ := h.shell(args{"command": "pwd; echo made > b; echo $0 $-", "dir": "sub"})
	if want := h.path("sub") + "\nbash hBc\n"; text != strings.TrimSuffix(want, "\n") {
		t.Errorf("%q, want %q", text, want)
	}
	h.has("sub/b", "made\n")
	says(t, h.refused("NOT_FOUND", "shell", args{"command": "true", "dir": "none"}), "is not there", "Nothing was started")
	if text, r := h.shell(args{"command": "echo x > /etc/fairlead-test"}); !r.Failed {
		t.Errorf("written outside: %s", text)
	} else {
		says(t, text, "may change files in the session's folder only")
	}
}

func TestALookOnlyCommandIsToldWhyItFailed(t *testing.T) {
	h := newHouse(t)
	h.policy = sandbox.Policy{}
	text, _ := h.shell(args{"command": "echo x > new"})
	says(t, text, "Read-only file system", "[exit code 1]", "it ran unasked")
}

func TestLongOutputIsCutOnLinesAndKeptWhole(t *testing.T) {
	h := newHouse(t)
	text, r := h.shell(args{"command": "seq 1 100000"})
	v := view(t, r)
	if v.Cut == nil || v.Cut.Total != 588895 || v.Cut.Lines != 100000 || v.Cut.ShownHead > 16000 || v.Cut.ShownTail > 32000 || v.Cut.ShownHead < 15900 || v.Cut.ShownTail < 31900 {
		t.Errorf("cut %+v", v.Cut)
	}
	if !strings.HasPrefix(text, "1\n2\n") || !strings.HasSuffix(text, "\n99999\n100000") {
		t.Errorf("starts %.20q, ends %q", text, text[len(text)-20:])
	}
	previous := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "[") {
			says(t, line, "left out", "588 KB", "100,000 lines", "offset")
			previous = ""
			continue
		}
		if previous != "" && len(line) < len(previous) {
			t.Fatalf("a line was cut: %q after %q", line, previous)
		}
		previous = line
	}
	at := strings.Index(text, "spill:")
	locator := text[at : at+len("spill:")+12]
	says(t, h.ok("read", args{"path": locator, "offset": 99999}), "99999→99999", "100000→100000")
	whole, err := h.log.Blob(r.Spill.SHA256)
	if err != nil || len(whole) != 588895 {
		t.Errorf("kept %d bytes, %v", len(whole), err)
	}
}

func TestAFloodIsCappedInMemoryAndOnDisk(t *testing.T) {
	h := newHouse(t)
	text, r := h.shell(args{"command": "yes 0123456789abcdef | head -c 100000000; echo end"})
	says(t, text, "only the first", "are kept")
	if !strings.HasSuffix(text, "end") {
		t.Errorf("ends %q", text[len(text)-40:])
	}
	if r.Spill == nil || r.Spill.Size != 64<<20 {
		t.Errorf("kept %+v", r.Spill)
	}
}

func TestACommandIsEndedAtItsTimeLimit(t *testing.T) {
	h := newHouse(t)
	text, r := h.shell(args{"command": "echo before; (setsid sleep 1000 &); sleep 1000", "timeout_ms": 1000})
	if v := view(t, r); !v.TimedOut || r.Code != "TOOL_TIMEOUT" || !strings.HasPrefix(text, "before\n[timed out after 1s") {
		t.Errorf("%+v %q %q", v, r.Code, text)
	}
}

func TestStopEndsACommandAndKeepsItsOutput(t *testing.T) {
	h := newHouse(t)
	ctx, stop := context.WithCancel(t.Context())
	live := h.listen()
	done := make(chan *session.ToolResultData)
	began := time.Now()
	go func() {
		done <- h.tools.Execute(ctx, h.graph.Root().Realm(), h.call("shell", args{"command": `trap '' TERM; echo ready; sh -c 'trap "" TERM; sleep 1000 & sleep 1000'`}))
	}()
	if got := <-live; got != "ready\n" {
		t.Errorf("live: %q", got)
	}
	stop()
	r := <-done
	if text := llm.Plain(r.Content); r.Code != tool.CodeStopped || !strings.HasPrefix(text, "ready\n[stopped after") {
		t.Errorf("%q %q", r.Code, text)
	}
	if took := time.Since(began); took > 20*time.Second { // 1 s by right; the margin is for machines under load
		t.Errorf("it took %s", took)
	}
}

func TestWhatACommandLeavesRunningIsNamed(t *testing.T) {
	h := newHouse(t)
	text, r := h.shell(args{"command": "sleep 300 & echo hi"})
	if v := view(t, r); r.Failed || len(v.Left) != 1 || v.Left[0] != "sleep 300" {
		t.Errorf("%+v %q", v, text)
	}
	says(t, text, "hi\n[still running at the end, and ended: sleep 300.")
}

func TestNothingWaitsForAPerson(t *testing.T) {
	h := newHouse(t)
	mayWrite(h)
	h.shell(args{"command": "git init -q ."})
	for command, want := range map[string]string{
		"read x || echo nobody": "nobody",
		"python3":               "(no output)",
		"for i in $(seq 60); do git -c user.name=a -c user.email=a@b commit -q --allow-empty -m \"commit $i\"; done; git log --oneline | wc -l; git log | tail -1": "commit 1",
		"git -c user.name=a -c user.email=a@b commit --allow-empty": "empty commit message",
		"git clone https://127.0.0.1:1/x":                           "unable to access",
		"ssh-keygen -f k < /dev/null":                               "Enter passphrase",
		"sudo -A true || echo no":                                   "no",
		"less /etc/hostname | cat; man ls | head -1; echo x | more": "x",
		"git -c user.name=a -c user.email=a@b rebase -i --root 2>&1 | tail -1; git -c user.name=a -c user.email=a@b commit --amend 2>&1 --allow-empty": "commit",
		"dd bs=1 count=1 status=none; cat; echo done": "done",
		"tty || true":  "not a tty",
		"cat /dev/tty": "No such device",
	} {
		text, r := h.shell(args{"command": command, "timeout_ms": 60000})
		if !strings.Contains(text, want) || view(t, r).TimedOut {
			t.Errorf("%s: %q", command, text)
		}
	}
}

func TestOutputIsMadeHarmless(t *testing.T) {
	h := newHouse(t)
	h.put("image.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"+strings.Repeat("\x00\x01\x02\x1b[", 3000))
	for command, want := range map[string]string{
		`printf '\033[31mred\033[0m \033]0;title\007x \033]8;;http://a\033\\link\033]8;;\033\\ \302\233mcsi'`: "red x link csi",
		`printf '\033]52;c;aGk=\007copied \033Pq#0\033\\dcs \033(Bset \033[2J\033[Hclear'`:                    "copied dcs set clear",
		`printf '10%%\r20%%\r100%%\ndone'`:                                          "100%\ndone",
		`printf '10%%'; sleep 0.1; printf '\r20%%'; sleep 0.1; printf '\r100%%\nz'`: "10%\n100%\nz",
		`printf 'bo\bol\bld \a\v\fx\r\ny'`:                                          "bold x\ny",
		`printf '\033]0;never ended\nnext line'`:                                    "\nnext line",
		`printf '\326\320\316\304\n'`:                                               "中文\n[the output was read as GB18030]",
		`printf 'caf\303\251 \377 x'`:                                               `café \xFF x`,
		`printf 'one\0two three\0four\0'`:                                           "one\ntwo three\nfour",
		`head -c 65536 /dev/urandom`:                                                "[binary output, 65 KB, application/octet-stream; not shown. To use it, write it to a file.]",
		`cat image.png`:                                                             "[binary output, 15 KB, image/png; not shown. To use it, write it to a file.]",
	} {
		if text, _ := h.shell(args{"command": command}); text != want {
			t.Errorf("%s: %q, want %q", command, text, want)
		}
	}
}

func TestLiveOutputIsWholeCharacters(t *testing.T) {
	h := newHouse(t)
	live := h.listen()
	h.shell(args{"command": `printf '\344\270'; sleep 0.05; printf '\255\n\033['; sleep 0.05; printf '31mred\n'`})
	if got := <-live + <-live; got != "中\nred\n" {
		t.Errorf("%q", got)
	}
}

func TestKeysAreNotInACommandsEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "planted-7731")
	h := newHouse(t)
	h.policy = sandbox.Policy{}
	h.env = []string{"GIT_CONFIG_NOSYSTEM=1"}
	text, _ := h.shell(args{"command": "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'"})
	says(t, text, "PAGER=cat", "GIT_CONFIG_NOSYSTEM=1", "TERM=dumb")
	if strings.Contains(text, "planted-7731") {
		t.Error("the key is there")
	}
}

func TestProtectedPathsAreNamed(t *testing.T) {
	h := newHouse(t)
	h.put(".git/config", "kept")
	h.policy = sandbox.Policy{Write: []string{h.dir}, Network: true, Deny: tool.ProtectedIn(h.dir)}
	text, r := h.shell(args{"command": "echo x > .git/config"})
	says(t, text, ".git/config is protected")
	if v := view(t, r); len(v.Protected) != 1 || v.Protected[0] != ".git/config" {
		t.Errorf("%+v", v)
	}
	h.has(".git/config", "kept")
	text, _ = h.shell(args{"command": "mkdir -p .vscode && echo x > .vscode/tasks.json && echo y > AGENTS.md"})
	says(t, text, ".vscode is protected", "renamed to .vscode.refused", "AGENTS.md.refused")
	if _, err := os.Lstat(h.path("AGENTS.md")); err == nil {
		t.Error("a protected file was made")
	}
	h.has(filepath.Join(".vscode.refused", "tasks.json"), "x\n")
	if text, r := h.shell(args{"command": "git init -q new && cd new && git config user.name me && git status"}); r.Failed {
		t.Errorf("a new repository: %s", text)
	}
}

func TestACommandIsShownWhole(t *testing.T) {
	h := newHouse(t)
	call := h.call("shell", args{"command": "make \\\n  all", "dir": "sub"})
	call.Args = json.RawMessage(call.Raw)
	h.put("sub/a", "")
	shell := h.tools.Find(h.graph.Root().Realm(), "shell")
	want := session.Present{Verb: "run", What: "make \\ …", Full: "make \\\n  all"}
	if diff := cmp.Diff(want, shell.(tool.Presenter).Present(call)); diff != "" {
		t.Error(diff)
	}
	cmd, ok := shell.(tool.Commander).Command(call)
	if diff := cmp.Diff(tool.Command{Shell: "bash", Text: "make \\\n  all", Dir: h.path("sub")}, cmd); diff != "" || !ok {
		t.Error(diff)
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
