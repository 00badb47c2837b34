package toolbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// A terminal is a job on a real PTY: a shell, or a program that wants to talk to a
// person. What is typed into it and what it shows is all there is.

const (
	terminalRows, terminalCols = 40, 160
	// settled is how long nothing may be shown before a shell that has the terminal
	// counts as ready, and silence before any other program counts as waiting.
	settled = 60 * time.Millisecond
	silence = time.Second
	// terminalWait is how long a call waits for that where it does not say.
	terminalWait = 10 * time.Second
)

// terminalState is what a job has besides where it is a terminal.
type terminalState struct {
	tty   *sandbox.Terminal
	shown chan struct{} // holds a token whenever something was shown
	read  chan struct{} // closed once all was read

	mu   sync.Mutex
	home int // the group of the shell, which has the terminal when it is ready; 0 for a program
}

// openTerminal starts a terminal as a job: a shell where command is empty.
func (j *jobs) openTerminal(ctx context.Context, call *tool.Call, command, folder string) (*job, error) {
	spec := child(call, command, folder)
	spec.PTY = &sandbox.Size{Rows: terminalRows, Cols: terminalCols}
	spec.Env = slices.Concat(spec.Env, []string{"HISTFILE=/dev/null", "PS1=$ "})
	isShell := command == ""
	if isShell {
		command, spec.Argv = "bash", []string{"bash", "--noprofile", "--norc", "-i"}
	}
	out := newOutput(nil)
	state := &terminalState{shown: make(chan struct{}, 1), read: make(chan struct{})}
	o, err := j.start(ctx, call, kindTerminal, command, spec, out, state)
	if err != nil {
		out.close()
		return nil, err
	}
	if isShell {
		o.ready(ctx, terminalWait)
		state.atHome()
	}
	return o, nil
}

// pump takes what the terminal shows until nobody holds it any more.
func (s *terminalState) pump(out *output) {
	defer close(s.read)
	var b [32 << 10]byte
	for {
		n, err := s.tty.Read(b[:])
		if n > 0 {
			out.Write(b[:n]) // it never fails
			select {
			case s.shown <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// close hangs up once everything that was shown has been read.
func (s *terminalState) close() {
	select {
	case <-s.read:
	case <-time.After(time.Second): // a process outside the tree was handed the terminal
	}
	s.tty.Close() // reading has ended, so nothing is lost with it
	<-s.read
}

// atHome remembers who has the terminal now as its shell.
func (s *terminalState) atHome() {
	if pid, _, err := s.tty.Foreground(); err == nil {
		s.mu.Lock()
		s.home = pid
		s.mu.Unlock()
	}
}

// idle reports whether the shell itself has the terminal.
func (s *terminalState) idle() bool {
	s.mu.Lock()
	home := s.home
	s.mu.Unlock()
	pid, _, err := s.tty.Foreground()
	return err == nil && pid == home
}

// ready waits until the shell has the terminal again, or what runs there shows
// nothing more and so waits for input, or a time is over, or it has ended.
func (o *job) ready(ctx context.Context, wait time.Duration) {
	o.wait(1)
	defer o.wait(-1)
	limit := time.NewTimer(wait)
	defer limit.Stop()
	quiet := time.NewTimer(settled)
	defer quiet.Stop()
	since := time.Now()
	for {
		select {
		case <-o.term.shown:
			since = time.Now()
			quiet.Reset(settled)
		case <-quiet.C:
			if o.term.idle() || time.Since(since) >= silence {
				return
			}
			quiet.Reset(settled)
		case <-o.done:
			return
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// status of a terminal says who has it.
func (o *job) terminalStatus() string {
	if o.over() {
		return o.status()
	}
	_, name, err := o.term.tty.Foreground()
	switch {
	case o.term.idle():
		return "ready"
	case err != nil || name == "":
		return "running"
	}
	return name + " runs"
}

// lines of an answer about a terminal.
func (o *job) screen(title string) (*tool.Result, error) {
	text, err := o.unread()
	if err != nil {
		return nil, err
	}
	return o.answer(title, text, o.terminalStatus()), nil
}

// terminals lists those of a session that this process holds.
func (j *jobs) terminals(log *session.Log) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []string
	if d := j.desks[log.ID()]; d != nil {
		for _, o := range d.jobs {
			if o.term != nil {
				lines = append(lines, fmt.Sprintf("%s: %s (%s)", o.Job, presentCommand(o.Command).What, o.terminalStatus()))
			}
		}
	}
	return lines
}
