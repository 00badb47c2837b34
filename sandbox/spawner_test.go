package sandbox_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/sandbox"
)

func newSpawner(t *testing.T) *sandbox.Spawner {
	s := sandbox.New(sandbox.Options{Env: os.Environ(), Home: t.TempDir()})
	t.Cleanup(func() { s.Close(time.Second) })
	return s
}

// bash runs a command to its end and gives its output, both streams in one.
func bash(t *testing.T, s *sandbox.Spawner, policy sandbox.Policy, dir, command string) (string, sandbox.Exit) {
	t.Helper()
	var out bytes.Buffer
	p, err := s.Start(t.Context(), sandbox.Spec{Argv: []string{"bash", "-c", command}, Dir: dir, Stdout: &out, Stderr: &out, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), exit
}

func TestOutputAndExitCodeComeBack(t *testing.T) {
	out, exit := bash(t, newSpawner(t), sandbox.Policy{}, t.TempDir(), "echo one; echo two >&2; exit 3")
	if diff := cmp.Diff(sandbox.Exit{Code: 3}, exit); diff != "" {
		t.Error(diff)
	}
	if out != "one\ntwo\n" {
		t.Errorf("output = %q", out)
	}
}
