package sandbox_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/sandbox"
)

func TestOutputAndExitCodeComeBack(t *testing.T) {
	var out bytes.Buffer
	s := sandbox.New(sandbox.Options{Env: os.Environ()})
	p, err := s.Start(t.Context(), sandbox.Spec{
		Argv: []string{"sh", "-c", "echo one; echo two >&2; exit 3"}, Dir: t.TempDir(),
		Stdout: &out, Stderr: &out, Policy: sandbox.Policy{Unconfined: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sandbox.Exit{Code: 3}, exit); diff != "" {
		t.Error(diff)
	}
	if got := out.String(); got != "one\ntwo\n" {
		t.Errorf("output = %q", got)
	}
}
