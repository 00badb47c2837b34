package proof_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"fairlead/permission/proof"
)

var here = proof.Place{Folder: "/work/project", Home: "/home/person"}

type judged struct {
	family, want, command string
	line                  int
}

func readCases(t *testing.T, file string) []judged {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []judged
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		parts := strings.SplitN(lines.Text(), "\t", 3)
		if len(parts) != 3 {
			t.Fatalf("%s:%d: want family, verdict, command", file, n)
		}
		command, err := unescape(parts[2])
		if err != nil {
			t.Fatalf("%s:%d: %v", file, n, err)
		}
		cases = append(cases, judged{parts[0], parts[1], command, n})
	}
	return cases
}

// unescape reads \n and \xNN; every other backslash stays, as the shell sees it.
func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], `\x`) && len(s) >= i+4 && isHex(s[i+2]) && isHex(s[i+3]):
			v, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
			if err != nil {
				return "", err
			}
			b.WriteByte(byte(v))
			i += 3
		case strings.HasPrefix(s[i:], `\n`) && !strings.HasPrefix(s[i:], `\n'`):
			b.WriteByte('\n')
			i++
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdef", c) >= 0 }

// leastShare is the share of look-only lines that pass, in percent; it only rises.
const leastShare = 100.0

func TestFamiliesAreJudged(t *testing.T) {
	judges := map[string]func(string, proof.Place) proof.Verdict{"bash": proof.Bash, "powershell": proof.PowerShell}
	for shell, judge := range judges {
		t.Run(shell, func(t *testing.T) {
			looks, passed := 0, 0
			for _, c := range readCases(t, "testdata/"+shell+".txt") {
				v := judge(c.command, here)
				switch {
				case c.want == "ask" && v.Looks:
					t.Errorf("line %d, %s: %q passed; it must ask", c.line, c.family, c.command)
				case c.want == "allow":
					looks++
					if v.Looks {
						passed++
					} else {
						t.Logf("line %d, %s: %q asks: %s", c.line, c.family, c.command, v.Reason)
					}
				}
			}
			if share := 100 * float64(passed) / float64(looks); share < leastShare {
				t.Errorf("%.1f %% of the look-only lines pass, want at least %.1f %%", share, leastShare)
			}
		})
	}
}

func TestEveryRefusalHasAReason(t *testing.T) {
	for _, c := range readCases(t, "testdata/bash.txt") {
		if v := proof.Bash(c.command, here); !v.Looks && v.Reason == "" {
			t.Errorf("%q is refused without a reason", c.command)
		}
	}
}

func TestGitIsHandedOnToTheGate(t *testing.T) {
	for command, git := range map[string]bool{"git status": true, "ls && git log -1 | head": true, "ls": false, "echo \"$(git rev-parse HEAD)\"": true} {
		if v := proof.Bash(command, here); !v.Looks || v.Git != git {
			t.Errorf("%q: %+v, want Git %v", command, v, git)
		}
	}
}

func TestNoSizeHasAWeakerCheck(t *testing.T) {
	for name, command := range map[string]string{
		"many parts":     strings.Repeat("true && ", 10000) + "rm x",
		"long line":      "echo " + strings.Repeat("a", 1<<20) + "; rm x",
		"many words":     "echo" + strings.Repeat(" a", 1<<19) + "; rm x",
		"deep nesting":   strings.Repeat("(", 500) + "ls" + strings.Repeat(")", 500),
		"deep quotes":    "echo " + strings.Repeat(`"$(echo `, 200) + "x" + strings.Repeat(`)"`, 200),
		"many pipes":     "ls" + strings.Repeat(" | cat", 5000) + " > x",
		"many lines":     strings.Repeat("ls\n", 20000) + "rm x",
		"many redirects": "ls" + strings.Repeat(" 2>/dev/null", 5000) + " > x",
	} {
		if v := proof.Bash(command, here); v.Looks {
			t.Errorf("%s: passed", name)
		}
	}
	if v := proof.Bash(strings.Repeat("true && ", 10000)+"ls", here); !v.Looks {
		t.Errorf("ten thousand harmless parts: %s", v.Reason)
	}
}

func TestAHomeThatIsNotKnownIsNoFolder(t *testing.T) {
	for _, command := range []string{"~/bin/cat a.txt", "cat ~/a", "grep -r x ~", "cat $HOME/a", "cat {~,b}/a"} {
		if v := proof.Bash(command, proof.Place{Folder: "/work/project"}); v.Looks {
			t.Errorf("%q passed", command)
		}
	}
}

func TestFullWidthOperatorsAsk(t *testing.T) {
	for _, command := range []string{"ls； rm x", "ls ＆＆ rm x", "cat a.txt｜sh"} {
		if v := proof.Bash(command, here); v.Looks {
			t.Errorf("%q passed", command)
		}
	}
}

func FuzzBash(f *testing.F) {
	for _, line := range []string{"ls -la | head -5", "git log --oneline", "echo \"$(git rev-parse HEAD)\"", "sed -n '1,5p' a", "awk '{print $1}' a", "jq '.a|.b' x", "cat {a,b}", "[ -d x ] && ls"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, command string) {
		v := proof.Bash(command, here)
		if v.Looks == (v.Reason != "") {
			t.Errorf("%q: %+v", command, v)
		}
		// Whatever passes still asks with a change behind it.
		if v.Looks && proof.Bash(command+"\nrm -rf x", here).Looks {
			t.Errorf("%q hides what follows it", command)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	for _, c := range []struct{ name, command string }{
		{"short", "ls -la src"},
		{"chain", "git status -s && git log --oneline -5 | head -3; find . -name '*.go' | wc -l"},
		{"megabyte", strings.Repeat("grep -n foo main.go && ", 1<<20/23) + "ls"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.command)))
			for b.Loop() {
				proof.Bash(c.command, here)
			}
		})
	}
}

func ExampleBash() {
	fmt.Println(proof.Bash("sort a.txt -o b.txt", proof.Place{Folder: "/work"}).Reason)
	// Output: sort -o is not on the list
}
