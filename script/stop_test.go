package script_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"fairlead/fault"
	"fairlead/script"
)

// An end from outside holds where code never comes back by itself.
func TestAProgramIsStoppedWhereverItIs(t *testing.T) {
	e := engine(t)
	for name, loop := range map[string]string{
		"a loop":               `for (;;);`,
		"a loop that catches":  `for (;;) try { for (;;); } catch {}`,
		"inside the engine":    `const s = "a".repeat(256 * 1024); for (;;) s.split("")`,
		"a regular expression": `/^(a+)+$/.test("a".repeat(60) + "b")`,
		"promises":             `const f = () => Promise.resolve().then(f); await f()`,
		"waiting for a call":   `await tools.slow(1)`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := e.Run(ctx, script.Program{Code: `console.log("begun"); ` + loop, Tools: []string{"slow"}, Call: answering(), Print: func(string, string) { cancel() }})
			if fault.CodeOf(err) != script.CodeStopped || !fault.Is(err, fault.Cancelled) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// Programs that compute without an end leave the rest of the process its processors:
// a collection of garbage, which has to stop every goroutine, comes through.
func TestEndlessProgramsDoNotHoldUpTheProcess(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	e := engine(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running, ended sync.WaitGroup
	for range 8 {
		running.Add(1)
		ended.Go(func() {
			once := sync.OnceFunc(running.Done)
			_, err := e.Run(ctx, script.Program{Code: `console.log(""); const s = "a".repeat(256 * 1024); for (;;) s.split("")`, Print: func(string, string) { once() }})
			if fault.CodeOf(err) != script.CodeStopped {
				t.Errorf("it ended with %v", err)
			}
		})
	}
	running.Wait() // each of them got a turn, though the first never ends
	for range 3 {
		runtime.GC()
	}
	cancel()
	ended.Wait()
}

// What a thousand programs leave behind is nothing.
func TestMemoryComesBackAfterAThousandPrograms(t *testing.T) {
	e := engine(t)
	program := func() {
		got := ran(t, e, script.Program{Code: `const a = []; for (let i = 0; i < 1e3; i++) a.push({i}); return (await Promise.all([tools.echo(1), tools.echo(a.length)]))[1]`, Tools: []string{"echo"}, Call: answering()})
		if got != "= 1000" {
			t.Fatal(got)
		}
	}
	for range 100 {
		program()
	}
	before := resident(t)
	for range 1000 {
		program()
	}
	if after := resident(t); after > before+before/10 {
		t.Errorf("%d KB are in use after 1,000 programs, %d before", after, before)
	}
}

// resident is what the process holds of the machine's memory once garbage is gone, in KB.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kb int
		if n, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 && err == nil {
			return kb
		}
	}
	t.Fatal("the system does not say how much memory is used")
	return 0
}

// The same program with the same answers does the same, to the last random number and
// to the place where its work runs out.
func TestAProgramThatIsRunAgainDoesTheSame(t *testing.T) {
	e := engine(t)
	p := script.Program{Seed: "c7", Now: time.Unix(1_800_000_000, 0), Budget: script.Budget{Fuel: 60}, Tools: []string{"echo"}, Call: answering(),
		Code: `for (let i = 0; ; i++) { if (i % 1000 === 0) console.log(i, Math.random(), new Date(), await tools.echo(i)); JSON.stringify({i}) }`}
	first := ran(t, e, p)
	for range 3 {
		p.Call = answering()
		if again := ran(t, e, p); again != first {
			t.Fatalf("the first run printed %d bytes, another one %d", len(first), len(again))
		}
	}
	if !strings.HasSuffix(first, "work for one program.\n    at <anonymous> (program.ts:1)") && !strings.Contains(first, script.CodeFuel) {
		t.Errorf("it ended otherwise than by its work: %s", first[max(0, len(first)-200):])
	}
}

// A callback that passes a bound ends its instance, and only that.
func TestAnInstanceEndsWithTheCallbackThatPassesABound(t *testing.T) {
	e := engine(t)
	open := func() *script.Instance {
		i, _, err := e.Open(t.Context(), script.Program{Prelude: `(kit) => { kit.hidden(kit.global, "on", kit.callback) }`, Code: `on(async (n) => { if (n) for (;;); return "well" })`})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	bad, good := open(), open()
	defer good.Close()
	_, err := bad.Invoke(t.Context(), script.Invocation{Callback: 1, Args: []byte("1"), Budget: script.Budget{Fuel: 20}})
	if fault.CodeOf(err) != script.CodeFuel {
		t.Errorf("the callback ended with %v", err)
	}
	<-bad.Gone()
	if _, err := bad.Invoke(t.Context(), script.Invocation{Callback: 1}); fault.CodeOf(err) != script.CodeFuel {
		t.Errorf("an instance that is gone answers %v", err)
	}
	if v, err := good.Invoke(t.Context(), script.Invocation{Callback: 1, Args: []byte("0")}); string(v) != `"well"` {
		t.Errorf("its neighbour answers %s, %v", v, err)
	}
}
