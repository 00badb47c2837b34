//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// start runs a program under its policy.
func (s *Spawner) start(ctx context.Context, spec Spec, program, temp string, env []string) (*Process, error) {
	streams, err := connect(spec)
	if err != nil {
		return nil, err
	}
	p, err := s.begin(ctx, spec, program, temp, env, streams)
	if err != nil {
		streams.abandon()
		return nil, err
	}
	return p, nil
}

func (s *Spawner) begin(ctx context.Context, spec Spec, program, temp string, env []string, streams *streams) (*Process, error) {
	plan, rules, err := s.plan(spec, program, streams.node, temp)
	if err != nil {
		return nil, err
	}
	mark := s.markChild()
	plan.env = append(env, markName+"="+mark)
	plan.extra = rules != nil
	list, steps := plan.list()
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "sandbox.start", err, "No pipe could be made for the child. Nothing was started.")
	}
	files := append(streams.child[:], in)
	if rules != nil {
		defer rules.Close()
		files = append(files, rules)
	}
	var word *os.File
	if plan.held {
		var pipe *os.File
		if pipe, word, err = os.Pipe(); err != nil {
			return nil, errors.Join(fault.Wrap(fault.Unavailable, "sandbox.start", err, "No pipe could be made for the child. Nothing was started."), in.Close(), out.Close())
		}
		defer pipe.Close()
		defer word.Close()
		files = append(files, pipe)
	}
	first, err := s.launch(list, files, plan.direct())
	in.Close()
	streams.started()
	if err != nil {
		out.Close()
		return nil, err
	}
	t := &kept{namespaced: plan.namespaces != 0, wrapped: plan.wrapped, reports: reporting{list: list, from: out}, silent: make(chan struct{})}
	if plan.held {
		if err := spec.Ready(); err != nil {
			word.Close()
			_ = t.settle(first) // it ends without having begun
			out.Close()
			return nil, err
		}
		word.Write([]byte("go")) // where this fails, its report says why
	}
	if err := t.settle(first); err != nil {
		out.Close()
		return nil, startError(err, steps, spec)
	}
	p := &Process{pid: t.keeper.Pid, terminal: streams.terminal, tree: t, done: make(chan struct{})}
	s.watch(ctx, p, t, spec, streams, plan.missing, mark)
	return p, nil
}

// watch follows a child to its end.
func (s *Spawner) watch(ctx context.Context, p *Process, t *kept, spec Spec, streams *streams, missing []string, mark string) {
	s.living.Store(p, struct{}{})
	stop := context.AfterFunc(ctx, func() {
		p.stopped.Store(true)
		p.End(spec.grace())
	})
	go func() {
		exit, told := t.follow(&p.stopped, p.End)
		stop()
		if !told && !t.namespaced {
			s.endMarked(mark, 0) // the keeper was killed, so its orphans are on their own
		}
		streams.finish()
		exit.Appeared = s.presence.look().present(missing)
		p.exit = exit
		s.living.Delete(p)
		close(p.done)
	}()
}

// launch starts the machine with a listing, in new namespaces, on the thread that the
// kernel ties the keeper's life to.
func (s *Spawner) launch(l *listing, files []*os.File, namespaces uint64) (*os.Process, error) {
	program, err := l.program()
	if err != nil {
		return nil, err
	}
	file, err := program.load(above(files))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// A group of its own keeps the terminal's signals away. A session would too, but
	// Linux schedules each session on its own (autogroup): every step that the keeper
	// and this process take in turn would wait behind the others' work.
	attr := &os.ProcAttr{Dir: "/", Env: []string{markName + "=" + s.mark}, Files: files, Sys: &syscall.SysProcAttr{Setpgid: true, Cloneflags: uintptr(namespaces)}}
	var first *os.Process
	s.thread.do(func() {
		first, err = os.StartProcess("/proc/self/fd/"+strconv.Itoa(int(file.Fd())), []string{"fairlead-keeper"}, attr)
	})
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "sandbox.start", err, "No process could be started.")
	}
	return first, nil
}

// above gives a file number that starting a process with these files leaves alone:
// Go moves files out of each other's way to the numbers right behind the highest.
func above(files []*os.File) int {
	highest := 0
	for _, f := range files {
		highest = max(highest, int(f.Fd()))
	}
	return highest + 2*len(files) + 2
}

// reporting reads what the keeper tells.
type reporting struct {
	list *listing
	from *os.File
}

// failure is an instruction that failed in the child.
type failure struct {
	step  int
	what  string
	errno syscall.Errno
}

func (f *failure) Error() string { return f.what + ": " + f.errno.Error() }
func (f *failure) Unwrap() error { return f.errno }

// next waits for a record. It fails with a [failure], or io.EOF once the keeper is gone.
func (r *reporting) next() (kind, value uint64, err error) {
	var b [recordSize]byte
	if _, err := io.ReadFull(r.from, b[:]); err != nil {
		return 0, 0, io.EOF
	}
	kind, value = record(b[:])
	if i, ok := r.list.index(kind); ok {
		return 0, 0, &failure{i, r.list.code[i].what, syscall.Errno(-int64(value))}
	}
	return kind, value, nil
}

// settle waits until the program runs. first is the process that was launched; it
// is the keeper, or ends once it has made it.
func (t *kept) settle(first *os.Process) error {
	for {
		kind, value, err := t.reports.next()
		switch {
		case err != nil:
			first.Wait() // the reason is err
			if t.keeper != nil && t.keeper != first {
				t.keeper.Wait()
			}
			return err
		case kind == recordBorn && (value == 0 || int(value) == first.Pid):
			t.keeper = first
		case kind == recordBorn:
			first.Wait()                               // it has nothing left to do but end
			t.keeper, err = os.FindProcess(int(value)) // our own child: it cannot be gone
			if err != nil {
				return err
			}
		case kind == recordRunning:
			return nil
		}
	}
}

// startError gives a failed step its meaning.
func startError(err error, s steps, spec Spec) error {
	const op = "sandbox.start"
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return fault.Wrap(fault.Unavailable, op, err, "The program %s ended before it began.", spec.Argv[0])
	}
	switch {
	case f.step == s.folder:
		return fault.Wrap(fault.NotFound, op, err, "The working folder %s cannot be entered (%v). Nothing was started.", spec.Dir, f.errno).WithCode("no-folder")
	case f.step == s.program && f.errno == unix.E2BIG:
		return fault.Wrap(fault.TooLarge, op, err, "The command is longer than this system allows. Nothing was started. Put it into a file and run that.")
	case f.step == s.program && f.errno == unix.ENOEXEC:
		return fault.Wrap(fault.Invalid, op, err, "%s is not a program: it has no known format and no #! line. Nothing was started.", spec.Argv[0]).WithCode("no-program")
	case f.step == s.program:
		return fault.Wrap(fault.NotFound, op, err, "The program %s could not be started (%v).", spec.Argv[0], f.errno).WithCode("no-program")
	}
	return fault.Wrap(fault.Unavailable, op, err, "The child's limits could not be set (%v). Nothing was started.", f)
}
