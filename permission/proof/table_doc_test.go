package proof_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/permission/proof"
)

var update = flag.Bool("update", false, "write docs/permission.md anew")

// The table of what the proof passes is made by the same lines that test it.
func TestPermissionPageIsFresh(t *testing.T) {
	const page = "../../docs/permission.md"
	want := permissionPage(t)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("docs/permission.md is stale; go test ./permission/proof -update:\n%s", diff)
	}
}

func permissionPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# What runs without a question

In Manual a shell command runs unasked only if it is proved to look: its whole text parses by the shell's own grammar, every program in it
has a table in [permission/proof/programs](../permission/proof/programs), and every option, value and operand is on that table. Everything
else asks; there is no weaker check for long or odd commands. What is proved runs in a sandbox that can write nothing and reach no network.
git asks as well where the settings of the repository could start a program. Programs are found in the folders of your PATH, but never in
one that is relative or lies in the workspace: a model may have put a program of that name there.

This table is made by the tests (` + "`go test ./permission/proof -update`" + `): commands written for each family, how many of those that must ask were
passed (none may be), and the share of those that only look that run unasked (it may only rise).

| shell | family | lines | wrong allows | look-only lines unasked |
|---|---|---|---|---|
`)
	for _, shell := range []struct {
		name  string
		judge func(string, proof.Place) proof.Verdict
	}{{"bash", proof.Bash}, {"powershell", proof.PowerShell}} {
		families := []string{}
		lines, wrong, looks, passed := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
		for _, c := range readCases(t, "testdata/"+shell.name+".txt") {
			if lines[c.family] == 0 {
				families = append(families, c.family)
			}
			lines[c.family]++
			ok := shell.judge(c.command, here).Looks
			switch {
			case c.want == "allow":
				looks[c.family]++
				if ok {
					passed[c.family]++
				}
			case ok:
				wrong[c.family]++
			}
		}
		for _, f := range families {
			share := "none looks"
			if looks[f] > 0 {
				share = fmt.Sprintf("%d of %d (%.0f %%)", passed[f], looks[f], 100*float64(passed[f])/float64(looks[f]))
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %s |\n", shell.name, f, lines[f], wrong[f], share)
		}
	}
	b.WriteString("\nTo see a verdict: `fairlead permission check \"git log --oneline | head\"`.\n")
	answers, err := os.ReadFile("testdata/answers.md")
	if err != nil {
		t.Fatal(err)
	}
	b.Write(answers)
	return b.String()
}
