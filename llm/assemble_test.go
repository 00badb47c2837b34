package llm_test

import (
	"testing"

	"fairlead/llm"

	"github.com/google/go-cmp/cmp"
)

func assemble(chunks ...llm.Chunk) (llm.Message, llm.Usage, llm.FinishReason) {
	var a llm.Assembler
	for _, c := range chunks {
		a.Add(c)
	}
	return a.Message()
}

func text(s string) llm.Chunk { return llm.Chunk{Text: s} }
func thought(s, field string) llm.Chunk {
	return llm.Chunk{Reasoning: &llm.Reasoning{Text: s, Field: field}}
}
func fragment(index int, id, name, arguments string) llm.Chunk {
	return llm.Chunk{Call: &llm.CallFragment{Index: index, ID: id, Name: name, Arguments: arguments}}
}

func TestChunksBecomeOneMessage(t *testing.T) {
	unknown := llm.Usage{Input: -1, Cached: -1, Output: -1, Reasoning: -1}
	for _, c := range []struct {
		name   string
		chunks []llm.Chunk
		want   llm.Message
		usage  llm.Usage
	}{
		{"thinking, answer and calls", []llm.Chunk{thought("a", "reasoning"), thought("b", "reasoning"), text("x"), text("y"),
			fragment(0, "c0", "read", ""), fragment(1, "c1", "glob", ""), fragment(0, "", "", `{"p`), fragment(0, "", "", `":1}`), {Finish: llm.FinishCalls, Usage: &llm.Usage{Input: 3}}},
			llm.Message{Role: llm.Assistant, Content: llm.Text("xy"), Reasoning: []llm.Reasoning{{Text: "ab", Field: "reasoning"}},
				Calls: []llm.Call{{ID: "c0", Name: "read", Arguments: `{"p":1}`}, {ID: "c1", Name: "glob"}}}, llm.Usage{Input: 3}},
		{"a reply that broke off has no calls", []llm.Chunk{text("x"), fragment(0, "c0", "read", "{}")},
			llm.Message{Role: llm.Assistant, Content: llm.Text("x")}, unknown},
		{"arguments cut before a calm finish", []llm.Chunk{fragment(0, "c0", "write", `{"path":"a","content":"he`), {Finish: llm.FinishCalls}},
			llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c0", Name: "write", Arguments: `{"path":"a","content":"he`, Cut: true}}}, unknown},
		{"the last call of a reply that ran out of room is never trusted", []llm.Chunk{fragment(0, "c0", "read", "{}"), fragment(1, "c1", "write", "{}"), {Finish: llm.FinishLength}},
			llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c0", Name: "read", Arguments: "{}"}, {ID: "c1", Name: "write", Arguments: "{}", Cut: true}}}, unknown},
		{"broken arguments are not cut ones", []llm.Chunk{fragment(0, "c0", "read", `{"a":x}`), {Finish: llm.FinishCalls}},
			llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c0", Name: "read", Arguments: `{"a":x}`}}}, unknown},
		{"arguments sent twice", []llm.Chunk{fragment(0, "c0", "read", `{"a":1}`), fragment(0, "", "", `{"a":1}`), {Finish: llm.FinishCalls}},
			llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c0", Name: "read", Arguments: `{"a":1}`}}}, unknown},
		{"two documents are kept to be explained", []llm.Chunk{fragment(0, "c0", "read", `{"a":1}{"a":2}`), {Finish: llm.FinishCalls}},
			llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c0", Name: "read", Arguments: `{"a":1}{"a":2}`}}}, unknown},
		{"text that turns out to be thinking", []llm.Chunk{text("hmm"), {Rethink: true}, text("yes"), {Finish: llm.FinishStop}},
			llm.Message{Role: llm.Assistant, Content: llm.Text("yes"), Reasoning: []llm.Reasoning{{Text: "hmm", Field: "think"}}}, unknown},
		{"thoughts that are signed one by one", []llm.Chunk{thought("a", "thinking"), {Reasoning: &llm.Reasoning{Field: "thinking", Signature: "s1"}}, thought("b", "thinking"), {Reasoning: &llm.Reasoning{Field: "thinking", Signature: "s2"}}},
			llm.Message{Role: llm.Assistant, Reasoning: []llm.Reasoning{{Text: "a", Field: "thinking", Signature: "s1"}, {Text: "b", Field: "thinking", Signature: "s2"}}}, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, usage, finish := assemble(c.chunks...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if usage != c.usage {
				t.Errorf("usage %+v, want %+v", usage, c.usage)
			}
			if last := c.chunks[len(c.chunks)-1].Finish; finish != last {
				t.Errorf("finish %q, want %q", finish, last)
			}
		})
	}
}

// Whatever the byte at which arguments end and whatever the finish word, only the
// whole call may run.
func TestACallCutAnywhereIsMarked(t *testing.T) {
	whole := "{\"path\":\"keep.txt\",\"content\":\"h\\u00e9 \\\"x\\\"\tz\",\"n\":[1,{\"x\":true}]}"
	for at := 1; at <= len(whole); at++ {
		for _, finish := range []llm.FinishReason{llm.FinishStop, llm.FinishCalls, llm.FinishLength} {
			m, _, _ := assemble(fragment(0, "c", "write", whole[:at]), llm.Chunk{Finish: finish})
			want := at < len(whole) || finish == llm.FinishLength
			if m.Calls[0].Cut != want {
				t.Errorf("cut at %d of %d, finish %s: marked %v", at, len(whole), finish, m.Calls[0].Cut)
			}
		}
	}
}
