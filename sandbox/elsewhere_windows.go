package sandbox

import (
	"os"
	"syscall"

	"fairlead/fault"
)

func groupLeader(bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func (g group) signal(os.Signal) error {
	if g.leader.Kill() == nil { // there is no softer way
		return nil
	}
	return fault.New(fault.NotFound, "sandbox.signal", "The child is gone.")
}

func (g group) kill() { g.leader.Kill() }

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
