package external_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fairlead/external"
	"fairlead/fault"
	"fairlead/session"
)

func TestEachMisbehaviourEndsWithAReasonOfItsOwn(t *testing.T) {
	for _, c := range []struct{ name, script, code, says string }{
		{"an exit without a word", "exit 0", external.NoAnswer, "gave no answer"},
		{"a torn last line", `printf '%s\n' '` + claudeInit + `'; printf '{"type":"result","subty'`, external.TornOutput, "middle of its output"},
		{"an error on stderr with exit 0", "echo 'cannot reach the model' >&2", external.Complained, "cannot reach the model"},
		{"an exit code", "echo boom >&2; exit 3", external.BadExit, "exit code 3. It said: boom"},
		{"a signal", "kill -9 $$", external.Killed, "killed"},
		{"noise", "echo hello; echo world", external.NotRead, "2 lines that are not understood"},
		{"no sign-in, told on stderr", "echo 'Not logged in. Please run /login' >&2; exit 1", external.NoSignIn, "not signed in"},
		{"no sign-in, told as its result", `echo '{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}'; exit 1`, external.NoSignIn, "not signed in"},
		{"an error of its own", `echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["the model is overloaded"]}'; exit 1`, external.Reported, "the model is overloaded"},
		{"an answer before a bad end", `echo '{"type":"assistant","message":{"content":[{"type":"text","text":"half"}]}}'; exit 2`, external.BadExit, "exit code 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, external.Config{})
			h.program("claude", c.script)
			got := h.ask(external.Question{Agent: "claude"})
			if got.Verdict.OK || got.Verdict.Code != c.code || !strings.Contains(got.Verdict.Reason, c.says) {
				t.Errorf("%+v, want code %s and %q", got.Verdict, c.code, c.says)
			}
		})
	}
}

func TestAFloodKeepsMemoryBoundedAndTheCountTrue(t *testing.T) {
	h := newHouse(t, external.Config{KeepMegabytes: 1})
	const many = 100_000
	h.program("codex", `cat >/dev/null; echo '`+codexThread+`'; yes '{"type":"turn.started"}' | head -n 100000; echo '`+codexAnswer+`'; echo '`+codexDone+`'`)
	got := h.ask(external.Question{Agent: "codex"})
	if !got.Verdict.OK || got.Run.Count != many+3 || got.Run.Dropped != many+3-400 || len(got.Run.Events) != 400 || got.Run.Events[0].Seq != got.Run.Dropped+1 {
		t.Errorf("ok %v, %d events, %d dropped, %d kept", got.Verdict.OK, got.Run.Count, got.Run.Dropped, len(got.Run.Events))
	}
	out, err := os.Stat(filepath.Join(h.home, "external", "none", got.Run.ID+".out"))
	if err != nil || out.Size() != 1<<20 {
		t.Errorf("the stream on disk: %v, %v; want it cut at its bound", out, err)
	}
}

func TestOutputWithoutBoundEndsTheRun(t *testing.T) {
	h := newHouse(t, external.Config{ReadMegabytes: 1, KeepMegabytes: 1})
	h.program("claude", "yes")
	if got := h.ask(external.Question{Agent: "claude"}); got.Verdict.Code != external.Flooded {
		t.Errorf("%+v", got.Verdict)
	}
}

func TestALineWithoutEndIsPassedOver(t *testing.T) {
	h := newHouse(t, external.Config{KeepMegabytes: 1})
	h.program("claude", "cat >/dev/null; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo '"+claudeAnswer+"'")
	got := h.ask(external.Question{Agent: "claude"})
	if !got.Verdict.OK || got.Verdict.Answer != "A ring for a rope." || !strings.Contains(got.Run.Events[0].Text, "47 MiB is passed over") {
		t.Errorf("%+v %+v", got.Verdict, got.Run.Events[0])
	}
}

func TestAProgramThatHasNothingMoreToDoIsEnded(t *testing.T) {
	for _, c := range []struct {
		name, script, code string
		ok                 bool
	}{
		{"it is done and does not end", "echo '" + claudeAnswer + "'; exec sleep 1000", external.Answered, true},
		{"it waits for a sign-in on stderr", "echo 'To sign in, visit this URL to continue' >&2; exec sleep 1000", external.NoSignIn, false},
		{"it waits for a sign-in on stdout", "echo 'Not logged in. Press enter to log in'; exec sleep 1000", external.NoSignIn, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, external.Config{})
			h.agents.Hurry(time.Millisecond)
			h.program("claude", c.script)
			if got := h.ask(external.Question{Agent: "claude"}); got.Verdict.OK != c.ok || got.Verdict.Code != c.code {
				t.Errorf("%+v", got.Verdict)
			}
		})
	}
}

func TestCancelLeavesNoProcess(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", `sleep 1000 & echo "$! $$" > .pids; (setsid sleep 1000 &); echo '`+claudeInit+`'; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	answer, err := h.agents.Ask(ctx, external.Question{Agent: "claude", Prompt: "wait", Folder: h.folder, Access: external.WorkspaceWrite, Heard: func(external.Event) { cancel() }})
	if err != nil || answer.Verdict.Code != external.Stopped {
		t.Fatalf("%+v, %v", answer.Verdict, err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// children finds processes that work in a folder of this test.
func children(t *testing.T) (left []string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range entries {
		cwd, err := os.Readlink(filepath.Join(filepath.Dir(path), "cwd"))
		if err == nil && strings.Contains(cwd, t.Name()) {
			line, _ := os.ReadFile(path)
			left = append(left, string(line))
		}
	}
	return left
}

func TestAProgramThatIsDoneAndLeavesAChildIsASuccessWithANote(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", "cat >/dev/null; sleep 1000 >/dev/null 2>&1 &\necho '"+claudeAnswer+"'")
	got := h.ask(external.Question{Agent: "claude"})
	last := got.Run.Events[len(got.Run.Events)-1]
	if !got.Verdict.OK || !strings.Contains(last.Text, "left programs running") || len(children(t)) > 0 {
		t.Errorf("%+v, last event %+v", got.Verdict, last)
	}
}

func TestParallelRunsOfOneAgentDoNotMix(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", `read -r word; echo '{"type":"system","subtype":"init","session_id":"s-'"$word"'"}'; echo '{"type":"result","subtype":"success","result":"'"$word"'"}'`)
	var asking sync.WaitGroup
	for _, word := range strings.Split("a b c d e f g h i j", " ") {
		asking.Go(func() {
			got, err := h.agents.Ask(t.Context(), external.Question{Agent: "claude", Prompt: word + "\n", Folder: h.folder, Call: "c-" + word})
			if err != nil || got.Verdict.Answer != word || got.Run.AgentSession != "s-"+word || got.Run.Call != "c-"+word {
				t.Errorf("%s: %+v, %v", word, got, err)
			}
		})
	}
	asking.Wait()
	if list := h.agents.Table.List(); len(list) != 10 {
		t.Errorf("%d runs in the table", len(list))
	}
}

func TestTheLastGoodSessionIsGoneOnWith(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", `cat >/dev/null; echo "$@" >> args; echo '`+claudeInit+`'; echo '`+claudeAnswer+`'`)
	rw := external.Question{Agent: "claude", Access: external.WorkspaceWrite}
	if first := h.ask(rw); first.Run.Resumed {
		t.Error("the first run goes on with something")
	}
	if second := h.ask(rw); !second.Run.Resumed || second.Run.AgentSession != "s-1" {
		t.Errorf("the second run does not go on: %+v", second.Run)
	}
	anew := rw
	anew.New = true
	if third := h.ask(anew); third.Run.Resumed {
		t.Error("a new session was asked for")
	}
	other := rw
	other.Folder = t.TempDir()
	if fourth := h.ask(other); fourth.Run.Resumed {
		t.Error("another folder goes on with this one's session")
	}
	h.program("claude", `echo '{"type":"system","subtype":"init","session_id":"s-2"}'; exit 1`)
	anew.New = true
	h.ask(anew)
	h.lines("claude", claudeAnswer)
	if fifth := h.ask(rw); fifth.Run.AgentSession != "s-1" {
		t.Errorf("a failed session is gone on with: %+v", fifth.Run)
	}
	args, err := os.ReadFile(filepath.Join(h.folder, "args"))
	if err != nil || strings.Count(string(args), "--resume s-1") != 1 {
		t.Errorf("%s, %v", args, err)
	}
}

func TestASessionWithMoreAccessIsNotGoneOnWith(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.lines("codex", codexThread, codexAnswer, codexDone)
	h.ask(external.Question{Agent: "codex", Access: external.WorkspaceWrite})
	if narrow := h.ask(external.Question{Agent: "codex"}); narrow.Run.Resumed || narrow.Run.Access != external.ReadOnly {
		t.Errorf("%+v", narrow.Run)
	}
	if kept := h.ask(external.Question{Agent: "codex", Access: external.Full}); !kept.Run.Resumed || kept.Run.Access != external.ReadOnly {
		t.Errorf("a resumed session does not keep its access: %+v", kept.Run)
	}
	h.ask(external.Question{Agent: "codex", Access: external.Full, New: true})
	if _, err := h.agents.Ask(t.Context(), external.Question{Agent: "codex", Prompt: "x", Folder: h.folder, Session: "t-1"}); !fault.Is(err, fault.Denied) {
		t.Errorf("a named session with more access: %v", err)
	}
}

func TestAccessHoldsWhateverTheProgramDoes(t *testing.T) {
	h := newHouse(t, external.Config{})
	script := `cat >/dev/null; mkdir -p .git/hooks 2>/dev/null; echo x > here 2>/dev/null; echo x > ../outside 2>/dev/null; echo x > "$HOME/.claude/own" 2>/dev/null; echo '` + claudeAnswer + `'`
	h.program("claude", script)
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	got := func() [3]bool {
		return [3]bool{there(filepath.Join(h.folder, "here")), there(filepath.Join(h.folder, "..", "outside")), there(filepath.Join(h.personal, ".claude", "own"))}
	}
	h.ask(external.Question{Agent: "claude"})
	if got() != [3]bool{false, false, true} {
		t.Errorf("read-only: %v", got())
	}
	h.ask(external.Question{Agent: "claude", Access: external.WorkspaceWrite})
	if got() != [3]bool{true, false, true} {
		t.Errorf("workspace-write: %v", got())
	}
	h.ask(external.Question{Agent: "claude", Access: external.Full})
	if got() != [3]bool{true, true, true} {
		t.Errorf("full: %v", got())
	}
}

func TestARunDoesNotChangeWhatTheAgentRunsByItself(t *testing.T) {
	h := newHouse(t, external.Config{})
	config := filepath.Join(h.personal, ".codex", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.program("codex", `cat >/dev/null; echo changed > "$HOME/.codex/config.toml"; echo x > "$HOME/.codex/own"; echo '`+codexAnswer+`'; echo '`+codexDone+`'`)
	for _, access := range []external.Access{external.ReadOnly, external.WorkspaceWrite, external.Full} {
		h.ask(external.Question{Agent: "codex", Access: access, New: true})
	}
	got, err := os.ReadFile(config)
	if _, own := os.Stat(filepath.Join(h.personal, ".codex", "own")); err != nil || own != nil || string(got) != "kept" {
		t.Errorf("%s, %v, %v", got, err, own)
	}
}

func TestWhatWasPrintedForADeletedSessionGoes(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.lines("claude", claudeAnswer)
	gone, kept := filepath.Join(h.home, "external", string(session.NewID())), filepath.Join(h.home, "external", string(h.log.ID()))
	for _, dir := range []string{gone, kept} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.ask(external.Question{Agent: "claude"})
	_, err1 := os.Stat(gone)
	if _, err := os.Stat(kept); err != nil || !os.IsNotExist(err1) {
		t.Errorf("the deleted one: %v, the other: %v", err1, err)
	}
}

func TestNoCredentialOfOursReachesAnAgent(t *testing.T) {
	h := newHouse(t, external.Config{})
	h.program("claude", `cat >/dev/null; env > vars; echo '`+claudeAnswer+`'`)
	h.ask(external.Question{Agent: "claude", Access: external.WorkspaceWrite})
	vars, err := os.ReadFile(filepath.Join(h.folder, "vars"))
	if err != nil || strings.Contains(string(vars), "sk-ours") || strings.Contains(string(vars), "gateway") || !strings.Contains(string(vars), "HOME="+h.personal) {
		t.Errorf("%s, %v", vars, err)
	}
}

func TestTheLimitIsHeldBetweenAMinuteAndAnHour(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{0: 15 * time.Minute, time.Second: time.Minute, 2 * time.Minute: 2 * time.Minute, 5 * time.Hour: time.Hour} {
		if got := external.LimitOf(asked); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
}
