package skill

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

func TestFilesOfHooksAreReadAsTheyAre(t *testing.T) {
	text := `{"permissions": {"allow": ["x"]}, "hooks": {
		"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "one", "timeout": 0.5}, {"type": "prompt", "prompt": "x"}]},
		               {"matcher": "^(?!Read)", "hooks": [{"type": "command", "command": "two", "timeout": 10000, "statusMessage": "x"}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "three"}]}],
		"PreCompact": [{"hooks": [{"type": "command", "command": "four"}]}]}}`
	hooks, problems := parseHooks([]byte(text), "home", "f.json")
	type row struct {
		Event, Matcher, Command string
		Limit                   time.Duration
	}
	var got []row
	for _, h := range hooks {
		got = append(got, row{h.event, h.matcher.String(), h.command, h.limit})
	}
	want := []row{{"PreToolUse", "Bash", "one", 500 * time.Millisecond}, {"PreToolUse", "", "two", mostHookTime}, {"Stop", "", "three", usualHookTime}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 3 || !strings.Contains(strings.Join(problems, "\n"), `f.json: hooks at PreCompact do not run here`) {
		t.Errorf("%q", problems)
	}
	if hooks, problems := parseHooks([]byte(`{"hooks": []}`), "home", "f.json"); hooks != nil || len(problems) != 1 {
		t.Errorf("%v, %q", hooks, problems)
	}
}

func TestOnlyAFileWithHooksIsAskedAbout(t *testing.T) {
	for text, want := range map[string]bool{
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`: true,
		`{"permissions":{"allow":["Bash"]}}`:                                false, `{"hooks":{}}`: false, `{"hooks":{"Notification":[{"hooks":[{"type":"command","command":"x"}]}]}}`: false, `no JSON`: false,
	} {
		if hasHooks([]byte(text)) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}

func TestMatchers(t *testing.T) {
	for _, c := range []struct {
		matcher, name string
		fits          bool
	}{
		{"", "Bash", true}, {"*", "Bash", true}, {"Bash", "Bash", true}, {"Bash", "BashOutput", false}, {"Edit|Write", "Write", true},
		{"Edit|Write", "MultiEdit", false}, {"^Bash$", "Bash", true}, {"Notebook.*", "NotebookEdit", true}, {"bash", "Bash", false}, {"mcp__.*__write", "mcp__fs__write", true},
	} {
		m, err := newMatcher(c.matcher)
		if err != nil || m.fits(c.name) != c.fits {
			t.Errorf("%q, %s: %t, %v", c.matcher, c.name, m.fits(c.name), err)
		}
	}
}

func TestWhatAHookSaysCanOnlyHoldBack(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		ran   ranHook
		want  answer
	}{
		"nothing":                 {preToolUse, ranHook{}, answer{}},
		"exit 2":                  {preToolUse, ranHook{code: 2, stderr: "no\n"}, answer{block: true, reason: "no"}},
		"exit 2 without a reason": {stopEvent, ranHook{code: 2}, answer{block: true, reason: "a hook says no and gives no reason"}},
		"exit 1":                  {preToolUse, ranHook{code: 1, stderr: "oops"}, answer{note: `The hook "" at PreToolUse failed with exit code 1. oops`}},
		"allow":                   {preToolUse, ranHook{stdout: `{"hookSpecificOutput":{"permissionDecision":"allow"}}`}, answer{}},
		"approve, the old form":   {preToolUse, ranHook{stdout: `{"decision":"approve"}`}, answer{}},
		"deny":                    {preToolUse, ranHook{stdout: `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`}, answer{block: true, reason: "r"}},
		"ask":                     {preToolUse, ranHook{stdout: `{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"r"}}`}, answer{ask: true, reason: "r"}},
		"block, the old form":     {preToolUse, ranHook{stdout: ` {"decision":"block","reason":"r"} `}, answer{block: true, reason: "r"}},
		"other arguments":         {preToolUse, ranHook{stdout: `{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"a":1}}}`}, answer{block: true, reason: `a hook wants other arguments; call again with these, where they serve: {"a":1}`}},
		"an end of the turn":      {postToolUse, ranHook{stdout: `{"continue":false,"stopReason":"r"}`}, answer{halt: true, reason: "r"}},
		"text at the start":       {sessionStart, ranHook{stdout: "branch: main\n"}, answer{context: "branch: main"}},
		"text elsewhere":          {stopEvent, ranHook{stdout: "done\n"}, answer{}},
		"a message":               {stopEvent, ranHook{stdout: `{"systemMessage":"m"}`}, answer{note: "m"}},
		"no answer, guarding":     {preToolUse, ranHook{late: true, hook: hook{limit: time.Second}}, answer{block: true, reason: "a hook that guards this gave no answer within 1s"}},
		"no answer, else":         {stopEvent, ranHook{err: errors.New("x")}, answer{note: "A hook at Stop could not be run: x."}},
	} {
		if diff := cmp.Diff(c.want, interpret(c.event, c.ran), cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	got := answer{ask: true, reason: "asked"}.and(answer{block: true, reason: "no"}).and(answer{context: "c"}).and(answer{block: true, reason: "no"})
	if diff := cmp.Diff(answer{ask: true, block: true, reason: "no", context: "c"}, got, cmp.AllowUnexported(answer{})); diff != "" {
		t.Error(diff)
	}
}

// called is a tool that says of itself what policy asks.
type called struct {
	command string
	touches []string
}

func (called) Schema() llm.ToolSchema                                { return llm.ToolSchema{} }
func (called) Run(context.Context, *tool.Call) (*tool.Result, error) { return nil, nil }
func (c called) Command(*tool.Call) (tool.Command, bool) {
	return tool.Command{Shell: "bash", Text: c.command, Dir: "/w"}, c.command != ""
}
func (c called) Touches(*tool.Call) []tool.Touch {
	list := []tool.Touch{{Path: "/w/read.txt"}}
	for _, path := range c.touches {
		list = append(list, tool.Touch{Path: path, Change: true})
	}
	return list
}

func TestHooksSeeCallsUnderTheNamesTheyAreWrittenFor(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		of         called
		matcher    string
		want       []string
	}{
		{"shell", `{"command":"ls"}`, called{command: "ls"}, "Bash", []string{`Bash {"command":"ls","cwd":"/w"}`}},
		{"terminal_send", `{"text":"rm x"}`, called{command: "rm x"}, "Bash", []string{`Bash {"command":"rm x","cwd":"/w"}`}},
		{"read", `{"path":"a.txt","limit":3}`, called{}, "Read", []string{`Read {"file_path":"/w/a.txt","limit":3}`}},
		{"write", `{"path":"/x/a","content":"c"}`, called{}, "Edit|Write", []string{`Write {"content":"c","file_path":"/x/a"}`}},
		{"edit", `{"path":"a","old":"o","new":"n"}`, called{}, "Edit", []string{`Edit {"file_path":"/w/a","new_string":"n","old_string":"o","replace_all":false}`}},
		{"multi_edit", `{"path":"a","edits":[{"old":"o","new":"n"}]}`, called{}, "Edit|Write", []string{`Edit {"edits":[{"new_string":"n","old_string":"o","replace_all":false}],"file_path":"/w/a"}`}},
		{"apply_patch", `{"patch":"p"}`, called{touches: []string{"/w/a", "/w/b"}}, "^apply_patch$", []string{`apply_patch {"command":"p"}`}},
		{"apply_patch", `{"patch":"p"}`, called{touches: []string{"/w/a", "/w/b"}}, "Edit|Write", []string{`Edit {"file_path":"/w/a","patch":"p"}`, `Edit {"file_path":"/w/b","patch":"p"}`}},
		{"apply_patch", `{"patch":"p"}`, called{touches: []string{"/w/a"}}, "", []string{`apply_patch {"command":"p"}`}},
		{"server__do", `{"x":1}`, called{}, "server__.*", []string{`server__do {"x":1}`}},
		{"grep", `{"pattern":"p"}`, called{}, "Bash", nil},
	} {
		m, err := newMatcher(c.matcher)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range (hook{matcher: m}).matching(uses(&tool.Call{Tool: c.tool, Args: json.RawMessage(c.args), Uses: c.of, Folder: "/w"})) {
			input, err := json.Marshal(u.input)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, u.name+" "+string(input))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %q: %s", c.tool, c.matcher, diff)
		}
	}
}

// TestHooksAreConfined runs real children: what they may change is the folder, in Plan
// nothing, what is protected there neither, and there is no network.
func TestHooksAreConfined(t *testing.T) {
	h, log, w := newHooks(t)
	outside := t.TempDir()
	w.put(".git/config", "[core]\n")
	o := occasion{event: preToolUse, log: log, turn: 1, folder: w.dir, mode: "manual"}
	command := "touch inside; touch " + outside + "/out; echo x >> .git/config; echo x > AGENTS.md; " +
		"(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && touch net; cat > told; echo \"$CLAUDE_PROJECT_DIR\"; printf '\\033]0;title\\007'"
	r := h.run(t.Context(), o, errand{hook{event: preToolUse, command: command, limit: time.Minute}, map[string]any{"a": 1}})
	if r.err != nil || strings.TrimSpace(r.stdout) != w.dir+"\n]0;title" {
		t.Errorf("%q %q %v", r.stdout, r.stderr, r.err)
	}
	for path, there := range map[string]bool{w.path("inside"): true, w.path("told"): true, filepath.Join(outside, "out"): false, w.path("net"): false, w.path("AGENTS.md"): false} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(w.path(".git/config")); err != nil || string(text) != "[core]\n" {
		t.Errorf("a hook changed a protected file: %q, %v", text, err)
	}
	if diff := cmp.Diff([]string{w.path("AGENTS.md.refused")}, r.aside); diff != "" {
		t.Error(diff)
	}
	o.mode = "plan"
	if r = h.run(t.Context(), o, errand{hook{event: preToolUse, command: "touch plan", limit: time.Minute}, nil}); r.code == 0 {
		t.Error("a hook changed the folder in Plan")
	}
}

func TestAGuardThatDoesNotAnswerSaysNo(t *testing.T) {
	h, log, w := newHooks(t)
	o := occasion{event: preToolUse, log: log, turn: 1, folder: w.dir, mode: "manual"}
	a, err := h.runAll(t.Context(), o, []errand{{hook{event: preToolUse, command: "exec sleep 600", limit: 50 * time.Millisecond, source: "home"}, nil}, {hook{event: preToolUse, command: "exit 0", limit: time.Minute}, nil}})
	if err != nil || !a.block {
		t.Errorf("%+v, %v", a, err)
	}
	var rows []HookRanData
	for e, err := range log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if HookRan.Of(e) {
			d, err := HookRan.Decode(e)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, d)
		}
	}
	if len(rows) != 2 || !rows[0].TimedOut || rows[0].Decision != "block" || rows[1].Decision != "" {
		t.Errorf("%+v", rows)
	}
}

// newHooks are hooks over a real sandbox, with a session in a folder of its own.
func newHooks(t *testing.T) (*hooks, *session.Log, tree) {
	t.Helper()
	w, home := newTree(t), newTree(t)
	g := graph.New(graph.Options{})
	if _, err := g.Root().Plug("sandbox", sandbox.Plugin(sandbox.Options{Env: os.Environ(), Home: home.dir}), nil); err != nil {
		t.Fatal(err)
	}
	if err := g.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	box, _ := graph.Lookup(g.Root().Realm(), sandbox.Key)
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: t.TempDir()}),
		Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), Kinds()), Projections: append(agent.Projections(), Projections()...)})
	log, err := lib.Create(t.Context(), session.CreatedData{Folder: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(log.Close(context.Background()), g.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return &hooks{Options: Options{Home: home.dir}, box: box, sessions: map[session.ID]*hooked{}}, log, w
}

func TestFilesOfHooksAreReadAnewForEachTurn(t *testing.T) {
	h, log, w := newHooks(t)
	w.put(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"of the folder"}]}]}}`)
	if got := h.at(stopEvent, log, 1); got != nil {
		t.Errorf("%+v", got)
	}
	home := tree{t, h.Home}
	home.put("hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"a"}]}]}}`)
	if got := h.at(stopEvent, log, 1); got != nil {
		t.Errorf("in the same turn: %+v", got)
	}
	if got := h.at(stopEvent, log, 2); len(got) != 1 || got[0].command != "a" {
		t.Errorf("in the next turn: %+v", got)
	}
}
