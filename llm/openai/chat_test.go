package openai_test

import (
	"net/http/httptest"
	"testing"

	"fairlead/llm"
	"fairlead/llm/openai"
	"fairlead/llm/scripted"

	"github.com/google/go-cmp/cmp"
)

const conversation = `
piece 3
reply
  think Let me look.
  say I read it.
  call read {"path":"a.txt"}
  call glob {"pattern":"*"}
  usage 1200 20 800
`

func TestScriptedReplyOverHTTPAndInProcessIsTheSame(t *testing.T) {
	script, err := scripted.Parse(conversation)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(scripted.Handler(script))
	defer server.Close()
	overHTTP := openai.New(openai.Options{BaseURL: server.URL + "/v1", Client: server.Client()})

	want := llm.Message{
		Role: llm.Assistant, Content: llm.Text("I read it."),
		Reasoning: []llm.Reasoning{{Text: "Let me look.", Field: llm.FieldReasoningContent}},
		Calls:     []llm.Call{{Name: "read", Arguments: `{"path":"a.txt"}`}, {Name: "glob", Arguments: `{"pattern":"*"}`}},
	}
	for name, adapter := range map[string]llm.Adapter{"http": overHTTP, "in process": scripted.New(script)} {
		t.Run(name, func(t *testing.T) {
			got, usage, finish, err := ask(t, adapter, "hello")
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Calls {
				got.Calls[i].ID = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(llm.Usage{Input: 1200, Cached: 800, Output: 20, Reasoning: -1}, usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if finish != llm.FinishCalls {
				t.Errorf("finish = %q", finish)
			}
		})
	}
}

// ask sends one message and assembles the reply.
func ask(t *testing.T, a llm.Adapter, text string) (llm.Message, llm.Usage, llm.FinishReason, error) {
	t.Helper()
	body, err := a.Encode(&llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Content: llm.Text(text)}}})
	if err != nil {
		t.Fatal(err)
	}
	return collect(a, t, body)
}

func collect(a llm.Adapter, t *testing.T, body []byte) (llm.Message, llm.Usage, llm.FinishReason, error) {
	var asm llm.Assembler
	var failure error
	for c, err := range a.Stream(t.Context(), body) {
		if err != nil {
			failure = err
			break
		}
		asm.Add(c)
	}
	m, u, f := asm.Message()
	return m, u, f, failure
}
