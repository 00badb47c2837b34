package sandbox

import (
	"io"
	"os"
	"sync"
	"time"

	"fairlead/fault"
)

// streams are a child's standard files, and what carries bytes between them and
// the readers and writers of its spec.
type streams struct {
	child    [3]*os.File // what it gets as 0, 1 and 2
	theirs   []*os.File  // ends to be closed once it has them
	ours     []*os.File  // ends to be closed when it is over
	copies   []func()    // run from its start on
	copying  sync.WaitGroup
	terminal *Terminal
	node     string // the path of its terminal
}

// connect opens what a spec asks for.
func connect(spec Spec) (_ *streams, err error) {
	s := new(streams)
	defer func() {
		if err != nil {
			s.abandon()
			err = fault.Wrap(fault.Unavailable, "sandbox.start", err, "The child's input and output could not be opened. Nothing was started.")
		}
	}()
	if spec.PTY != nil {
		return s, s.openTerminal(*spec.PTY)
	}
	if s.child[0], err = s.input(spec.Stdin); err != nil {
		return s, err
	}
	if s.child[1], err = s.output(spec.Stdout); err != nil {
		return s, err
	}
	if same(spec.Stdout, spec.Stderr) {
		s.child[2] = s.child[1]
		return s, nil
	}
	s.child[2], err = s.output(spec.Stderr)
	return s, err
}

func (s *streams) openTerminal(size Size) error {
	terminal, slave, err := openTerminal(size)
	if err != nil {
		return err
	}
	s.theirs = append(s.theirs, slave)
	s.child = [3]*os.File{slave, slave, slave}
	s.node = slave.Name()
	s.terminal = terminal
	return nil
}

func (s *streams) input(from io.Reader) (*os.File, error) {
	if from == nil {
		return s.open(os.O_RDONLY)
	}
	if f, ok := from.(*os.File); ok {
		return f, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.theirs, s.ours = append(s.theirs, r), append(s.ours, w)
	s.copies = append(s.copies, func() {
		// Whoever does not read all of its input, or closes it, is within its rights.
		io.Copy(w, from)
		w.Close()
	})
	return r, nil
}

func (s *streams) output(to io.Writer) (*os.File, error) {
	if to == nil {
		return s.open(os.O_WRONLY)
	}
	if f, ok := to.(*os.File); ok {
		return f, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.theirs, s.ours = append(s.theirs, w), append(s.ours, r)
	s.copying.Add(1)
	s.copies = append(s.copies, func() {
		defer s.copying.Done()
		if _, err := io.Copy(to, r); err != nil {
			io.Copy(io.Discard, r) // a writer that has enough must not make the child fail
		}
	})
	return w, nil
}

func (s *streams) open(mode int) (*os.File, error) {
	f, err := os.OpenFile(os.DevNull, mode, 0)
	if err == nil {
		s.theirs = append(s.theirs, f)
	}
	return f, err
}

// started gives the child's ends up, which it now has, and begins to copy.
func (s *streams) started() {
	closeAll(s.theirs)
	for _, copy := range s.copies {
		go copy()
	}
	s.copies = nil
}

// drainGrace is how long output may still come once the tree is gone: only a
// process outside it that was handed the pipe can hold it open.
const drainGrace = time.Second

// finish waits until all output has been written and closes what is ours. A
// terminal stays readable; its owner closes it.
func (s *streams) finish() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.copying.Wait()
	}()
	select {
	case <-written:
	case <-time.After(drainGrace):
	}
	closeAll(s.ours)
	<-written
}

// abandon closes everything of a child that was not started.
func (s *streams) abandon() {
	closeAll(s.theirs)
	closeAll(s.ours)
	if s.terminal != nil {
		s.terminal.Close()
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// same reports whether two writers are one, also where their type cannot be compared.
func same(a, b io.Writer) (is bool) {
	defer func() { recover() }() // comparing such types panics: then they are two
	return a != nil && a == b
}
