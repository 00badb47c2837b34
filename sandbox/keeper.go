//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// The keeper is the process at the root of a child's tree: process 1 of its
// namespace, or where namespaces are off the one that adopts its orphans. It is
// the machine running the listing that is written here: it builds the walls around
// itself, forks, lets the fork shut the last doors and become the program, and
// then waits until nothing of the tree is left.

// What the keeper finds open beside 0, 1 and 2.
const (
	reportFile  = 3 // a pipe on which it tells the host, in records of two words
	rulesetFile = 4 // the Landlock rules, where there are any
	// Behind them, where the start is held, comes the pipe on which the word is given.
)

// Words that begin a record. A larger one is the address of an instruction that
// failed; the second word is then -errno.
const (
	recordBorn    = 1 // second word: the keeper's process id as the host counts
	recordRunning = 2 // the program runs
	recordEnded   = 3 // second word: the program's wait status
)

const recordSize = 16

// plan is one child as the keeper starts it.
type plan struct {
	program   string
	argv, env []string
	dir       string
	terminal  bool

	// namespaces are the clone flags; 0 leaves the child in ours.
	namespaces uint64
	// walls are the mounts of its mount namespace.
	walls walls
	// rules is whether the file of Landlock rules is open.
	rules bool
	// filter is the seccomp program; nil for none.
	filter []unix.SockFilter
	// bare is whether set-user-ID programs and the capabilities of root are kept.
	bare bool
	// wrapped is whether the program is bubblewrap, which starts the child's.
	wrapped bool
	// missing are denied paths that the child could make.
	missing []string
	// extra is whether it gets a file of rules: Landlock's, or bubblewrap's filter.
	extra bool
	// held is whether the keeper waits for a word before the program starts.
	held bool
}

// direct are the namespaces that the host's own clone makes. A user namespace is
// entered by the machine, which can write its own maps.
func (p *plan) direct() uint64 {
	if p.namespaces&unix.CLONE_NEWUSER != 0 {
		return 0
	}
	return p.namespaces
}

// files is how many files the keeper gets, counted from 0.
func (p *plan) files() uint64 {
	n := uint64(rulesetFile)
	if p.extra {
		n++
	}
	if p.held {
		n++
	}
	return n
}

// steps are the instructions whose failure has a meaning of its own.
type steps struct{ folder, program int }

const (
	here = ^uint64(99) // AT_FDCWD
	all  = ^uint64(0)  // -1
)

// list writes the whole program of a child.
func (p *plan) list() (*listing, steps) {
	l := newListing()
	own := p.enter(l)
	if p.held {
		p.await(l)
	}
	fork := l.call("fork", unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_VFORK|uint64(unix.SIGCHLD), 0, 0, 0, 0)
	l.code[fork].zero = l.next()
	s := p.become(l, own)

	l.code[fork].positive = l.next()
	l.tell(recordRunning)
	l.keep(fork)
	l.end()
	return l, s
}

// await writes the wait for the word. Without one, because the host gave the start up
// or is gone, the keeper ends.
func (p *plan) await(l *listing) {
	pipe := p.files() - 1
	wait := l.call("wait for the word", unix.SYS_READ, pipe, l.words(0), 8)
	l.code[wait].zero = l.call("", unix.SYS_EXIT_GROUP, 0)
	l.code[wait].positive = l.next()
	l.call("", unix.SYS_CLOSE, pipe)
}

// enter writes what makes the keeper: its namespaces and walls. It returns what
// the child has mounted for itself.
func (p *plan) enter(l *listing) []ownMount {
	born := l.words(recordBorn, 0)
	// What this process was itself handed by accident goes no further.
	free := p.files()
	l.try("close other files", unix.SYS_CLOSE_RANGE, free, math.MaxUint32, 0)
	l.call("name the keeper", unix.SYS_PRCTL, unix.PR_SET_NAME, l.text("fairlead-keeper"))
	switch {
	case p.direct() != 0: // the host knows who we are
	case p.namespaces != 0:
		// With CLONE_PARENT the keeper is the host's own child, and this process is
		// done. The kernel writes the keeper's id, as the host sees it, into the record.
		flags := p.namespaces | unix.CLONE_PARENT | unix.CLONE_VM | unix.CLONE_PARENT_SETTID | uint64(unix.SIGCHLD)
		enter := l.call("make namespaces", unix.SYS_CLONE, flags, 0, born+8, 0, 0)
		l.code[enter].positive = l.call("", unix.SYS_EXIT_GROUP, 0)
		l.code[enter].zero = l.next()
	default:
		l.call("adopt orphans", unix.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1)
		self := l.call("", unix.SYS_GETPID)
		l.code[self].into = cell{addr: born + 8}
	}
	// The host may have died before the kernel was told to end us with it; then
	// nobody reads this and the keeper ends here.
	l.call("end with the host", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uint64(unix.SIGKILL))
	l.call("report", unix.SYS_WRITE, reportFile, born, recordSize)
	if p.namespaces&unix.CLONE_NEWUSER != 0 {
		l.mapUser(free)
	}
	return p.walls.list(l)
}

// become writes what the fork does until it is the program.
func (p *plan) become(l *listing, own []ownMount) (s steps) {
	l.call("leave the session", unix.SYS_SETSID)
	if p.namespaces == 0 {
		l.call("end with the keeper", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uint64(unix.SIGKILL))
	}
	if p.terminal {
		l.call("take the terminal", unix.SYS_IOCTL, 0, unix.TIOCSCTTY, 0)
	}
	s.folder = l.call("enter the folder", unix.SYS_CHDIR, l.text(p.dir))
	if !p.bare {
		l.renounce()
	}
	if p.rules {
		l.allowOwn(own)
		l.call("restrict files", unix.SYS_LANDLOCK_RESTRICT_SELF, rulesetFile, 0)
		l.call("", unix.SYS_FCNTL, rulesetFile, unix.F_SETFD, unix.FD_CLOEXEC)
	}
	if p.filter != nil {
		l.filter(p.filter)
	}
	l.call("", unix.SYS_FCNTL, reportFile, unix.F_SETFD, unix.FD_CLOEXEC)
	s.program = l.call("start the program", unix.SYS_EXECVE, l.text(p.program), l.vector(p.argv), l.vector(p.env))
	return s
}

// keep writes what the keeper does while the program and its descendants live:
// it takes in whoever ends, reports how the program ended, and leaves last.
func (l *listing) keep(fork int) {
	ended := l.words(recordEnded, 0)
	wait := l.call("", unix.SYS_WAIT4, all, ended+8, unix.WALL, 0)
	isProgram := l.call("", compare, 0, 0)
	l.code[fork].into = arg(isProgram, 1)
	l.code[wait].into = arg(isProgram, 0)
	report := l.call("", unix.SYS_WRITE, reportFile, ended, recordSize)
	leave := l.call("", unix.SYS_EXIT_GROUP, 0)

	l.code[wait].negative = leave // nobody is left to wait for
	l.code[isProgram].negative, l.code[isProgram].zero, l.code[isProgram].positive = wait, report, wait
	l.code[report].negative, l.code[report].zero, l.code[report].positive = leave, wait, wait
}

// end writes the trap.
func (l *listing) end() {
	l.trap = l.try("", unix.SYS_WRITE, reportFile, failedCell, recordSize)
	l.call("", unix.SYS_EXIT_GROUP, 127)
}

// tell reports a record of one word.
func (l *listing) tell(kind uint64) {
	l.call("report", unix.SYS_WRITE, reportFile, l.words(kind, 0), recordSize)
}

// mapUser gives the user namespace our own user and group and no others. free is
// the file number that the kernel will give next. The files are closed again: a
// mount that has a file open for writing cannot be made read-only.
func (l *listing) mapUser(free uint64) {
	user, group := strconv.Itoa(os.Geteuid()), strconv.Itoa(os.Getegid())
	for _, f := range [...]struct{ path, text string }{
		{"/proc/self/setgroups", "deny"},
		{"/proc/self/uid_map", user + " " + user + " 1"},
		{"/proc/self/gid_map", group + " " + group + " 1"},
	} {
		open := l.call("open "+f.path, unix.SYS_OPENAT, here, l.text(f.path), unix.O_WRONLY|unix.O_CLOEXEC, 0)
		isFree := l.call("know the file "+f.path, compare, 0, free)
		l.code[open].into, l.code[isFree].positive = arg(isFree, 0), trap
		l.call("write "+f.path, unix.SYS_WRITE, free, l.text(f.text), uint64(len(f.text)))
		l.call("close "+f.path, unix.SYS_CLOSE, free)
	}
}

// renounced are the capabilities that would let root take the walls down or walk
// around them. What is left is enough to install packages and serve ports.
var renounced = []struct {
	number uint64
	name   string
}{
	{unix.CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, {unix.CAP_SYS_MODULE, "CAP_SYS_MODULE"}, {unix.CAP_SYS_RAWIO, "CAP_SYS_RAWIO"},
	{unix.CAP_SYS_PTRACE, "CAP_SYS_PTRACE"}, {unix.CAP_SYS_BOOT, "CAP_SYS_BOOT"}, {unix.CAP_MKNOD, "CAP_MKNOD"},
	{unix.CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH"}, {unix.CAP_MAC_ADMIN, "CAP_MAC_ADMIN"}, {unix.CAP_MAC_OVERRIDE, "CAP_MAC_OVERRIDE"},
	{unix.CAP_PERFMON, "CAP_PERFMON"}, {unix.CAP_BPF, "CAP_BPF"}, {unix.CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE"},
}

// renounce gives up what no program of the tree shall win again.
func (l *listing) renounce() {
	if os.Geteuid() == 0 {
		for _, c := range renounced {
			l.try("give up a capability", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c.number)
		}
	}
	l.call("give up new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// record reads one record.
func record(b []byte) (kind, value uint64) {
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
}
