package script_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"fairlead/script"
)

// BenchmarkStart is a small program from nothing to its answer, on a warm pool.
func BenchmarkStart(b *testing.B) {
	e := engine(b)
	p := script.Program{Code: `return 1`}
	ran(b, e, p)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		ran(b, e, p)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkFirst is the first program of a process whose compiled engine is on disk.
func BenchmarkFirst(b *testing.B) {
	ran(b, engine(b), script.Program{Code: `return 1`})
	for b.Loop() {
		ran(b, engine(b), script.Program{Code: `return 1`})
	}
}

// BenchmarkCalls is what an awaited call costs that is answered at once.
func BenchmarkCalls(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := engine(b)
			p := script.Program{Tools: []string{"echo"}, Code: fmt.Sprintf(`for (let i = 0; i < %d; i++) await tools.echo(i)`, n), Call: func(c *script.Call) { c.Resolve(json.RawMessage(`{}`)) }}
			for b.Loop() {
				ran(b, e, p)
			}
		})
	}
}
