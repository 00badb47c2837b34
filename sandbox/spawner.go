package sandbox

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fairlead/fault"
)

// Options make a [Spawner].
type Options struct {
	// Env is the environment of this process, of which children get the keep-list.
	Env []string
	// Home is the folder of the product; that this process has children is recorded
	// below it, so that the next start finds what a killed one left. Empty: nothing
	// is recorded, and [Spawner.Reclaim] finds nothing.
	Home string
	// Log hears of what could not be ended; nil drops it.
	Log *slog.Logger
}

// Spawner is the [Sandbox] of this machine.
type Spawner struct {
	env    []string
	home   string
	log    *slog.Logger
	thread thread

	// mark is in the environment of every child, whatever else it gets.
	mark     string
	children atomic.Int64
	record   sync.Once
	probed   func() *ability
	presence presence
	living   sync.Map // *Process → struct{}
}

// New makes the sandbox of this machine. It starts nothing; close it to end what
// it started.
func New(o Options) *Spawner {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Spawner{env: o.Env, home: o.Home, log: o.Log, mark: rand.Text()}
	s.probed = sync.OnceValue(s.probe)
	return s
}

// Start is described at [Sandbox].
func (s *Spawner) Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Cancelled, "sandbox.start", err, "Stopped before it started.")
	}
	temp, err := s.temp(spec)
	if err != nil {
		return nil, err
	}
	env := environment(s.env, spec, temp)
	program, err := find(spec, env)
	if err != nil {
		return nil, err
	}
	s.record.Do(s.recordHost)
	return s.start(ctx, spec, program, temp, env)
}

// Close ends every child, TERM and after grace KILL, and returns once they are gone.
func (s *Spawner) Close(grace time.Duration) {
	var ending sync.WaitGroup
	s.living.Range(func(p, _ any) bool {
		ending.Go(func() { p.(*Process).End(grace) })
		return true
	})
	ending.Wait()
	s.thread.end()
	if err := removeScratch(s.scratch()); err != nil {
		s.log.Warn("temporary files of children stay behind", "error", err)
	}
	s.forgetHost()
}

// markName is the variable that says whose child a process is.
const markName = "FAIRLEAD_CHILD"

// markChild makes the mark of one more child.
func (s *Spawner) markChild() string {
	return s.mark + "." + strconv.FormatInt(s.children.Add(1), 10)
}

// find checks the folder and looks the program up as the child would.
func find(spec Spec, env []string) (string, error) {
	const op = "sandbox.start"
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return "", fault.New(fault.Invalid, op, "There is no program to start.")
	}
	if !filepath.IsAbs(spec.Dir) {
		return "", fault.New(fault.Invalid, op, "The working folder %q is not an absolute path. Nothing was started.", spec.Dir).WithCode("no-folder")
	}
	switch info, err := os.Stat(spec.Dir); {
	case err != nil:
		return "", fault.Wrap(fault.NotFound, op, err, "The working folder %s is not there. Nothing was started.", spec.Dir).WithCode("no-folder")
	case !info.IsDir():
		return "", fault.New(fault.Invalid, op, "%s is not a folder. Nothing was started.", spec.Dir).WithCode("no-folder")
	}
	for _, text := range append(spec.Argv, env...) {
		if strings.ContainsRune(text, 0) {
			return "", fault.New(fault.Invalid, op, "The command holds a NUL character, which no program can be given. Nothing was started.")
		}
	}
	name := spec.Argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(spec.Dir, name)
		}
		return name, nil
	}
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a program of the working folder is named as one: ./name
		}
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fault.New(fault.NotFound, op, "The program %s is not installed, or not on the PATH. Nothing was started.", name).WithCode("no-program")
}
