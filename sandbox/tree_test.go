//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// Trees that do not want to end. Each says "ready" once it stands.
var trees = map[string]string{
	"one":                 `echo ready; sleep 1000`,
	"children":            `sh -c 'sh -c "sleep 1000" & sleep 1000' & sleep 1000 & echo ready; wait`,
	"new session":         `setsid sleep 1000 & echo ready; wait`,
	"double fork":         `(setsid sh -c 'sleep 1000 & sleep 1000 &' &) ; echo ready; sleep 1000`,
	"daemons":             `for i in 1 2 3 4 5; do (setsid nohup sleep 1000 >/dev/null 2>&1 &); done; echo ready; sleep 1000`,
	"deaf to TERM":        `trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; while :; do sleep 1000; done`,
	"stopped":             `sleep 1000 & kill -STOP $!; echo ready; wait`,
	"breeding":            `trap '' TERM; for i in $(seq 40); do (trap '' TERM; while :; do sleep 0.01; done) & done; echo ready; wait`,
	"survivors":           `trap '' TERM; for i in $(seq 150); do sleep 1000 & done; trap - TERM; echo ready; while :; do sleep 0.01; done`,
	"changed environment": `env -i setsid sleep 1000 & exec -a innocent sleep 1000 & echo ready; wait`,
}

func TestAWholeTreeEndsWithItsContext(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		for name, command := range trees {
			ctx, stop := context.WithCancel(t.Context())
			r := begin(t, ctx, s, Spec{Grace: 20 * time.Millisecond}, command)
			r.out.await("ready")
			root := r.Pid()
			stop()
			exit := r.end()
			if !exit.Stopped || exit.Code < 128 {
				t.Errorf("%s: %+v", name, exit)
			}
			if left := descendants(root); len(left) > 0 {
				t.Errorf("%s: left %v", name, left)
			}
		}
	})
}

func TestTermIsHeardBeforeKill(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		ctx, stop := context.WithCancel(t.Context())
		r := begin(t, ctx, s, Spec{Grace: time.Minute}, `trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.02; done`)
		r.out.await("ready")
		stop()
		if exit := r.end(); exit.Code != 5 || !strings.HasSuffix(r.out.String(), "bye\n") {
			t.Errorf("%+v %q", exit, r.out)
		}
	})
}

func TestWhatIsLeftRunningIsEndedAndNamed(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		nameable := s.Probe().Files != "bubblewrap"
		for _, command := range []string{`sleep 1000 & echo hi`, `(sleep 1000; echo late) & echo hi`, `(setsid sleep 1000 &) ; echo hi`} {
			out, exit := finish(t, s, Spec{}, command)
			if out != "hi\n" || exit.Code != 0 || exit.Stopped {
				t.Errorf("%s: %+v %q", command, exit, out)
			}
			if nameable && !slices.ContainsFunc(exit.Left, func(name string) bool { return strings.Contains(name, "sleep 1000") }) {
				t.Errorf("%s: left %q does not name the sleeper", command, exit.Left)
			}
		}
	})
}

func TestWhatIsLeftRunningIsEndedAlsoWhereItIsDeaf(t *testing.T) {
	out, exit := finish(t, newHouse(t, nil), Spec{}, `trap '' TERM; (while :; do sleep 1000; done) & echo hi`)
	if out != "hi\n" || len(exit.Left) == 0 {
		t.Errorf("%+v %q", exit, out)
	}
}

func TestNothingIsNamedWhereAllEnds(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		out, exit := finish(t, s, Spec{}, `echo a > >(cat; cat <<< b); true | false; sh -c 'kill -TERM $$'; echo $?`)
		late := strings.Contains(out, "a\n") && strings.Contains(out, "b\n")
		if s.Probe().Files == "bubblewrap" {
			late = true // it does not wait for them
		}
		if len(exit.Left) != 0 || exit.Code != 0 || !strings.Contains(out, "143\n") || !late {
			t.Errorf("%+v %q", exit, out)
		}
	})
}

func TestASignalEndsAProgramAsEverywhere(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		for command, want := range map[string]Exit{
			"kill -KILL $$":           {Code: 137, Signal: "SIGKILL"},
			"kill -TERM $$; sleep 10": {Code: 143, Signal: "SIGTERM"},
			"kill -ABRT $$":           {Code: 134, Signal: "SIGABRT"},
			"exit 137":                {Code: 137},
		} {
			_, exit := finish(t, s, Spec{}, command)
			if s.Probe().Files == "bubblewrap" {
				want.Signal = "" // it passes the number on
			}
			if exit.Code != want.Code || exit.Signal != want.Signal {
				t.Errorf("%s: %+v, want %+v", command, exit, want)
			}
		}
	})
}

func TestAProgramMayBeSignalled(t *testing.T) {
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		r := begin(t, t.Context(), s, Spec{}, `trap 'echo heard; exit' USR1; echo ready; while :; do sleep 0.02; done`)
		r.out.await("ready")
		if err := r.Signal(unix.SIGUSR1); err != nil {
			t.Error(err)
		}
		r.out.await("heard")
		r.End(0)
		if err := r.Signal(unix.SIGUSR1); !fault.Is(err, fault.NotFound) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestCloseEndsEveryChild(t *testing.T) {
	s := newHouse(t, nil)
	var runs []*run
	for range 5 {
		r := begin(t, t.Context(), s, Spec{Policy: Policy{Unconfined: true}}, `trap '' TERM; echo ready; sleep 1000; sleep 1000`)
		r.out.await("ready")
		runs = append(runs, r)
	}
	s.Close(0)
	for _, r := range runs {
		r.end()
	}
	if exists(s.recordPath()) {
		t.Error("the record stays behind")
	}
}

func TestAWriterThatHasEnoughDoesNotHoldTheChildUp(t *testing.T) {
	s := newHouse(t, nil)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	type writer struct{ *os.File }
	p, err := s.Start(t.Context(), Spec{Argv: []string{"bash", "-c", "head -c 1000000 /dev/zero; exit 4"}, Dir: "/", Stdout: writer{full}})
	if err != nil {
		t.Fatal(err)
	}
	if exit, _ := p.Wait(t.Context()); exit.Code != 4 {
		t.Errorf("%+v", exit)
	}
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "data"), "{}")
	if err := os.Chmod(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	onEveryKeeper(t, func(t *testing.T, s *Spawner) {
		for name, c := range map[string]struct {
			spec Spec
			kind fault.Kind
			code string
			says string
		}{
			"no program":      {Spec{Argv: []string{"no-such-program"}, Dir: dir}, fault.NotFound, "no-program", "not installed"},
			"no such path":    {Spec{Argv: []string{"./none"}, Dir: dir}, fault.NotFound, "no-program", "could not be started"},
			"no folder":       {Spec{Argv: []string{"true"}, Dir: dir + "/none"}, fault.NotFound, "no-folder", "is not there"},
			"a file":          {Spec{Argv: []string{"true"}, Dir: dir + "/data"}, fault.Invalid, "no-folder", "is not a folder"},
			"relative folder": {Spec{Argv: []string{"true"}, Dir: "."}, fault.Invalid, "no-folder", "not an absolute"},
			"nothing":         {Spec{Dir: dir}, fault.Invalid, "", "no program"},
			"data":            {Spec{Argv: []string{"./data"}, Dir: dir}, fault.Invalid, "no-program", "not a program"},
			"too long":        {Spec{Argv: []string{"true", strings.Repeat("x", 4<<20)}, Dir: dir}, fault.TooLarge, "", "longer than"},
			"NUL":             {Spec{Argv: []string{"true", "a\x00b"}, Dir: dir}, fault.Invalid, "", "NUL"},
		} {
			if s.Probe().Files == "bubblewrap" && (name == "data" || name == "no such path") {
				continue // bubblewrap is the program there, and says it in its own words
			}
			_, err := s.Start(t.Context(), c.spec)
			if fault.KindOf(err) != c.kind || fault.CodeOf(err) != c.code || !strings.Contains(fault.Person(err), c.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestAFailedStartLeavesNothing(t *testing.T) {
	s := newHouse(t, nil)
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	start := func() {
		if _, err := s.Start(t.Context(), Spec{Argv: []string{"./none"}, Dir: "/", Stdout: newScreen(), Stdin: strings.NewReader("")}); err == nil {
			t.Fatal("started")
		}
	}
	start()
	before := open()
	for range 50 {
		start()
	}
	if after := open(); after != before {
		t.Errorf("open files: %d, then %d", before, after)
	}
	if left := descendants(os.Getpid()); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a dead child was not taken in: %d %v", pid, err)
	}
}

// The host below is killed, so it cannot be this process: it is this test's
// program, started again with a variable that says what to be.
const (
	playHost   = "SANDBOX_TEST_HOST"
	playHidden = "hidden" // be no host but one that hides its environment
)

func TestMain(m *testing.M) {
	if what := os.Getenv(playHost); what != "" {
		beHost(what)
	}
	os.Exit(m.Run())
}

// beHost starts children of the kind, says so, and waits to be killed.
func beHost(kind string) {
	if kind == playHidden {
		beHidden()
	}
	s := New(Options{Env: os.Environ(), Home: os.Getenv("SANDBOX_TEST_HOME")})
	if kind == "no namespaces" {
		a := *s.probed()
		a.namespaces, a.processes, a.mounts, a.network = 0, false, false, false
		s.probed = func() *ability { return &a }
	}
	for range 3 {
		_, err := s.Start(context.Background(), Spec{
			Argv: []string{"bash", "-c", `trap '' TERM HUP; (setsid sh -c 'sleep 1000 & sleep 1000 &' &); echo ready; sleep 1000`},
			Env:  []string{os.Getenv("SANDBOX_TEST_MARK")}, Dir: "/", Stdout: os.Stdout,
		})
		if err != nil {
			panic(err)
		}
	}
	select {}
}

func TestChildrenDieWithAKilledHost(t *testing.T) {
	for _, kind := range []string{"everything", "no namespaces"} {
		t.Run(kind, func(t *testing.T) {
			home, mark, out := t.TempDir(), "MARK="+kind+strconv.Itoa(os.Getpid()), newScreen()
			host := exec.Command("/proc/self/exe", "-test.run=^$")
			host.Env = append(os.Environ(), playHost+"="+kind, "SANDBOX_TEST_HOME="+home, "SANDBOX_TEST_MARK="+mark)
			host.Stdout = out
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			out.await("ready\nready\nready\n")
			eventually(t, func() bool { return len(marked(mark)) >= 6 })
			host.Process.Kill()
			host.Process.Wait() // not its output, which its children hold open
			s := New(Options{Home: home})
			found := s.Reclaim()
			if kind == "no namespaces" && s.Probe().Trees == "subreaper" && len(found) == 0 {
				t.Error("nothing was reclaimed")
			}
			eventually(t, func() bool { return len(marked(mark)) == 0 }) // the kernel ends a namespace in its own time
			if again := s.Reclaim(); len(again) > 0 {
				t.Errorf("found again: %v", again)
			}
			if files, _ := filepath.Glob(filepath.Join(home, "run", "*")); len(files) > 0 {
				t.Errorf("records stay behind: %v", files)
			}
		})
	}
}

func TestALivingHostIsNotReclaimed(t *testing.T) {
	s := newHouse(t, nil)
	r := begin(t, t.Context(), s, Spec{}, "echo ready; sleep 1000")
	r.out.await("ready")
	other := New(Options{Home: s.home})
	if found := other.Reclaim(); len(found) > 0 {
		t.Errorf("reclaimed %v of a host that lives", found)
	}
	eventually(t, func() bool { return len(marked(r.mark)) > 0 }) // between two programs it has no environment to be seen by
	r.End(0)
}

// eventually waits for something that the kernel does by itself.
func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(20 * time.Second); !holds(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("did not come about")
		}
	}
}
