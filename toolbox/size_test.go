package toolbox_test

import (
	"encoding/json"
	"testing"
)

// mostSchemaBytes is what all tools of this room may take of a first request.
const mostSchemaBytes = 6 << 10

func TestAllToolTextsAreShort(t *testing.T) {
	h := newHouse(t)
	total := 0
	for _, s := range h.tools.Schemas(h.graph.Root().Realm()) {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-12s %5d bytes", s.Name, len(raw))
		total += len(raw)
	}
	t.Logf("%-12s %5d bytes", "together", total)
	if total > mostSchemaBytes {
		t.Errorf("the tools take %d bytes of every first request, want %d at most", total, mostSchemaBytes)
	}
}
