//go:build !(linux && (amd64 || arm64))

package sandbox

import (
	"context"
	"os"
	"os/exec"

	"fairlead/fault"
)

// ability is nothing: on this system a child can be started and ended, not confined.
type ability struct{}

func (s *Spawner) probe() *ability { return &ability{} }

func (s *Spawner) temp(spec Spec) (string, error) {
	if spec.Temp == "" {
		return "", nil
	}
	return s.scratchFor(spec.Temp)
}

// Probe is described at [Sandbox].
func (s *Spawner) Probe() Report {
	return Report{Trees: "group", Reasons: []string{
		"On this system commands cannot be confined: there is no backend for it yet. A process that leaves its group outlives its command.",
	}}
}

// start runs a program in a process group of its own, where the policy asks for no wall.
func (s *Spawner) start(ctx context.Context, spec Spec, program, _ string, env []string) (*Process, error) {
	if !spec.Policy.Unconfined && !spec.Policy.everything() {
		return nil, fault.New(fault.Unavailable, "sandbox.start", "This system cannot confine a child. Nothing was started. `fairlead doctor` says more.").WithCode("no-sandbox")
	}
	streams, err := connect(spec)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: program, Args: spec.Argv, Dir: spec.Dir, Env: append(env, markName+"="+s.markChild())}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.child[0], streams.child[1], streams.child[2]
	cmd.SysProcAttr = groupLeader(spec.PTY != nil)
	if spec.Ready != nil {
		if err := spec.Ready(); err != nil {
			streams.abandon()
			return nil, err
		}
	}
	err = cmd.Start()
	streams.started()
	if err != nil {
		streams.abandon()
		return nil, fault.Wrap(fault.Unavailable, "sandbox.start", err, "The program %s could not be started.", spec.Argv[0]).WithCode("no-program")
	}
	p := &Process{pid: cmd.Process.Pid, terminal: streams.terminal, tree: group{cmd.Process}, done: make(chan struct{})}
	s.living.Store(p, struct{}{})
	stop := context.AfterFunc(ctx, func() {
		p.stopped.Store(true)
		p.End(spec.grace())
	})
	go func() {
		cmd.Wait() // how it ended is in its state
		stop()
		p.tree.kill()
		streams.finish()
		p.exit = exitOf(cmd.ProcessState)
		p.exit.Stopped = p.stopped.Load()
		s.living.Delete(p)
		close(p.done)
	}()
	return p, nil
}

// group is a process with those that stay in its group.
type group struct{ leader *os.Process }

var _ tree = group{}
