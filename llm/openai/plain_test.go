package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// generally reads an event with the general decoder, as readPlain should.
func generally(data []byte) (plainChunk, bool) {
	var c chunk
	if c.decode(data) != nil || len(c.Choices) != 1 {
		return plainChunk{}, false
	}
	d := c.Choices[0].Delta
	return plainChunk{d.Content.text, d.ReasoningContent.text, d.Reasoning.text}, true
}

func TestPlainEventsAreReadFast(t *testing.T) {
	for data, want := range map[string]plainChunk{
		`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}`: {content: "hi"},
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":" \"a\"\n\ud83d\ude00"},"logprobs":null,"finish_reason":null}],"usage":null}`: {content: " \"a\"\n😀"},
		` { "choices" : [ { "delta" : { "reasoning_content" : "hm" , "content" : null } } ] } `:                                                     {reasoningContent: "hm"},
		`{"choices":[{"index":0,"delta":{"content":"","reasoning":"hm","tool_calls":null}}]}`:                                                       {reasoning: "hm"},
	} {
		got, ok := readPlain([]byte(data))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(plainChunk{})); !ok || diff != "" {
			t.Errorf("%s: %v\n%s", data, ok, diff)
		}
	}
}

func TestWhatIsNotPlainIsLeftToTheGeneralDecoder(t *testing.T) {
	for _, data := range []string{
		`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":1,"delta":{"content":"a"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a","tool_calls":[]}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a","thinking":"b"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}}],"error":{"message":"x"}}`,
		`{"object":"error","choices":[{"index":0,"delta":{"content":"a"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":["a"]}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a"}}]`,
		`{"choices":[{"index":0,"delta":{"content":"a"}}]}{}`,
		`{"choices":[{"index":0,"delta":{"content":"a","content":"b"}}]}`,
		`{"choices":[{"index":0,"text":"a"}]}`,
		`{"choices":[]}`, `{`, `[DONE]`, ``,
	} {
		if c, ok := readPlain([]byte(data)); ok {
			t.Errorf("%s was read as %+v", data, c)
		}
	}
}

func FuzzPlainIsWhatTheGeneralDecoderReads(f *testing.F) {
	f.Add([]byte(`{"id":"x","created":1e3,"choices":[{"index":0,"delta":{"role":"assistant","content":"a\u00e9\ud83d"},"finish_reason":null}],"usage":null}`))
	f.Add([]byte("{\"choices\":[{\"delta\":{\"content\":\"\xff\",\"reasoning\":null}}]}"))
	f.Add([]byte(`{"model":tru,"choices":[{"delta":{}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{}}],"choices":[{"delta":{"content":"b"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fast, ok := readPlain(data)
		if !ok {
			return
		}
		slow, ok := generally(data)
		if fast == (plainChunk{}) && !ok {
			return // no choice at all
		}
		if diff := cmp.Diff(slow, fast, cmp.AllowUnexported(plainChunk{})); !ok || diff != "" {
			t.Errorf("%q: %v (-general +plain)\n%s", data, ok, diff)
		}
	})
}
