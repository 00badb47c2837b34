package sandbox

import (
	"context"
	"os"
)

// Process is a running child with everything it started.
type Process struct {
	pid      int
	terminal *Terminal
	// signal reaches the program and what it started; it is given by whoever started them.
	signal func(os.Signal) error
	done   chan struct{} // closed once the whole tree is gone and its output is written
	exit   Exit
}

// Pid is the process id of the program as this machine counts.
func (p *Process) Pid() int { return p.pid }

// Terminal is the other end of the child's terminal; nil where it has none.
func (p *Process) Terminal() *Terminal { return p.terminal }

// Signal sends a signal to the program and everything it started. It fails with
// fault.NotFound once they are gone.
func (p *Process) Signal(s os.Signal) error { return p.signal(s) }

// Done is closed once the program and everything it started are gone and all
// their output is written.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait returns how the program ended, once [Process.Done] is closed, or the
// error of ctx, which ends the waiting and not the child.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}
