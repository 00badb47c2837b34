package proof_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"fairlead/permission/proof"
)

func TestX(t *testing.T) {
	f, _ := os.Open("/work/shared/corpora/readonly-shell.jsonl")
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	wrong, miss, ok := 0, 0, 0
	for sc.Scan() {
		var c struct{ Cmd, Expect, Why, Group, Shell string }
		json.Unmarshal(sc.Bytes(), &c)
		f := proof.Bash
		if c.Shell == "powershell" {
			f = proof.PowerShell
		}
		v := f(c.Cmd, proof.Place{Folder: "/work/project", Home: "/home/person"})
		if v.Looks && c.Expect == "ask" {
			wrong++
			t.Errorf("WRONG %s: %q (%s)", c.Group, c.Cmd, c.Why)
		}
		if c.Expect == "allow" {
			if v.Looks {
				ok++
			} else {
				miss++
				t.Logf("MISS %s: %q: %s", c.Group, c.Cmd, v.Reason)
			}
		}
	}
	t.Logf("wrong %d, ok %d, miss %d", wrong, ok, miss)
}
