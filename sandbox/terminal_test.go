//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestATerminalIsOne(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		dir := t.TempDir()
		r := begin(t, t.Context(), s, Spec{Dir: dir, PTY: &Size{Rows: 33, Cols: 101}, Policy: Policy{Write: []string{dir}}},
			`stty size; [ -t 0 ] && [ -t 1 ] && tty; echo own > /dev/tty; trap 'stty size' WINCH; trap 'echo int; exit 7' INT; echo ready; while read -r line; do echo "got $line"; done`)
		term := r.Terminal()
		defer term.Close()
		r.out.await("ready")
		for _, want := range []string{"33 101", "/dev/pts/", "own"} {
			if !strings.Contains(r.out.String(), want) {
				t.Errorf("%q is missing in %q", want, r.out)
			}
		}
		if _, err := term.Write([]byte("hello\n")); err != nil {
			t.Fatal(err)
		}
		r.out.await("got hello")
		if err := term.Resize(Size{Rows: 50, Cols: 200}); err != nil {
			t.Fatal(err)
		}
		if _, err := term.Write([]byte("again\n")); err != nil {
			t.Fatal(err)
		}
		r.out.await("50 200")
		// Bash that is about to read hears an interrupt only when that returns: the line
		// end sees to it.
		if _, err := term.Write([]byte{3, '\n'}); err != nil {
			t.Fatal(err)
		}
		r.out.await("int")
		exit := r.end()
		if s.Probe().Files == "bubblewrap" {
			return // it takes the interrupt for itself too
		}
		if exit.Code != 7 {
			t.Errorf("%+v", exit)
		}
	})
}

func TestAnInteractiveShellHasJobControl(t *testing.T) {
	s := newHouse(t, nil)
	r := begin(t, t.Context(), s, Spec{PTY: &Size{Rows: 24, Cols: 80}, Policy: Policy{Network: true}}, `PS1='$ ' exec bash --norc -i`)
	term := r.Terminal()
	defer term.Close()
	for _, step := range []struct{ send, await string }{
		{"", "$ "},
		{"sh -c 'echo run\"\"ning; exec sleep 1000'\n", "running"},
		{"\x1a", "Stopped"},
		{"jobs; echo al''ive\n", "alive"},
		{"kill -9 %1; echo de''ad\n", "dead"},
		{"exec sh -c 'exit 3'\n", "exec"}, // exit would ask about the job
	} {
		if _, err := term.Write([]byte(step.send)); err != nil {
			t.Fatal(err)
		}
		r.out.await(step.await)
	}
	if exit := r.end(); exit.Code != 3 {
		t.Errorf("%+v: %q", exit, r.out)
	}
}

func TestClosingATerminalHangsUp(t *testing.T) {
	s := newHouse(t, nil)
	r := begin(t, t.Context(), s, Spec{PTY: &Size{Rows: 24, Cols: 80}}, `echo ready; sleep 1000`)
	r.out.await("ready")
	r.Terminal().Close()
	if exit := r.end(); exit.Signal != unix.SignalName(unix.SIGHUP) {
		t.Errorf("%+v", exit)
	}
}

func TestATerminalKnowsWhoHasIt(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		r := begin(t, t.Context(), s, Spec{PTY: &Size{Rows: 24, Cols: 80}}, `PS1='$ ' exec bash --norc -i`)
		term := r.Terminal()
		defer term.Close()
		r.out.await("$ ")
		shell, name, err := term.Foreground()
		if err != nil || name != "bash" {
			t.Fatalf("%d %q %v", shell, name, err)
		}
		if _, err := term.Write([]byte("sh -c 'echo run\"\"ning; exec sleep 1000'\n")); err != nil {
			t.Fatal(err)
		}
		r.out.await("running")
		eventually(t, func() bool {
			pid, name, err := term.Foreground()
			return err == nil && pid != shell && name == "sleep"
		})
		if err := term.Signal(unix.SIGINT); err != nil {
			t.Error(err)
		}
		eventually(t, func() bool {
			pid, _, err := term.Foreground()
			return err == nil && pid == shell
		})
		r.End(0)
	})
}
