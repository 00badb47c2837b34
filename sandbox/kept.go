//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// kept is a tree with a keeper at its root.
type kept struct {
	keeper *os.Process
	// namespaced is whether the kernel ends the tree with its keeper.
	namespaced bool
	// wrapped is whether bubblewrap stands between the keeper and the program.
	wrapped bool
	reports reporting
	killing atomic.Bool
	silent  chan struct{} // closed once the keeper has told its last
}

// How long things may take that should take no time.
const (
	// leftoverGrace is for what a program started to end by itself after it: the last
	// writers of a pipeline, a process substitution.
	leftoverGrace = 200 * time.Millisecond
	// deathGrace is for a killed process to be gone. Only one that hangs in the kernel,
	// on a dead network file system, takes longer.
	deathGrace = 5 * time.Second
)

// signal is described at [Process.Signal]. The keeper is passed over: as process 1
// it would not listen, and elsewhere it must stay to take in the others.
func (t *kept) signal(s os.Signal) error {
	n, ok := s.(syscall.Signal)
	if !ok {
		return fault.New(fault.Invalid, "sandbox.signal", "%v is no signal of this system.", s)
	}
	members := descendants(t.keeper.Pid)
	if t.wrapped {
		// It would take the signal for itself and end, and its child with it.
		members = slices.DeleteFunc(members, func(m member) bool { return m.name == "bwrap" })
	}
	if len(members) == 0 {
		return fault.New(fault.NotFound, "sandbox.signal", "The child is gone.")
	}
	signalAll(members, n)
	if n == unix.SIGTERM || n == unix.SIGHUP {
		signalAll(members, unix.SIGCONT) // a stopped process would hear of it never
	}
	return nil
}

// kill ends the tree by force and returns at once.
func (t *kept) kill() {
	if !t.killing.CompareAndSwap(false, true) {
		return
	}
	if t.namespaced {
		t.keeper.Kill() // an error means that it is gone
		return
	}
	go t.hunt()
}

// hunt ends a tree that no namespace holds together: all of it is stopped and
// killed, again and again until nothing is left, because a process may fork
// between being seen and being stopped. Orphans go to the keeper, so none escapes
// by ending its parent.
func (t *kept) hunt() {
	deadline := time.After(deathGrace)
	for {
		members := descendants(t.keeper.Pid)
		signalAll(members, unix.SIGSTOP)
		signalAll(members, unix.SIGKILL)
		select {
		case <-t.silent:
			return
		case <-deadline:
			t.keeper.Kill() // what is left hangs in the kernel
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// follow waits until the tree is gone and says how the program ended: by a kill
// where the keeper did not live to tell. What the program leaves running is named
// and handed to end.
func (t *kept) follow(stopped *atomic.Bool, end func(time.Duration)) (exit Exit, told bool) {
	exit = Exit{Code: 128 + int(unix.SIGKILL), Signal: unix.SignalName(unix.SIGKILL)}
	var left []string
	named := make(chan struct{})
	var sweep *time.Timer
	for {
		kind, value, err := t.reports.next()
		if err != nil {
			break
		}
		if kind != recordEnded {
			continue
		}
		exit, told = exitOf(syscall.WaitStatus(value)), true
		exit.Stopped = stopped.Load()
		sweep = time.AfterFunc(leftoverGrace, func() {
			left = names(descendants(t.keeper.Pid))
			close(named)
			end(time.Second)
		})
	}
	close(t.silent)
	t.reports.from.Close()
	if sweep != nil && !sweep.Stop() {
		<-named
	}
	if !told {
		exit.Stopped = stopped.Load()
	}
	if !exit.Stopped {
		exit.Left = left
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		t.keeper.Wait() // it is our own child; how it ended is known
	}()
	if told && !t.killing.Load() {
		// It leaves only once nothing of the tree is left, and has closed its files;
		// what the kernel still does for it, taking namespaces apart, takes longer than
		// most commands and concerns nobody. A killed one closes its files first, and the
		// kernel ends its tree after that.
		return exit, told
	}
	select {
	case <-gone:
	case <-time.After(deathGrace):
		exit.Left = append(exit.Left, names(descendants(t.keeper.Pid))...)
	}
	return exit, told
}

func names(members []member) []string {
	var list []string
	for _, m := range members {
		list = append(list, m.describe())
	}
	return list
}

func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: status.ExitStatus()}
}
