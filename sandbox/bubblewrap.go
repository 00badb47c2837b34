//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// wrapped has bubblewrap build the walls, where the kernel lets it and not us. It
// costs three plain starts, and ends what a program leaves running before it can be
// named.
func (s *Spawner) wrapped(a *ability, spec Spec, p *plan, writable []string) (*plan, *os.File, error) {
	if a.bubblewrap == "" {
		return nil, nil, fault.New(fault.Unavailable, "sandbox.start",
			"This machine cannot confine what a child writes. Nothing was started. `fairlead doctor` says what is missing.").WithCode("no-sandbox")
	}
	var w walls
	if err := w.protect(s.presence.look(), writable, spec.Policy.Deny); err != nil {
		return nil, nil, err
	}
	argv := []string{a.bubblewrap, "--die-with-parent", "--unshare-pid", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", sharedMemory}
	for _, path := range writable {
		argv = append(argv, "--bind", path, path)
	}
	for _, path := range w.pinned {
		argv = append(argv, "--bind", path, path)
	}
	for _, path := range w.protected {
		argv = append(argv, "--ro-bind", path, path)
	}
	var filter *os.File
	if !spec.Policy.Network {
		argv = append(argv, "--unshare-net", "--unshare-ipc")
		if a.seccomp {
			var err error
			if filter, err = filterFile(noSockets(unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)); err != nil {
				return nil, nil, err
			}
			argv = append(argv, "--seccomp", strconv.Itoa(rulesetFile))
		}
	}
	if os.Geteuid() == 0 {
		for _, c := range renounced {
			if c.number < unix.CAP_PERFMON { // its library may not know the younger ones, which need CAP_SYS_ADMIN's company anyway
				argv = append(argv, "--cap-drop", c.name)
			}
		}
	}
	p.argv = append(append(argv, "--chdir", spec.Dir, "--", p.program), spec.Argv[1:]...)
	p.program, p.wrapped = a.bubblewrap, true
	p.bare = true // it gives up what its child shall not have by itself, and needs it until then
	p.namespaces, p.walls = 0, walls{}
	return p, filter, nil
}

// filterFile puts a filter where the child finds it as an open file.
func filterFile(program []unix.SockFilter) (*os.File, error) {
	fd, err := unix.MemfdCreate("fairlead-filter", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "sandbox.filter", err, "The child's limits could not be handed over. Nothing was started.")
	}
	file := os.NewFile(uintptr(fd), "fairlead-filter")
	if _, err = file.Write(encode(program)); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, fault.Wrap(fault.Unavailable, "sandbox.filter", err, "The child's limits could not be handed over. Nothing was started.")
	}
	return file, nil
}
