package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
)

// TestTheCallsOfAReplyAreFoundAsItsDecodingFindsThem holds the short way beside the long one.
func TestTheCallsOfAReplyAreFoundAsItsDecodingFindsThem(t *testing.T) {
	call := func(id, arguments string) llm.Call { return llm.Call{ID: id, Name: "shell", Arguments: arguments} }
	messages := map[string]AssistantMessageData{
		"none":               {ID: "r"},
		"a text about calls": {ID: "r", Content: llm.Text(`"calls":[{"id":"x"}] \"calls\":[`)},
		"one":                {ID: "r", Content: llm.Text("I look."), Calls: []llm.Call{call("a", `{"x":1}`)}},
		"several":            {ID: "r", Calls: []llm.Call{call("a", `{"x":"}]\\\""}`), call("b", ""), call("", "{{{")}, Usage: &llm.Usage{Input: 1}},
		"odd ids":            {ID: "r", Calls: []llm.Call{call(`a"b`, "{}"), call(`c\d`, "{}"), call("世界", `{"id":"no"}`)}},
		"extras":             {ID: "r", Calls: []llm.Call{{ID: "a", Name: "x", Arguments: "]}", Cut: true, Extra: `{"signature":"\"]}"}`}}},
	}
	for name, m := range messages {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			var want []openCall
			for _, c := range m.Calls {
				want = append(want, openCall{ModelID: c.ID})
			}
			if diff := cmp.Diff(want, asked(Event{Type: AssistantMessage.Name, Data: data})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			// Written by another hand, or torn, it is found too or is nothing; it never hangs.
			spaced, err := json.MarshalIndent(m, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			spaced = []byte(strings.ReplaceAll(string(spaced), `"calls": [`, `"calls":[`))
			if diff := cmp.Diff(want, asked(Event{Type: AssistantMessage.Name, Data: spaced})); diff != "" {
				t.Errorf("with blanks (-want +got)\n%s", diff)
			}
			for i := range data {
				asked(Event{Type: AssistantMessage.Name, Data: data[:i]})
			}
		})
	}
}
