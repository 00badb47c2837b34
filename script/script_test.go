package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairlead/fault"
	"fairlead/script"
)

// engine is one for a test, closed with it.
func engine(t testing.TB) *script.Engine {
	t.Helper()
	e := script.New(script.Options{Cache: cacheDir})
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// ran is what a program came to, as one text.
func ran(t testing.TB, e *script.Engine, p script.Program) string {
	t.Helper()
	var printed strings.Builder
	p.Print = func(level, text string) { fmt.Fprintf(&printed, "%s: %s\n", level, text) }
	out, err := e.Run(t.Context(), p)
	switch {
	case err != nil:
		fmt.Fprintf(&printed, "%s: %s", fault.CodeOf(err), fault.Person(err))
	case out.Value != nil:
		fmt.Fprintf(&printed, "= %s", out.Value)
	}
	return printed.String()
}

func TestAProgramAnswersWithWhatItReturns(t *testing.T) {
	e := engine(t)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, code, want string }{
		{"a value", `return 1 + 1`, `= 2`},
		{"types are erased", "type A = {n: number};\nconst a: A = {n: 3} satisfies A;\nreturn a.n as number", `= 3`},
		{"an enumeration", "enum Colour { Red, Green }\nreturn Colour.Green", `= 1`},
		{"nothing", `1 + 1`, ``},
		{"null", `return null`, `= null`},
		{"it awaits", `const a = await Promise.resolve([1, 2]); return {a, b: await (async () => "x")()}`, `= {"a":[1,2],"b":"x"}`},
		{"it prints", `console.log("one", 2, {three: [3]}); console.error(new TypeError("bad"))`, "log: one 2 {\"three\":[3]}\nerror: TypeError: bad\n"},
		{"the clock stands", `const a = Date.now(); for (let i = 0; i < 1e5; i++); return [a === Date.now(), new Date().toISOString(), typeof performance]`,
			`= [true,"2026-11-30T12:00:00.000Z","undefined"]`},
		{"chance repeats", `return [Math.random(), Math.random()].map(n => n.toFixed(6))`, `= ["0.957763","0.225518"]`},
		{"it throws", "const a = 1;\n\nfunction f(n: number): never {\n  throw new RangeError('too ' + n)\n}\nf(a)", "PROGRAM_ERROR: The program ended with an error. RangeError: too 1\n    at f (program.ts:4)\n    at <anonymous> (program.ts:6)"},
		{"it throws no error", `throw {code: 5}`, `PROGRAM_ERROR: The program ended with an error. {"code":5}`},
		{"it cannot be read", "const a = 1;\nconst b = ;", "PROGRAM_SYNTAX: The program cannot be read, so nothing of it was run.\nprogram.ts:2:11: Unexpected \";\"\n    const b = ;"},
		{"a module", `import fs from "fs"`, "PROGRAM_SYNTAX: The program cannot be read, so nothing of it was run.\nprogram.ts:1:8: Unexpected \"fs\"\n    import fs from \"fs\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ran(t, e, script.Program{Code: c.code, Now: at, Seed: "c1"}); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// answering settles calls: "echo" with its arguments, "fail" with an error, "slow"
// only once "go" was called.
func answering() func(*script.Call) {
	var slow []*script.Call
	return func(c *script.Call) {
		switch c.Name {
		case "echo":
			c.Resolve(c.Args)
		case "slow":
			slow = append(slow, c)
		case "go":
			c.Resolve(nil)
			for _, s := range slow {
				s.Resolve(s.Args)
			}
		default:
			c.Reject(script.Thrown{Code: "UNKNOWN_TOOL", Message: "There is no tool " + c.Name + "."})
		}
	}
}

func TestCallsAreAnsweredWhenTheyAre(t *testing.T) {
	e := engine(t)
	for _, c := range []struct{ name, code, want string }{
		{"one", `return await tools.echo({a: [1]})`, `= {"a":[1]}`},
		{"several at once", `return await Promise.all([tools.slow(1), tools.slow(2), tools.go(), tools.echo(3)])`, `= [1,2,null,3]`},
		{"the first", `return await Promise.race([tools.slow(1), tools.echo(2)])`, `= 2`},
		{"an error", "try {\n  await tools.nothing()\n} catch (e) {\n  return [e instanceof ToolError, e.name, e.tool, e.code, e.message]\n}", `= [true,"ToolError","nothing","UNKNOWN_TOOL","There is no tool nothing."]`},
		{"an error that nobody catches", "const a = 1\nawait tools.nothing()", "PROGRAM_ERROR: The program ended with an error. ToolError: There is no tool nothing.\n    at <anonymous> (program.ts:2)"},
		{"it waits in vain", `await tools.echo(1); await new Promise(() => {})`, "PROGRAM_STALLED: The program waits for a promise that nothing can settle any more: no call of it is open."},
		{"what it does not wait for", `tools.slow(1); return "done"`, `= "done"`},
		{"the names", `return [Object.keys(tools), typeof tools.then]`, `= [["echo","fail","slow","go"],"undefined"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ran(t, e, script.Program{Code: c.code, Tools: []string{"echo", "fail", "slow", "go"}, Call: answering()})
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestAnInstanceKeepsItsValuesBetweenCallbacks(t *testing.T) {
	e := engine(t)
	i, value, err := e.Open(t.Context(), script.Program{
		Prelude: `(kit) => { let n = 0; kit.hidden(kit.global, "onCount", (f) => kit.direct("at", kit.callback((by) => f(n += by)))) }`,
		Code:    `onCount(async (n) => { await tools.echo(n); return "now " + n }); return "ready"`,
		Call:    answering(),
		Direct:  func(string, json.RawMessage) (json.RawMessage, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	got := []string{string(value)}
	for _, by := range []string{"1", "2"} {
		v, err := i.Invoke(t.Context(), script.Invocation{Callback: 1, Args: json.RawMessage(by)})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(v))
	}
	if want := `"ready","now 1","now 3"`; strings.Join(got, ",") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ","), want)
	}
}

// endOf is the code of an error, with its first line where the program itself threw.
func endOf(err error) string {
	code := fault.CodeOf(err)
	if code != script.CodeThrew && code != script.CodeSyntax {
		return code
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(fault.Person(err), "The program ended with an error. "), "\n")
	if code == script.CodeSyntax {
		_, text, _ = strings.Cut(fault.Person(err), "\n")
		text, _, _ = strings.Cut(text, "\n")
	}
	return code + " " + text
}
