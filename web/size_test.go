package web_test

import (
	"encoding/json"
	"testing"
)

// mostSchemaBytes is what the tools of this room may take of a first request.
const mostSchemaBytes = 1 << 10

func TestToolTextsAreShort(t *testing.T) {
	h := newHouse(t, sites{})
	total := 0
	for _, s := range h.tools.Schemas(h.graph.Root().Realm()) {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-12s %5d bytes", s.Name, len(raw))
		total += len(raw)
	}
	if total > mostSchemaBytes {
		t.Errorf("the tools take %d bytes of every first request, want %d at most", total, mostSchemaBytes)
	}
}
