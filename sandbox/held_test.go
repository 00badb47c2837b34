//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAProgramBeginsOnlyOnceItMay(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		dir := t.TempDir()
		made := filepath.Join(dir, "made")
		var out bytes.Buffer
		spec := Spec{Argv: []string{"bash", "-c", "echo $$ > made; echo done"}, Dir: dir, Stdout: &out, Policy: Policy{Write: []string{dir}}}
		asked := 0
		spec.Ready = func() error {
			asked++
			if _, err := os.Lstat(made); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the program began before it might: %v", err)
			}
			return nil
		}
		p, err := s.Start(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if exit, err := p.Wait(t.Context()); err != nil || exit.Code != 0 || out.String() != "done\n" || asked != 1 {
			t.Errorf("exit %+v, %v; output %q; asked %d times", exit, err, out.String(), asked)
		}

		if err := os.Remove(made); err != nil {
			t.Fatal(err)
		}
		no := errors.New("not today")
		spec.Ready = func() error { return no }
		if _, err := s.Start(t.Context(), spec); !errors.Is(err, no) {
			t.Errorf("a start that was given up: %v", err)
		}
		if _, err := os.Lstat(made); !errors.Is(err, os.ErrNotExist) {
			t.Error("the program ran all the same")
		}
	})
}
