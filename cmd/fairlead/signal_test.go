package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// stuck is how long a script waits for a log before it counts as stuck.
const stuck = time.Minute

func waitLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitlog EXPRESSION")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	tick, late := time.NewTicker(5*time.Millisecond), time.After(stuck)
	defer tick.Stop()
	for {
		logs, err := filepath.Glob(filepath.Join(ts.Getenv("FAIRLEAD_HOME"), "sessions", "*", "log.jsonl"))
		ts.Check(err)
		for _, log := range logs {
			if want.MatchString(ts.ReadFile(log)) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-late:
			ts.Fatalf("no log matches %s", args[0])
		}
	}
}

// signalled keeps the command of each script that was signalled last.
type signalled struct{ cmd *exec.Cmd }

func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	running := ts.BackgroundCmds()
	if neg || len(args) != 1 || len(running) == 0 {
		ts.Fatalf("usage: signal INT|TERM|KILL, with a command in the background")
	}
	known := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	s := ts.Value(signalled{}).(*signalled)
	s.cmd = running[len(running)-1]
	ts.Check(s.cmd.Process.Signal(known[args[0]]))
}

func checkExited(ts *testscript.TestScript, neg bool, args []string) {
	cmd := ts.Value(signalled{}).(*signalled).cmd
	if neg || len(args) != 1 || cmd == nil || cmd.ProcessState == nil {
		ts.Fatalf("usage: exited N, after signal and wait")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("it exited with %d, want %d", got, want)
	}
}
