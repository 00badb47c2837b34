package scripted_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/llm"
	"fairlead/llm/scripted"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) *scripted.Script {
	t.Helper()
	s, err := scripted.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func say(text string) llm.Message { return llm.Message{Role: llm.Assistant, Content: llm.Text(text)} }
func ask(text string) llm.Message { return llm.Message{Role: llm.User, Content: llm.Text(text)} }
func result(text string, failed bool) llm.Message {
	return llm.Message{Role: llm.ToolRole, CallID: "c", Content: llm.Text(text), Failed: failed}
}

func play(t *testing.T, a llm.Adapter, history ...llm.Message) (llm.Message, llm.Usage, error) {
	t.Helper()
	body, err := a.Encode(&llm.Request{Model: "m", Messages: history})
	if err != nil {
		t.Fatal(err)
	}
	var asm llm.Assembler
	for c, err := range a.Stream(t.Context(), body) {
		if err != nil {
			m, u, _ := asm.Message()
			return m, u, err
		}
		asm.Add(c)
	}
	m, u, _ := asm.Message()
	return m, u, nil
}

func TestAListIsPlayedOnceAndItsLastReplyRepeats(t *testing.T) {
	a := scripted.New(parse(t, "reply\n say one\nreply\n say two\n"))
	for _, want := range []string{"one", "two", "two"} {
		if m, _, err := play(t, a, ask("x")); err != nil || llm.Plain(m.Content) != want {
			t.Errorf("%q, %v, want %q", llm.Plain(m.Content), err, want)
		}
	}
}

func TestPartsFindTheirPlaceInTheHistory(t *testing.T) {
	a := scripted.New(parse(t, `
on /alpha/
reply
  say a1
reply
  say a2
reply if /denied/
  say a2 denied
reply if failed
  say a2 failed
on /beta/
reply
  say b1
otherwise
reply
  say other
`))
	for _, c := range []struct {
		name    string
		history []llm.Message
		want    string
	}{
		{"first reply", []llm.Message{ask("ALPHA please")}, "a1"},
		{"second reply", []llm.Message{ask("alpha"), say("a1"), result("ok", false)}, "a2"},
		{"an injected message in between", []llm.Message{ask("alpha"), say("a1"), result("ok", false), ask("the time is 5")}, "a2"},
		{"denied", []llm.Message{ask("alpha"), say("a1"), result("You were denied.", false)}, "a2 denied"},
		{"failed", []llm.Message{ask("alpha"), say("a1"), result("no", true)}, "a2 failed"},
		{"past the end", []llm.Message{ask("alpha"), say("a1"), say("a2"), ask("go on")}, "a2"},
		{"another part later", []llm.Message{ask("alpha"), say("a1"), ask("beta")}, "b1"},
		{"no part", []llm.Message{ask("gamma")}, "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if m, _, err := play(t, a, c.history...); err != nil || llm.Plain(m.Content) != c.want {
				t.Errorf("%q, %v, want %q", llm.Plain(m.Content), err, c.want)
			}
		})
	}
}

func TestFailuresCutsAndWindowsAreThoseOfAServer(t *testing.T) {
	for _, c := range []struct {
		name   string
		script string
		text   string
		want   llm.Error
	}{
		{"refused", "reply\n fail 429 after 2s slow down", "", llm.Error{Code: llm.CodeRateLimit, Status: 429, Message: "slow down", RetryAfter: 2 * time.Second}},
		{"failed in the middle", "reply\n say ab\n fail 500 broken", "ab", llm.Error{Code: llm.CodeServer, Status: 500, Message: "broken", RetryAfter: -1, Started: true}},
		{"cut", "reply\n say ab\n cut", "ab", llm.Error{Code: llm.CodeStreamCut, Message: "the script cut the reply", RetryAfter: -1, Started: true}},
		{"empty", "reply\n wait 1ms", "", llm.Error{Code: llm.CodeEmpty, Message: "the reply was empty", RetryAfter: -1}},
		{"too long", "window 8\nreply\n say ab", "", llm.Error{Code: llm.CodeOverflow, Status: 400, RetryAfter: -1, Window: 8, Prompt: 21}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _, err := play(t, scripted.New(parse(t, c.script)), ask("hello"))
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || llm.Plain(m.Content) != c.text {
				t.Fatalf("%q, %v", llm.Plain(m.Content), err)
			}
			if e.Code == llm.CodeOverflow {
				e.Message = ""
			}
			if diff := cmp.Diff(&c.want, e); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPausesAreKeptAndStopEndsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := scripted.New(parse(t, "pace 10ms\npiece 2\nreply\n wait 1s\n say abcdef\n hang"))
		start := time.Now()
		var got []time.Duration
		body, err := a.Encode(&llm.Request{})
		if err != nil {
			t.Fatal(err)
		}
		for c, err := range a.Stream(t.Context(), body) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, time.Since(start))
			if c.Text == "ef" {
				break
			}
		}
		if diff := cmp.Diff([]time.Duration{1010 * time.Millisecond, 1020 * time.Millisecond, 1030 * time.Millisecond}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAScriptThatIsWrongNamesItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "the script has no reply",
		"reply\n sing":             `line 2: "sing" is no statement`,
		"say hello":                `line 1: "say" is no statement, or belongs into a reply`,
		"reply\n wait soon":        `line 2: time: invalid duration "soon"`,
		"on report":                `line 1: a pattern stands between slashes, not "report"`,
		"window -1":                `line 1: "-1" is not a whole number`,
		"reply if failed":          "line 1: a reply with a condition stands behind the reply whose place it takes",
		"counting maybe":           `line 1: counting is on or off, not "maybe"`,
		"reply\n\n# x\n call":      "line 4: call needs a tool's name",
		"chars-per-token 0\nreply": "line 1: characters per token must be above 0",
	} {
		if _, err := scripted.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Every path of the demo is played to its end: its calls are whole, its edits fit
// the files, and a no is taken for a no.
func TestTheDemoPlaysItsParts(t *testing.T) {
	files := map[string]string{}
	if err := fs.WalkDir(scripted.DemoFiles(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scripted.DemoFiles(), path)
		files[path] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range append(scripted.DemoPrompts(), "hello there") {
		for _, answer := range []llm.Message{result("done", false), result("The person denied this call.", false)} {
			synctest.Test(t, func(t *testing.T) {
				a := scripted.New(scripted.Demo())
				history := []llm.Message{ask(prompt)}
				for step := 1; ; step++ {
					m, usage, err := play(t, a, history...)
					if err != nil {
						t.Fatalf("%q, step %d: %v", prompt, step, err)
					}
					if usage.Input <= 0 || usage.Output <= 0 {
						t.Errorf("%q, step %d: %+v", prompt, step, usage)
					}
					if len(m.Calls) == 0 {
						if len(m.Content) == 0 {
							t.Errorf("%q ends without an answer", prompt)
						}
						return
					}
					history = append(history, m)
					for _, c := range m.Calls {
						var arguments struct{ Path, Old, New, Content, Command string }
						if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil {
							t.Fatalf("%s %s: %v", c.Name, c.Arguments, err)
						}
						if c.Name == "edit" && strings.Count(files[arguments.Path], arguments.Old) != 1 {
							t.Errorf("the edit of %s does not fit", arguments.Path)
						}
						r := answer
						r.CallID = c.ID
						history = append(history, r)
					}
					if step > 8 {
						t.Fatalf("%q does not end", prompt)
					}
				}
			})
		}
	}
}

func TestAScriptIsNotChangedByPlaying(t *testing.T) {
	a := scripted.New(scripted.Demo())
	one, _ := a.Encode(&llm.Request{Model: "m", Messages: []llm.Message{ask("a")}})
	two, _ := a.Encode(&llm.Request{Model: "m", Messages: []llm.Message{ask("a"), say("b")}})
	if !bytes.HasPrefix(two, bytes.TrimSuffix(one, []byte("]}"))) {
		t.Errorf("a request does not extend the one before:\n%s\n%s", one, two)
	}
}
