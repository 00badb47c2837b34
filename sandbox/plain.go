package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"

	"fairlead/fault"
)

// plain starts a child with no wall, in a process group of its own.
func (s *Spawner) plain(ctx context.Context, spec Spec, program string, env []string) (*Process, error) {
	if !spec.Policy.Unconfined && !spec.Policy.everything() {
		return nil, fault.New(fault.Unavailable, "sandbox.start", "This machine cannot confine a child. Nothing was started.").WithCode("no-sandbox")
	}
	cmd := &exec.Cmd{Path: program, Args: spec.Argv, Dir: spec.Dir, Env: env, Stdin: spec.Stdin, Stdout: spec.Stdout, Stderr: spec.Stderr}
	p := &Process{done: make(chan struct{})}
	var err error
	if spec.PTY != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, nil, nil
		var master *os.File
		master, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: spec.PTY.Rows, Cols: spec.PTY.Cols})
		p.terminal = &Terminal{master}
	} else {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.WaitDelay = time.Second
		err = cmd.Start()
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "sandbox.start", err, "The program %s could not be started.", spec.Argv[0])
	}
	p.pid = cmd.Process.Pid
	p.signal = func(sig os.Signal) error {
		n, ok := sig.(syscall.Signal)
		if !ok || errors.Is(syscall.Kill(-p.pid, n), syscall.ESRCH) {
			return fault.New(fault.NotFound, "sandbox.signal", "The child is gone.")
		}
		return nil
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { p.end(spec.grace(), ended) })
	go func() {
		cmd.Wait() // what it says is in ProcessState
		close(ended)
		stop()
		syscall.Kill(-p.pid, syscall.SIGKILL)
		p.exit = exitOf(cmd.ProcessState.Sys().(syscall.WaitStatus))
		p.exit.Stopped = ctx.Err() != nil
		close(p.done)
	}()
	return p, nil
}

// end asks the tree to end, and makes it after the grace.
func (p *Process) end(grace time.Duration, ended <-chan struct{}) {
	p.signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(grace):
		p.signal(syscall.SIGKILL)
	}
}

func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: status.Signal().String()}
	}
	return Exit{Code: status.ExitStatus()}
}
