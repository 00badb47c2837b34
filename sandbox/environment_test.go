//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAChildGetsTheKeepListAndNothingElse(t *testing.T) {
	ours := []string{"PATH=/bin", "HOME=/home/a", "LC_ALL=C", "TERM=xterm-256color", "OPENAI_API_KEY=sk", "FAIRLEAD_HOME=/f", "LD_PRELOAD=/x.so",
		"BASH_ENV=/x", "ENV=/x", "BASH_FUNC_ls%%=() { rm; }", "GIT_DIR=/x", "NODE_OPTIONS=--require x", "PYTHONSTARTUP=/x", "SSH_AUTH_SOCK=/s", "EMPTY"}
	got := environment(ours, Spec{Unset: []string{"HOME"}, Env: []string{"PATH=/usr/bin", "MINE=1", "MINE=2"}}, "/temp")
	want := []string{"LANG=C.UTF-8", "LC_ALL=C", "MINE=2", "PATH=/usr/bin", "TERM=dumb", "TMPDIR=/temp"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What R27 asks: whatever a child looks at, our keys are not there.
func TestKeysOfTheHostAreOutOfReach(t *testing.T) {
	const key = "planted-4c1f"
	t.Setenv("OPENAI_API_KEY", key)
	secret, err := os.CreateTemp(t.TempDir(), "open")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		dir := t.TempDir()
		for _, policy := range []Policy{{}, {Write: []string{dir}, Network: true}, {Write: []string{"/"}, Network: true, Deny: []string{dir}}} {
			if policy.Wide() && s.Probe().Files == "bubblewrap" {
				continue
			}
			host := fmt.Sprint(os.Getpid())
			out, _ := finish(t, s, Spec{Dir: dir, Policy: policy}, `env; cat /proc/*/environ /proc/`+host+`/environ /proc/$PPID/environ | tr '\0' '\n'; ps eww; ls -l /proc/self/fd /proc/`+host+`/fd; grep -a `+key+` /proc/`+host+`/mem; kill -0 `+host+` && echo reached`)
			for _, word := range []string{key, "OPENAI", "FAIRLEAD_HOME", secret.Name(), "memfd", "reached"} {
				if strings.Contains(out, word) {
					t.Errorf("a child under %+v saw %q in %s", policy, word, out)
				}
			}
			if !strings.Contains(out, "PATH=") {
				t.Error("the child saw no environment at all")
			}
		}
	})
}

func TestAChildInheritsNoOpenFile(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		for _, policy := range []Policy{{}, {Unconfined: true}} {
			out, _ := finish(t, s, Spec{Policy: policy}, `ls /proc/self/fd; true`)
			if out != "0\n1\n2\n3\n" { // 3 is the folder that ls reads
				t.Errorf("under %+v these files are open: %q", policy, out)
			}
		}
	})
}

// What is hidden stays so for the life of a process: this test's program is started
// again to be the one.
func TestAHiddenEnvironmentIsGone(t *testing.T) {
	program := exec.Command("/proc/self/exe", "-test.run=^$")
	program.Env = append(os.Environ(), playHost+"="+playHidden)
	if out, err := program.CombinedOutput(); err != nil || string(out) != "hidden" {
		t.Errorf("%v: %s", err, out)
	}
}

// beHidden hides its environment and says what is wrong with that.
func beHidden() {
	said := "hidden"
	before, _ := os.ReadFile("/proc/self/environ")
	err := HideEnvironment()
	after, _ := os.ReadFile("/proc/self/environ")
	switch {
	case !strings.Contains(string(before), "PATH="):
		said = "there was no environment to hide"
	case err != nil:
		said = err.Error()
	case strings.Trim(string(after), "\x00") != "":
		said = "still to be seen: " + string(after)
	case os.Getenv("PATH") == "":
		said = "the variables are gone for itself, too"
	}
	os.Stdout.WriteString(said)
	os.Exit(0)
}
