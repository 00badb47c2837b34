package script_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fairlead/script"
	"fairlead/testkit"
)

// escapes is the suite: programs of people who want out, or want the house down.
const escapes = "testdata/escapes.txt"

// escape is one of its programs.
type escape struct{ group, title, code, want string }

// readEscapes reads the suite: groups begin with ==, programs with #, and the line
// behind a program that begins with → says how it ends.
func readEscapes(t *testing.T) []escape {
	t.Helper()
	text, err := os.ReadFile(escapes)
	if err != nil {
		t.Fatal(err)
	}
	var all []escape
	group := ""
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if name, ok := strings.CutPrefix(block, "== "); ok {
			group = name
			continue
		}
		title, code, _ := strings.Cut(block, "\n")
		code, want, _ := strings.Cut(code, "\n→ ")
		all = append(all, escape{group, strings.TrimPrefix(title, "# "), code, want})
	}
	return all
}

// small lets the hostile programs of a group end soon; by work and memory, not by the clock, so that
// it ends the same way on every machine.
func small(group string) script.Budget {
	b := script.Budget{Wall: time.Minute, Fuel: 200, Memory: 8 << 20, Calls: 2_000, Arguments: 2 << 20, Output: 1 << 20}
	switch group {
	case "Memory", "Output", "Depth", "Promises and calls":
		b.Fuel = 2_000 // for their own bound to be the first
	case "Waiting":
		b.Wall = 100 * time.Millisecond // nothing else ends a wait
	}
	return b
}

// TestNoProgramGetsOut runs the suite. Every program ends as the suite says, and after
// each of them a new program finds everything as it should be. The table of
// docs/sandbox.md is what came out; -update writes both.
func TestNoProgramGetsOut(t *testing.T) {
	e, all := engine(t), readEscapes(t)
	if len(all) < 120 {
		t.Errorf("the suite has %d programs; 120 are promised", len(all))
	}
	group := ""
	var suite, table strings.Builder
	for _, c := range all {
		got := ends(t, e, small(c.group), c.code)
		if c.want != got && !testkit.Updating() {
			t.Errorf("%s: %s\n%s\nends as %s\nwant    %s", c.group, c.title, c.code, got, c.want)
		}
		if after := ran(t, e, probe()); after != `= "as new"` {
			t.Fatalf("%s: %s\n%s\nthe next program is not as it should be: %s", c.group, c.title, c.code, after)
		}
		if c.group != group {
			group = c.group
			fmt.Fprintf(&suite, "== %s\n\n", group)
			fmt.Fprintf(&table, "\n### %s\n\n| program | ends as |\n|---|---|\n", group)
		}
		fmt.Fprintf(&suite, "# %s\n%s\n→ %s\n\n", c.title, c.code, got)
		fmt.Fprintf(&table, "| %s | %s |\n", c.title, cell(got))
	}
	if testkit.Updating() {
		testkit.Golden(t, escapes, strings.TrimRight(suite.String(), "\n")+"\n")
	}
	intro, err := os.ReadFile("testdata/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "../docs/sandbox.md", strings.ReplaceAll(string(intro), "{programs}", fmt.Sprint(len(all)))+table.String())
}

func cell(s string) string {
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return "`" + strings.NewReplacer("|", "\\|", "`", "'", "\n", " ").Replace(s) + "`"
}

// ends runs a hostile program and says in one line what came of it.
func ends(t *testing.T, e *script.Engine, b script.Budget, code string) string {
	t.Helper()
	lines := 0
	p := script.Program{Code: code, Budget: b, Tools: []string{"echo", "slow"}, Call: answering(), Print: func(string, string) { lines++ }}
	out, err := e.Run(t.Context(), p)
	text := "nothing"
	switch {
	case err != nil:
		text = endOf(err)
	case out.Value != nil:
		text = string(out.Value)
	}
	if lines > 0 && err == nil {
		text += fmt.Sprintf(", %d lines", lines)
	}
	if len(text) > 400 {
		text = text[:400] + "…"
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// probe is a program that looks whether a machine is as new.
func probe() script.Program {
	return script.Program{Tools: []string{"echo"}, Call: answering(), Code: `
		const own = Object.getOwnPropertyNames(globalThis).length, proto = Object.keys(Object.prototype).length
		const whole = JSON.stringify({a: [1, "x"]}) === '{"a":[1,"x"]}' && [3, 1, 2].sort().join() === "1,2,3"
		const answer = await tools.echo({n: 6 * 7})
		return own < 80 && proto === 0 && whole && answer.n === 42 && typeof out === "undefined" ? "as new" : [own, proto, whole, answer]`}
}
