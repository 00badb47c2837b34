package llm_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fairlead/llm"

	"github.com/google/go-cmp/cmp"
)

func user(text string) llm.Message { return llm.Message{Role: llm.User, Content: llm.Text(text)} }
func said(text string) llm.Message { return llm.Message{Role: llm.Assistant, Content: llm.Text(text)} }
func calls(list ...llm.Call) llm.Message {
	return llm.Message{Role: llm.Assistant, Calls: list}
}
func result(id, text string) llm.Message {
	return llm.Message{Role: llm.ToolRole, CallID: id, Content: llm.Text(text)}
}
func call(id, arguments string) llm.Call {
	return llm.Call{ID: id, Name: "read", Arguments: arguments}
}

const interrupted = "This call has no result: it was interrupted, and what it did is unknown."

func missing(id string) llm.Message {
	return llm.Message{Role: llm.ToolRole, CallID: id, Failed: true, Content: llm.Text(interrupted)}
}

func TestNormaliseRepairsWhatProvidersRefuse(t *testing.T) {
	longID := "call_" + strings.Repeat("x", 70) + "|fc_1"
	for _, c := range []struct {
		name    string
		in      []llm.Message
		want    []llm.Message // nil: unchanged
		repairs int
	}{
		{name: "a sound history is left alone", in: []llm.Message{user("hi"), calls(call("a", `{}`), call("b", `{"p": 1}`)), result("a", "1"), result("b", "2"), said("ok")}},
		{name: "results in the wrong order", in: []llm.Message{user("hi"), calls(call("a", `{}`), call("b", `{}`)), result("b", "2"), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{}`), call("b", `{}`)), result("a", "1"), result("b", "2")}},
		{name: "a message between call and result", in: []llm.Message{user("hi"), calls(call("a", `{}`)), user("and?"), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{}`)), result("a", "1"), user("and?")}},
		{name: "a call without result", in: []llm.Message{user("hi"), calls(call("a", `{}`), call("b", `{}`)), result("b", "2"), user("go on")},
			want: []llm.Message{user("hi"), calls(call("a", `{}`), call("b", `{}`)), missing("a"), result("b", "2"), user("go on")}, repairs: 1},
		{name: "a result without call", in: []llm.Message{user("hi"), result("z", "1"), said("ok")},
			want: []llm.Message{user("hi"), said("ok")}, repairs: 1},
		{name: "a result before its call", in: []llm.Message{user("hi"), result("a", "1"), calls(call("a", `{}`))},
			want: []llm.Message{user("hi"), calls(call("a", `{}`)), missing("a")}, repairs: 2},
		{name: "two results of one call", in: []llm.Message{user("hi"), calls(call("a", `{}`)), result("a", "1"), result("a", "2")},
			want: []llm.Message{user("hi"), calls(call("a", `{}`)), result("a", "1")}, repairs: 1},
		{name: "an id used in two turns", in: []llm.Message{user("hi"), calls(call("call_0", `{}`)), result("call_0", "1"), calls(call("call_0", `{}`)), result("call_0", "2")},
			want: []llm.Message{user("hi"), calls(call("call_0", `{}`)), result("call_0", "1"), calls(call("call_0_2", `{}`)), result("call_0_2", "2")}},
		{name: "an id used in two turns, the first without result", in: []llm.Message{user("hi"), calls(call("call_0", `{}`)), calls(call("call_0", `{}`)), result("call_0", "2")},
			want: []llm.Message{user("hi"), calls(call("call_0", `{}`)), missing("call_0"), calls(call("call_0_2", `{}`)), result("call_0_2", "2")}, repairs: 1},
		{name: "ids of another provider", in: []llm.Message{user("hi"), calls(call("functions.read:0", `{}`), call(longID, `{}`)), result("functions.read:0", "1"), result(longID, "2")},
			want: []llm.Message{user("hi"), calls(call("cfunctions_read_0_c216cab2de2e", `{}`), call("ccall_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_bc35604aa4cd", `{}`)),
				result("cfunctions_read_0_c216cab2de2e", "1"), result("ccall_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_bc35604aa4cd", "2")}},
		{name: "NUL", in: []llm.Message{user("hi"), calls(call("a", `{"b":"\u0000"}`)), result("a", "a\x00b\n")},
			want: []llm.Message{user("hi"), calls(call("a", `{"b":"\u2400"}`)), result("a", "a␀b\n")}, repairs: 2},
		{name: "bytes that are no text", in: []llm.Message{user("\xff\xfe\x80ok\xd6\xd0"), said("half \xed\xa0\xbd")},
			want: []llm.Message{user("\ufffdok\ufffd"), said("half \ufffd")}, repairs: 2},
		{name: "half a surrogate pair in arguments", in: []llm.Message{user("hi"), calls(call("a", `{"p":"\ud99c","q":"\ud83d\ude00 \\ud99c"}`)), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{"p":"\ufffd","q":"\ud83d\ude00 \\ud99c"}`)), result("a", "1")}, repairs: 1},
		{name: "empty blocks between signed thoughts", in: []llm.Message{user("hi"), {Role: llm.Assistant, Content: []llm.Part{{Text: ""}, {Text: " \n"}},
			Reasoning: []llm.Reasoning{{Text: "x", Signature: "s1"}, {Text: ""}, {Text: "", Signature: "s2"}}, Calls: []llm.Call{call("a", `{}`)}}, result("a", "")},
			want: []llm.Message{user("hi"), {Role: llm.Assistant, Reasoning: []llm.Reasoning{{Text: "x", Signature: "s1"}, {Text: "", Signature: "s2"}}, Calls: []llm.Call{call("a", `{}`)}}, result("a", "(empty)")}},
		{name: "a reply that is only thinking", in: []llm.Message{user("hi"), {Role: llm.Assistant, Reasoning: []llm.Reasoning{{Text: "long"}}}, user("well?")},
			want: []llm.Message{user("hi"), user("well?")}, repairs: 1},
		{name: "a history that begins with a reply", in: []llm.Message{said("ok")},
			want: []llm.Message{user("(The conversation goes on from here.)"), said("ok")}},
		{name: "arguments that were cut", in: []llm.Message{user("hi"), calls(llm.Call{ID: "a", Name: "write", Arguments: `{"path":"keep.txt","content":"hel`, Cut: true})},
			want: []llm.Message{user("hi"), calls(llm.Call{ID: "a", Name: "write", Arguments: `{"path":"keep.txt","content":"hel"}`, Cut: true}),
				{Role: llm.ToolRole, CallID: "a", Failed: true, Content: llm.Text("This call was cut off by the limit on the length of a reply, so it did not run. Call again in smaller pieces.")}}, repairs: 2},
		{name: "arguments with raw control characters", in: []llm.Message{user("hi"), calls(call("a", "{\"c\":\"a\tb\nc\"}")), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{"c":"a\u0009b\u000ac"}`)), result("a", "1")}, repairs: 1},
		{name: "escapes between tokens", in: []llm.Message{user("hi"), calls(call("a", `{"command":"view","range": \n[21, 22]\n\n}`)), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{"command":"view","range":  [21, 22]  }`)), result("a", "1")}, repairs: 1},
		{name: "arguments encoded twice", in: []llm.Message{user("hi"), calls(call("a", `"{\"p\":1}"`)), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{"p":1}`)), result("a", "1")}, repairs: 1},
		{name: "no arguments", in: []llm.Message{user("hi"), calls(call("a", ``)), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{}`)), result("a", "1")}},
		{name: "arguments that are no object", in: []llm.Message{user("hi"), calls(call("a", `[1]`)), result("a", "1")},
			want: []llm.Message{user("hi"), calls(call("a", `{}`)), result("a", "1")}, repairs: 1},
		{name: "a name no provider takes", in: []llm.Message{user("hi"), calls(llm.Call{ID: "a", Name: "mcp.web fetch", Arguments: `{}`}, llm.Call{ID: "b", Arguments: `{}`}), result("a", "1"), result("b", "2")},
			want: []llm.Message{user("hi"), calls(llm.Call{ID: "a", Name: "mcp_web_fetch", Arguments: `{}`}, llm.Call{ID: "b", Name: "unnamed", Arguments: `{}`}), result("a", "1"), result("b", "2")}},
		{name: "a picture whose bytes are gone", in: []llm.Message{{Role: llm.User, Content: []llm.Part{{Text: "see"}, {MIME: "image/png", Name: "a.png", Blob: "00"}}}},
			want: []llm.Message{{Role: llm.User, Content: []llm.Part{{Text: "see"}, {Text: `[picture "a.png" is not shown: it could not be loaded]`}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = slices.Clone(c.in)
			}
			before := fmt.Sprintf("%#v", c.in)
			got, repairs := llm.Normalise(c.in, llm.NormaliseOptions{})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
			if len(repairs) != c.repairs {
				t.Errorf("%d repairs, want %d: %q", len(repairs), c.repairs, repairs)
			}
			if after := fmt.Sprintf("%#v", c.in); after != before {
				t.Error("the history it was given changed")
			}
		})
	}
}

func drawing(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claiming makes the head of a PNG file say that the picture is larger.
func claiming(b []byte, width, height uint32) []byte {
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func picture(name string, b []byte) llm.Message {
	return llm.Message{Role: llm.User, Content: []llm.Part{{MIME: "image/png", Name: name, Bytes: b}}}
}

func shown(list []llm.Message) []string {
	var out []string
	for _, m := range list {
		for _, p := range m.Content {
			if p.MIME != "" {
				out = append(out, p.Name)
			} else {
				out = append(out, p.Text)
			}
		}
	}
	return out
}

func TestPicturesThatCannotBeSentAreMarks(t *testing.T) {
	small := drawing(t, 10, 10)
	for _, c := range []struct {
		name string
		in   llm.Message
		opt  llm.NormaliseOptions
		want string
	}{
		{"fits", picture("a.png", small), llm.NormaliseOptions{}, "a.png"},
		{"text only", picture("a.png", small), llm.NormaliseOptions{TextOnly: true}, `[picture "a.png" is not shown: this model reads text only]`},
		{"too wide", picture("a.png", drawing(t, 9000, 100)), llm.NormaliseOptions{}, "a.png"},
		{"far too large", picture("a.png", claiming(drawing(t, 4, 4), 20000, 4000)), llm.NormaliseOptions{}, `[picture "a.png" is not shown: the picture has more than 64 million pixels]`},
		{"damaged", picture("a.png", small[:20]), llm.NormaliseOptions{}, `[picture "a.png" is not shown: unexpected EOF]`},
		{"foreign type", llm.Message{Role: llm.User, Content: []llm.Part{{MIME: "image/tiff", Bytes: small}}}, llm.NormaliseOptions{},
			`[picture "unnamed" is not shown: models do not read its type, image/tiff]`},
		{"loaded", picture("a.png", nil), llm.NormaliseOptions{Load: func(string) ([]byte, error) { return small, nil }}, "a.png"},
		{"not loadable", picture("a.png", nil), llm.NormaliseOptions{Load: func(string) ([]byte, error) { return nil, errors.New("gone") }},
			`[picture "a.png" is not shown: it could not be loaded]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := llm.Normalise([]llm.Message{c.in}, c.opt)
			if got := shown(out); !slices.Equal(got, []string{c.want}) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOldPicturesMakeWayInSteps(t *testing.T) {
	b := drawing(t, 4, 4)
	var history []llm.Message
	breaks := 0
	var last []string
	for i := range 21 {
		history = append(history, picture(fmt.Sprint(i), b))
		out, _ := llm.Normalise(history, llm.NormaliseOptions{Pictures: llm.PictureLimits{Count: 10}})
		got := shown(out)
		pictures := 0
		for _, s := range got {
			if !strings.HasPrefix(s, "[") {
				pictures++
			}
		}
		if pictures > 10 {
			t.Fatalf("%d pictures are sent", pictures)
		}
		if !slices.Equal(last, got[:len(got)-1]) {
			breaks++
		}
		last = got
	}
	if breaks != 6 {
		t.Errorf("the beginning changed %d times for 11 pictures too many, want every second time", breaks)
	}
}

// random makes a history with everything that can go wrong in one.
func random(r *rand.Rand) []llm.Message {
	texts := []string{"", " ", "ok", "a\x00b", "\xff", "long text", "\xed\xa0\xbd"}
	ids := []string{"a", "b", "a.b", "", strings.Repeat("y", 80)}
	arguments := []string{"", "{}", `{"a":1}`, `{"a":`, `{"a":"\ud800"}`, "[]", `{}{}`, "\x00", `{"a":"x`, `"{}"`}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var list []llm.Message
	for range r.IntN(12) {
		switch r.IntN(4) {
		case 0:
			list = append(list, user(pick(texts)))
		case 1:
			list = append(list, said(pick(texts)))
		case 2:
			m := said(pick(texts))
			for range 1 + r.IntN(3) {
				m.Calls = append(m.Calls, llm.Call{ID: pick(ids), Name: pick(texts), Arguments: pick(arguments), Cut: r.IntN(4) == 0})
			}
			list = append(list, m)
		case 3:
			list = append(list, result(pick(ids), pick(texts)))
		}
	}
	return list
}

var word = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// refusal says why a strict provider would refuse a history.
func refusal(list []llm.Message) error {
	ids := map[string]bool{}
	for i := 0; i < len(list); i++ {
		m := list[i]
		if i == 0 && m.Role != llm.User {
			return fmt.Errorf("begins with %s", m.Role)
		}
		if len(m.Content) == 0 && len(m.Calls) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		for _, p := range m.Content {
			if strings.TrimSpace(p.Text) == "" || !utf8.ValidString(p.Text) || strings.Contains(p.Text, "\x00") {
				return fmt.Errorf("message %d holds the text %q", i, p.Text)
			}
		}
		if m.Role == llm.ToolRole {
			return fmt.Errorf("result %d stands alone", i)
		}
		for k, c := range m.Calls {
			var object map[string]any
			if err := json.Unmarshal([]byte(c.Arguments), &object); err != nil {
				return fmt.Errorf("arguments %q: %v", c.Arguments, err)
			}
			marks := strings.Count(c.Arguments, "\ufffd") + strings.Count(c.Arguments, `\ufffd`) + strings.Count(c.Arguments, `\uFFFD`)
			if decoded := fmt.Sprint(object); marks == 0 && strings.ContainsAny(decoded, "\ufffd\x00") {
				return fmt.Errorf("arguments %q hold half a character or NUL", c.Arguments)
			}
			if !word.MatchString(c.ID) || ids[c.ID] || !word.MatchString(c.Name) {
				return fmt.Errorf("call %q %q is malformed or repeated", c.ID, c.Name)
			}
			ids[c.ID] = true
			at := i + 1 + k
			if at >= len(list) || list[at].Role != llm.ToolRole || list[at].CallID != c.ID {
				return fmt.Errorf("call %q has no result at %d", c.ID, at)
			}
		}
		for _, r := range list[i+1 : i+1+len(m.Calls)] {
			if len(r.Content) == 0 || r.Content[0].Text == "" {
				return fmt.Errorf("the result %s is empty", r.CallID)
			}
		}
		i += len(m.Calls)
	}
	return nil
}

func TestNoHistoryIsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		history := random(r)
		out, _ := llm.Normalise(history, llm.NormaliseOptions{ShortIDs: r.IntN(2) == 0})
		if err := refusal(out); err != nil {
			t.Fatalf("%v\nhistory: %#v\nout: %#v", err, history, out)
		}
	}
}

func TestAGrowingHistoryIsNormalisedAsIfAtOnceAndKeepsItsBeginning(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 800 {
		history := random(r)
		n := llm.NewNormaliser(llm.NormaliseOptions{})
		var before []llm.Message
		for i := range history {
			grown := history[:i+1]
			out, _ := n.Run(grown)
			whole, _ := llm.Normalise(grown, llm.NormaliseOptions{})
			if diff := cmp.Diff(whole, out); diff != "" {
				t.Fatalf("step by step differs (-at once +grown):\n%s", diff)
			}
			settlesOpenCall := history[i].Role == llm.ToolRole
			if !settlesOpenCall && len(before) > 0 && (len(out) < len(before) || cmp.Diff(before, out[:len(before)]) != "") {
				t.Fatalf("the beginning changed:\n%s", cmp.Diff(before, out))
			}
			before = out
		}
	}
}

func TestARepairIsToldOnce(t *testing.T) {
	n := llm.NewNormaliser(llm.NormaliseOptions{})
	history := []llm.Message{user("a\x00")}
	if _, told := n.Run(history); len(told) != 1 {
		t.Fatalf("first: %q", told)
	}
	if _, told := n.Run(append(history, said("ok"))); told != nil {
		t.Errorf("second: %q", told)
	}
}

func FuzzCutArgumentsReplayAsAnObject(f *testing.F) {
	f.Add(`{"path":"a","n":[1,{"x":true}],"content":"h\"\\u00e9\ud83d\ude00"}`, 9)
	f.Add("{\"a\":\"\t\" \\n}", 4)
	f.Add(`]}{"`, 3)
	f.Fuzz(func(t *testing.T, arguments string, at int) {
		if at >= 0 && at < len(arguments) {
			arguments = arguments[:at]
		}
		out, _ := llm.Normalise([]llm.Message{user("hi"), calls(call("a", arguments)), result("a", "1")}, llm.NormaliseOptions{})
		if err := refusal(out); err != nil {
			t.Errorf("%q: %v", arguments, err)
		}
	})
}

// BenchmarkNormaliseStep is the cost of one step more, early and late in a session
// whose replies write files.
func BenchmarkNormaliseStep(b *testing.B) {
	for _, steps := range []int{10, 190} {
		b.Run(fmt.Sprint(steps), func(b *testing.B) {
			arguments := `{"path":"a","content":"` + strings.Repeat("x", 8<<10) + `"}`
			history := []llm.Message{user("go")}
			for i := range steps {
				id := fmt.Sprint(i)
				history = append(history, calls(call(id, arguments)), result(id, strings.Repeat("y", 2<<10)))
			}
			n := llm.NewNormaliser(llm.NormaliseOptions{})
			n.Run(history)
			for b.Loop() {
				n.Run(history)
			}
		})
	}
}
