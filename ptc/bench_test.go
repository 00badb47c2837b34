package ptc_test

import (
	"context"
	"crypto/sha256"
	"testing"

	"fairlead/tool"
)

// BenchmarkTwentyCalls is what a program adds to twenty calls that run beside each
// other: "bare" is the same calls as the model would make them in one reply.
func BenchmarkTwentyCalls(b *testing.B) {
	work := &probe{name: "work", parallel: true, body: func(context.Context, *tool.Call) (*tool.Result, error) {
		sum := make([]byte, 64<<10)
		for range 8 { // about what reading and searching a file costs
			h := sha256.Sum256(sum)
			copy(sum, h[:])
		}
		return tool.Text("done"), nil
	}}
	b.Run("bare", func(b *testing.B) {
		h := newHouse(b, work)
		for b.Loop() {
			calls := make([]*tool.Call, 20)
			for i := range calls {
				calls[i] = h.call("work", "{}")
				calls[i].Caller = "person"
			}
			h.tools.Batch(b.Context(), h.graph.Root().Realm(), calls)
		}
	})
	b.Run("program", func(b *testing.B) {
		h := newHouse(b, work)
		h.program(b.Context(), `return 1`)
		for b.Loop() {
			if r := h.program(b.Context(), `return (await Promise.all(Array.from({length: 20}, () => tools.work({})))).length`); r.Failed {
				b.Fatal(r.Content)
			}
		}
	})
}
