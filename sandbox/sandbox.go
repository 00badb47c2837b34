package sandbox

import (
	"context"
	"io"
	"slices"
	"time"
)

// Sandbox starts child processes. It is the only way to start one: os/exec is
// used nowhere else.
type Sandbox interface {
	// Start runs a program under a policy. The whole process tree that comes of it,
	// double-forked children included, is ended when ctx ends: TERM, then KILL
	// after spec.Grace. It fails with fault.Unavailable where the policy cannot be
	// enforced on this machine, and never runs a child with less than was asked.
	Start(ctx context.Context, spec Spec) (*Process, error)
	// Probe says what this machine can enforce.
	Probe() Report
}

// Spec is one child to start.
type Spec struct {
	// Argv is the program and its arguments; Argv[0] is looked up on the child's PATH.
	Argv []string
	// Dir is the working folder, absolute.
	Dir string
	// Env are variables set on top of the keep-list, which is all a child gets of
	// ours; "NAME=value". Unset takes names off the keep-list for this child.
	Env   []string
	Unset []string
	// Stdin is closed (null) where nil.
	Stdin io.Reader
	// Stdout and Stderr may be the same writer; then their order is the order of writes.
	Stdout, Stderr io.Writer
	// PTY gives the child a terminal of this size instead of pipes; Stdin and
	// Stderr are then unused and [Process.Terminal] is the other end.
	PTY    *Size
	Policy Policy
	// Temp names a folder for temporary files that all children of that name share:
	// they may change it whatever their policy says, find it as TMPDIR, and it is
	// gone with the [Spawner]. Where it is empty, a confined child has a temporary
	// file system in memory for itself.
	Temp string
	// Ready, where it is set, is called when everything is prepared and nothing of the
	// program has begun; its error gives the start up, and is the error of Start.
	Ready func() error
	// Grace is the time between TERM and KILL when ctx ends; 0 means 1 s.
	Grace time.Duration
	// Label names the child in reports of leftovers: a call id, a server's name.
	Label string
}

// Size of a terminal in character cells.
type Size struct{ Rows, Cols uint16 }

// Policy is what a child may do. The zero Policy may look at everything and
// change nothing, without a network: the tightest.
type Policy struct {
	// Write are the folders it may change, absolute; "/" is everything.
	Write []string
	// Deny are paths inside Write that stay read-only (protected paths), where this
	// machine can hold them (Report.Protected). A path that is not there cannot be
	// held: Exit.Appeared names it where it came into being meanwhile.
	Deny []string
	// Network is open where true; otherwise there is none, loopback included.
	Network bool
	// Unconfined runs the child with no wall at all. Only the mode that a person
	// chose for that ("bypass"), or a machine that can enforce nothing, sets it.
	Unconfined bool
}

// Wide reports whether the policy lets a child write everywhere.
func (p Policy) Wide() bool { return slices.Contains(p.Write, "/") }

// everything reports whether the policy holds nothing back.
func (p Policy) everything() bool { return p.Network && len(p.Deny) == 0 && p.Wide() }

func (s Spec) grace() time.Duration {
	if s.Grace <= 0 {
		return time.Second
	}
	return s.Grace
}

// Exit is how a child ended. Code is its exit code, 128+n after signal n, as
// shells say it; Signal is that signal's name. Left names what it left running at
// its normal end; those were ended too.
type Exit struct {
	Code   int      `json:"code"`
	Signal string   `json:"signal,omitempty"`
	Left   []string `json:"left,omitempty"`
	// Appeared are paths of Policy.Deny that were not there at the start and are now.
	// Whoever made them, they are to be looked at before anything trusts them.
	Appeared []string `json:"appeared,omitempty"`
	// Stopped is true where ctx ended it.
	Stopped bool `json:"stopped,omitempty"`
}

// Report says what can be enforced here, for doctor and for the modes.
type Report struct {
	// Files is how writes are confined: "landlock" (with mounts where they can be
	// had), "mounts", "bubblewrap" or "" for not at all.
	Files       string `json:"files"`
	LandlockABI int    `json:"landlockAbi,omitempty"`
	// Protected is how paths inside a writable folder are held: "mounts", "bubblewrap" or "".
	Protected string `json:"protected"`
	// Network is how it is cut off: "namespace", "seccomp" (no socket can be made),
	// "bubblewrap" or "".
	Network string `json:"network"`
	// Trees is how whole trees are ended: "pidns", "subreaper" or "group".
	Trees string `json:"trees"`
	// Reasons explains each thing that is missing and how to get it.
	Reasons []string `json:"reasons,omitempty"`
}

// Confines reports whether a look-only policy can be enforced.
func (r Report) Confines() bool { return r.Files != "" && r.Network != "" }
