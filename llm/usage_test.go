package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
)

func TestAnUnknownCountIsLeftOutAndNeverReadAsZero(t *testing.T) {
	for want, usage := range map[string]llm.Usage{
		`{}`:                                    llm.UnknownUsage(),
		`{"input":10,"output":2}`:               {Input: 10, Cached: -1, Output: 2, Reasoning: -1},
		`{"input":10,"cached":0,"output":2}`:    {Input: 10, Output: 2, Reasoning: -1},
		`{"cached":3,"output":0,"reasoning":7}`: {Input: -1, Cached: 3, Reasoning: 7},
		`{"input":0,"cached":0,"output":0,"reasoning":0}`: {},
	} {
		got, err := json.Marshal(usage)
		if err != nil || string(got) != want {
			t.Errorf("%+v is written as %s (%v), want %s", usage, got, err, want)
		}
		var back llm.Usage
		if err := json.Unmarshal([]byte(want), &back); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(usage, back); diff != "" {
			t.Errorf("%s is read otherwise than it was written (-want +got)\n%s", want, diff)
		}
	}
	var old llm.Usage
	if err := json.Unmarshal([]byte(`{"input":10,"cached":-1,"output":2,"reasoning":-1}`), &old); err != nil || old != (llm.Usage{Input: 10, Cached: -1, Output: 2, Reasoning: -1}) {
		t.Errorf("as it was written once: %+v (%v)", old, err)
	}
}
