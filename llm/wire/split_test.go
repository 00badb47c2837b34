package wire_test

import (
	"strings"
	"testing"

	"fairlead/llm/wire"

	"github.com/google/go-cmp/cmp"
)

// pieces feeds text to a splitter, cut at every multiple of n, and joins what
// comes out.
func pieces(s wire.Split, text string, n int) []wire.Piece {
	var out []wire.Piece
	add := func(list []wire.Piece) {
		for _, p := range list {
			switch k := len(out) - 1; {
			case p.Kind == wire.Rethink:
				for i := range out {
					if out[i].Kind == wire.Answer {
						out[i].Kind = wire.Thought
					}
				}
			case k >= 0 && out[k].Kind == p.Kind && p.Kind != wire.TextCall:
				out[k].Text += p.Text
			default:
				out = append(out, p)
			}
		}
	}
	for len(text) > n {
		add(s.Add(text[:n]))
		text = text[n:]
	}
	add(s.Add(text))
	add(s.End())
	return out
}

func TestThinkingAnswerAndTextCallsAreTakenApart(t *testing.T) {
	answer := func(s string) wire.Piece { return wire.Piece{Text: s} }
	thought := func(s string) wire.Piece { return wire.Piece{Kind: wire.Thought, Text: s} }
	called := func(name, arguments string) wire.Piece {
		return wire.Piece{Kind: wire.TextCall, Call: wire.Delta{Name: name, Arguments: arguments}}
	}
	known := wire.Split{Calls: func(name string) (map[string]string, bool) {
		return map[string]string{"path": "string", "limit": "integer"}, name == "read"
	}}
	plain, opened := wire.Split{}, wire.Split{Thinking: true}
	for _, c := range []struct {
		name  string
		split wire.Split
		in    string
		want  []wire.Piece
	}{
		{"no tags", plain, "a < b <c> and </b>", []wire.Piece{answer("a < b <c> and </b>")}},
		{"thinking first", plain, "<think>\nhm</think>\n\nyes", []wire.Piece{thought("\nhm"), answer("yes")}},
		{"blanks before it", plain, " \n<thinking>hm</thinking>yes", []wire.Piece{thought("hm"), answer("yes")}},
		{"brackets", plain, "[THINK]hm[/THINK]yes", []wire.Piece{thought("hm"), answer("yes")}},
		{"twice", plain, "<think>a</think>\n<think>b</think>c", []wire.Piece{thought("ab"), answer("c")}},
		{"never closed", plain, "<think>hm, </thin", []wire.Piece{thought("hm, </thin")}},
		{"an answer about tags", plain, "Use <think> and </think> so.", []wire.Piece{answer("Use <think> and </think> so.")}},
		{"half a tag at the start", plain, "<thi", []wire.Piece{answer("<thi")}},
		{"opened by the template, not known", plain, "hm\n</think>\n\nyes", []wire.Piece{thought("hm\n"), answer("yes")}},
		{"opened by the template, known", opened, "hm</think>yes", []wire.Piece{thought("hm"), answer("yes")}},
		{"a closing tag in code", plain, "`</think>\n` closes", []wire.Piece{answer("`</think>\n` closes")}},
		{"a second closing tag", plain, "<think>a</think>b</think>\nc", []wire.Piece{thought("a"), answer("b</think>\nc")}},
		{"a call in JSON", known, `Look: <tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call> done`, []wire.Piece{answer("Look: "), called("read", `{"path":"a"}`), answer(" done")}},
		{"a call in tags", known, "<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n<parameter=limit>5</parameter>\n</function>\n</tool_call>", []wire.Piece{called("read", `{"limit":5,"path":"a.txt"}`)}},
		{"a call of a tool that was not offered", known, `<tool_call>{"name":"rm","arguments":{}}</tool_call>`, []wire.Piece{answer(`<tool_call>{"name":"rm","arguments":{}}</tool_call>`)}},
		{"a call that is cut", known, `<tool_call>{"name":"read","argu`, []wire.Piece{answer(`<tool_call>{"name":"read","argu`)}},
		{"calls are not wanted", plain, `<tool_call>{"name":"read","arguments":{}}</tool_call>`, []wire.Piece{answer(`<tool_call>{"name":"read","arguments":{}}</tool_call>`)}},
		{"a call inside thinking", known, `<think><tool_call>{"name":"read","arguments":{}}</tool_call></think>no`, []wire.Piece{thought(`<tool_call>{"name":"read","arguments":{}}</tool_call>`), answer("no")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= len(c.in); n++ {
				if diff := cmp.Diff(c.want, pieces(c.split, c.in, n)); diff != "" {
					t.Fatalf("in pieces of %d (-want +got):\n%s", n, diff)
				}
			}
		})
	}
}

func FuzzSplitLosesNothing(f *testing.F) {
	f.Add("<think>a</think>b<tool_call>{}</tool_call>", 3)
	f.Add("x\n</think>\ny", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(1, n)
		whole := text
		got := pieces(wire.Split{}, text, n)
		var all strings.Builder
		for _, p := range got {
			all.WriteString(p.Text)
		}
		for rest := all.String(); rest != ""; {
			i := strings.IndexByte(text, rest[0])
			if i < 0 {
				t.Fatalf("%q came out of %q", all.String(), text)
			}
			rest, text = rest[1:], text[i+1:]
		}
		if diff := cmp.Diff(got, pieces(wire.Split{}, whole, 1)); diff != "" {
			t.Fatalf("another cut gives another result:\n%s", diff)
		}
	})
}
