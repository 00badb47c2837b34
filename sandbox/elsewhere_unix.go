//go:build unix && !(linux && (amd64 || arm64))

package sandbox

import (
	"os"
	"syscall"

	"fairlead/fault"
)

func groupLeader(terminal bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: terminal}
}

func (g group) signal(s os.Signal) error {
	if n, ok := s.(syscall.Signal); ok && syscall.Kill(-g.leader.Pid, n) == nil {
		return nil
	}
	return fault.New(fault.NotFound, "sandbox.signal", "The child is gone.")
}

func (g group) kill() { syscall.Kill(-g.leader.Pid, syscall.SIGKILL) }

func exitOf(state *os.ProcessState) Exit {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: status.Signal().String()}
	}
	return Exit{Code: state.ExitCode()}
}
