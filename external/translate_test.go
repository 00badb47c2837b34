package external

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What the products printed, line by line, and what becomes of it: each .jsonl file of
// testdata has beside it the events and the verdict of a program that then ended well.
func TestNativeLinesBecomeTheSameEvents(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	adapters := map[string]*Adapter{"claude": claude(), "codex": codex(), "grok": grok()}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			native, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(filepath.Base(path), "-")
			got := translated(t, adapters[name], native)
			golden := strings.TrimSuffix(path, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func translated(t *testing.T, a *Adapter, native []byte) string {
	t.Helper()
	var out strings.Builder
	var heard Heard
	for line := range bytes.Lines(native) {
		for _, e := range a.Translate(bytes.TrimSpace(line)) {
			heard.add(e)
			raw, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(raw, '\n'))
		}
	}
	raw, err := json.Marshal(a.Finalize(heard, Ended{}))
	if err != nil {
		t.Fatal(err)
	}
	return out.String() + "verdict " + string(raw) + "\n"
}

func TestNoLineIsTooStrangeToBecomeANote(t *testing.T) {
	for _, a := range []*Adapter{claude(), codex(), grok()} {
		for _, line := range []string{`{`, `null`, `[]`, `7`, `"x"`, `{}`, `{"type":7}`, `{"type":"later"}`, "\xff\x00", `{"type":"assistant","message":7}`, `{"type":"assistant","message":{"content":"plain"}}`,
			`{"type":"user","message":{"content":[7]}}`, `{"type":"item.completed","item":null}`, `{"type":"item.completed","item":{"type":"later"}}`, `{"type":"tool_call_update","status":"completed","rawOutput":7}`} {
			for _, e := range a.Translate([]byte(line)) {
				if e.Over || e.Final || e.Kind == Failure {
					t.Errorf("%s: %s became %+v", a.Name, line, e)
				}
			}
		}
	}
}

func TestAnAgentIsStartedWithNoMoreThanItsAccess(t *testing.T) {
	for _, c := range []struct {
		adapter *Adapter
		request Request
		argv    string
	}{
		{claude(), Request{Access: ReadOnly, Confined: true}, "claude -p --output-format stream-json --verbose --permission-mode default --disallowed-tools Edit,Write,MultiEdit,NotebookEdit"},
		{claude(), Request{Access: WorkspaceWrite, Confined: true, Effort: XHigh, Session: "s"}, "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --allowed-tools Bash --effort xhigh --resume s"},
		{claude(), Request{Access: WorkspaceWrite}, "claude -p --output-format stream-json --verbose --permission-mode acceptEdits"},
		{claude(), Request{Access: Full}, "claude -p --output-format stream-json --verbose --permission-mode bypassPermissions"},
		{codex(), Request{Access: ReadOnly, Effort: Low}, `codex exec --json --skip-git-repo-check -c sandbox_mode="read-only" -c approval_policy="never" -c model_reasoning_effort="low" -`},
		{codex(), Request{Access: WorkspaceWrite, Session: "t"}, `codex exec resume --json --skip-git-repo-check -c sandbox_mode="workspace-write" -c approval_policy="never" t -`},
		{codex(), Request{Access: ReadOnly, Confined: true}, `codex exec --json --skip-git-repo-check -c sandbox_mode="danger-full-access" -c approval_policy="never" -`},
		{codex(), Request{Access: Full}, "codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -"},
		{grok(), Request{Access: ReadOnly, File: "/f", Folder: "/w"}, "grok --no-auto-update --output-format streaming-json --prompt-file /f --cwd /w --reasoning-effort high --sandbox read-only --permission-mode plan"},
		{grok(), Request{Access: Full, File: "/f", Folder: "/w", Session: "g", Effort: Low}, "grok --no-auto-update --output-format streaming-json --prompt-file /f --cwd /w --reasoning-effort low --resume g --permission-mode bypassPermissions"},
	} {
		if diff := cmp.Diff(c.argv, strings.Join(c.adapter.Build(c.request).Argv, " ")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAPersonsChoiceCountsBeforeACalls(t *testing.T) {
	for _, c := range []struct{ choice, asked, want string }{
		{"", "", "read-only"}, {"model", "", "read-only"}, {"model", "full", "full"}, {"", "workspace-write", "workspace-write"}, {"read-only", "full", "read-only"}, {"full", "read-only", "full"},
	} {
		if got, err := (Choice{Access: c.choice}).access(Access(c.asked)); err != nil || string(got) != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	if got, err := (Choice{Effort: "low"}).effort(XHigh); err != nil || got != Low {
		t.Error(got, err)
	}
}
