//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// plan works out how a child is started so that it can do no more than its policy
// says. rules is the open file of its Landlock rules, nil for none; the caller
// closes it.
func (s *Spawner) plan(spec Spec, program, terminal, temp string) (p *plan, rules *os.File, err error) {
	a := s.probed()
	policy := spec.Policy
	p = &plan{program: program, argv: spec.Argv, dir: spec.Dir, terminal: terminal != "", held: spec.Ready != nil}
	if policy.Unconfined {
		p.bare = true
		return p, nil, nil
	}
	p.bare = policy.everything()
	p.namespaces = a.namespaces
	p.walls.private = a.namespaces != 0
	p.walls.processes = a.processes
	if p.bare {
		return p, nil, nil
	}
	allowed := policy.Write
	if spec.Temp != "" {
		allowed = append(slices.Clip(allowed), temp)
	}
	writable, err := outermost(allowed)
	if err != nil {
		return nil, nil, err
	}
	look := s.presence.look()
	p.missing = look.missing(writable, policy.Deny)
	if !policy.Wide() && a.landlock == 0 && !a.mounts {
		return s.wrapped(a, spec, p, writable)
	}
	if a.mounts {
		p.walls.readOnly = !policy.Wide()
		p.walls.terminals = !p.terminal
		p.walls.writable = writable
		_, p.walls.rights = rights(a.landlock)
		if err := p.walls.protect(look, writable, policy.Deny); err != nil {
			return nil, nil, err
		}
	}
	if !policy.Network {
		if err := p.cutNetwork(a); err != nil {
			return nil, nil, err
		}
	}
	if a.landlock > 0 {
		var nodes []string // a rule for everything covers them
		if !policy.Wide() {
			nodes = devices
		}
		if p.terminal && !policy.Wide() {
			nodes = append(slices.Clip(nodes), terminal)
		}
		if rules, err = landlock(a.landlock, writable, nodes, policy); err != nil {
			return nil, nil, err
		}
		p.rules = true
	}
	return p, rules, nil
}

// cutNetwork gives the child an empty network, no way out of it, or both.
func (p *plan) cutNetwork(a *ability) error {
	switch {
	case a.network && a.seccomp:
		p.namespaces |= unix.CLONE_NEWNET | unix.CLONE_NEWIPC
		p.filter = noSockets(unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	case a.network:
		p.namespaces |= unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	case a.seccomp:
		p.filter = noSockets()
	default:
		return fault.New(fault.Unavailable, "sandbox.start", "This machine cannot cut a child off the network. Nothing was started. `fairlead doctor` says what is missing.").WithCode("no-sandbox")
	}
	return nil
}

// ability is what this machine can do for a child, found out by trying, once.
type ability struct {
	landlock int // version, 0 for none
	// namespaces are the clone flags for a process and a mount namespace of its own; 0 where they cannot be had.
	namespaces uint64
	processes  bool // its own /proc
	mounts     bool // its own mounts, read-only where they should be
	network    bool // an empty network
	seccomp    bool
	memory     bool   // there is a /dev/shm to put its own over
	bubblewrap string // path of the program, where it is needed and works
	reasons    []string
}

func (a *ability) report() Report {
	r := Report{LandlockABI: a.landlock, Trees: "subreaper", Reasons: a.reasons}
	switch {
	case a.landlock > 0:
		r.Files = "landlock"
	case a.mounts:
		r.Files = "mounts"
	case a.bubblewrap != "":
		r.Files, r.Protected, r.Network = "bubblewrap", "bubblewrap", "bubblewrap"
	}
	if a.mounts {
		r.Protected = "mounts"
	}
	switch {
	case a.network:
		r.Network = "namespace"
	case a.seccomp:
		r.Network = "seccomp"
	}
	if a.namespaces != 0 {
		r.Trees = "pidns"
	}
	return r
}

// Probe is described at [Sandbox]. The first call tries the kernel, about 2 ms.
func (s *Spawner) Probe() Report { return s.probed().report() }

// temp is the folder for temporary files that a child finds as TMPDIR; "" leaves
// the system's.
func (s *Spawner) temp(spec Spec) (string, error) {
	switch {
	case spec.Temp != "":
		return s.scratchFor(spec.Temp)
	case spec.Policy.Unconfined || spec.Policy.Wide():
		return "", nil
	}
	if a := s.probed(); a.mounts && a.memory {
		return sharedMemory, nil
	}
	return "", nil
}
