//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// probe tries what the kernel lets this process do, with children that end at
// once. Settings of the system say less: containers, other security modules and
// policies of a distribution forbid each on its own.
func (s *Spawner) probe() *ability {
	a := &ability{landlock: landlockABI(), seccomp: seccompWorks()}
	if a.landlock == 0 {
		a.missing("The kernel has no Landlock, or it is not switched on (kernel 5.13, lsm=landlock): writes are confined by mounts alone.")
	}
	if _, err := os.Stat(sharedMemory); err == nil {
		a.memory = true
	}
	base := uint64(unix.CLONE_NEWPID | unix.CLONE_NEWNS)
	if !mayMakeNamespaces() {
		base |= unix.CLONE_NEWUSER
	}
	everything := trial{flags: base | unix.CLONE_NEWNET | unix.CLONE_NEWIPC, processes: true, mounts: true}
	if s.try(everything) == nil {
		a.namespaces, a.processes, a.mounts, a.network = base, true, true, true
		return a
	}
	if err := s.try(trial{flags: base}); err != nil {
		a.missing("Namespaces are off (%v): whole trees are ended by following their parents, protected paths inside a writable folder are not held. "+
			"In a container allow user namespaces; on Ubuntu allow them for this program in AppArmor.", err)
		a.findBubblewrap()
		return a
	}
	a.namespaces = base
	if err := s.try(trial{flags: base, processes: true}); err == nil {
		a.processes = true
	} else {
		a.missing("A child cannot have its own /proc (%v): it sees the names of other processes.", err)
	}
	if err := s.try(trial{flags: base, mounts: true}); err == nil {
		a.mounts = true
	} else {
		a.missing("Mounts cannot be made read-only for a child (%v; kernel 5.12): protected paths inside a writable folder are not held.", err)
	}
	if err := s.try(trial{flags: base | unix.CLONE_NEWNET | unix.CLONE_NEWIPC}); err == nil {
		a.network = true
	} else {
		a.missing("A child cannot have its own network (%v): it is refused sockets instead.", err)
	}
	a.findBubblewrap()
	return a
}

func (a *ability) missing(format string, args ...any) {
	a.reasons = append(a.reasons, fmt.Sprintf(format, args...))
}

// findBubblewrap looks for the stand-in where we cannot confine by ourselves. It
// may be allowed what we are not: distributions give it a profile or set-user-ID.
func (a *ability) findBubblewrap() {
	if a.landlock > 0 || a.mounts {
		return
	}
	path, err := exec.LookPath("bwrap")
	if err == nil {
		err = exec.Command(path, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "--", "/proc/self/exe", "--version").Run()
	}
	if err != nil {
		a.missing("bubblewrap is not installed or does not work (%v). Install it to have commands confined.", err)
		return
	}
	a.bubblewrap = path
}

// mayMakeNamespaces reports whether this process can without a user namespace.
func mayMakeNamespaces() bool {
	if os.Geteuid() != 0 {
		return false
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	return unix.Capget(&header, &sets[0]) == nil && sets[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

// seccompWorks asks whether filters are known: a null filter is a bad address
// where they are.
func seccompWorks() bool {
	_, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0)
	return errno == unix.EFAULT || errno == unix.EACCES
}

// trial is a child that only makes its walls.
type trial struct {
	flags             uint64
	processes, mounts bool
}

// try runs a trial and says what failed.
func (s *Spawner) try(t trial) error {
	p := &plan{namespaces: t.flags, walls: walls{private: true, processes: t.processes, readOnly: t.mounts}}
	l := newListing()
	p.enter(l)
	l.tell(recordRunning)
	l.call("", unix.SYS_EXIT_GROUP, 0)
	l.end()
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	first, err := s.launch(l, []*os.File{in, in, in, in}, p.direct())
	in.Close()
	if err != nil {
		return err
	}
	defer first.Wait() // it ends at once; how does not matter
	reports := reporting{list: l, from: out}
	for {
		switch kind, value, err := reports.next(); {
		case err != nil:
			return err
		case kind == recordBorn && value != 0 && int(value) != first.Pid:
			defer unix.Wait4(int(value), nil, 0, nil)
		case kind == recordRunning:
			return nil
		}
	}
}
