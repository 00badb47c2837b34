package sandbox

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// Process is a running child with everything it started.
type Process struct {
	pid      int
	terminal *Terminal
	tree     tree
	stopped  atomic.Bool   // its context ended
	done     chan struct{} // closed once the whole tree is gone and its output is written
	exit     Exit
}

// tree is what a child and its descendants can be told.
type tree interface {
	// signal reaches all of them; fault.NotFound where there is none.
	signal(os.Signal) error
	// kill ends all of them by force and does not wait.
	kill()
}

// Pid is the id of the process at the root of the child's tree.
func (p *Process) Pid() int { return p.pid }

// Terminal is the other end of the child's terminal; nil where it has none.
func (p *Process) Terminal() *Terminal { return p.terminal }

// Signal sends a signal to the program and everything it started. It fails with
// fault.NotFound once they are gone.
func (p *Process) Signal(s os.Signal) error { return p.tree.signal(s) }

// End asks the program and everything it started to end (TERM), makes them after
// grace (KILL), and returns once they are gone. It may be called at any time, also
// by several.
func (p *Process) End(grace time.Duration) {
	if p.tree.signal(syscall.SIGTERM) == nil {
		select {
		case <-p.done:
			return
		case <-time.After(grace):
		}
	}
	p.tree.kill()
	<-p.done
}

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
