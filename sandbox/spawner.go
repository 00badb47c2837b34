package sandbox

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"fairlead/fault"
)

// Options make a [Spawner].
type Options struct {
	// Env is the environment of this process, of which children get the keep-list.
	Env []string
	// Home is the folder of the product; children are recorded below it, so that the
	// next start finds what a killed one left. Empty: nothing is recorded.
	Home string
	// Log hears of what could not be ended; nil drops it.
	Log *slog.Logger
}

// Spawner is the [Sandbox] of this machine.
type Spawner struct {
	env  []string
	home string
	log  *slog.Logger
}

// New makes the sandbox of this machine.
func New(o Options) *Spawner {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Spawner{env: o.Env, home: o.Home, log: o.Log}
}

// Start is described at [Sandbox].
func (s *Spawner) Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Cancelled, "sandbox.start", err, "Stopped before it started.")
	}
	env := environment(s.env, spec)
	program, err := s.find(spec, env)
	if err != nil {
		return nil, err
	}
	return s.plain(ctx, spec, program, env)
}

// find checks the folder and looks the program up as the child would.
func (s *Spawner) find(spec Spec, env []string) (string, error) {
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return "", fault.New(fault.Invalid, "sandbox.start", "There is no program to start.")
	}
	if !filepath.IsAbs(spec.Dir) {
		return "", fault.New(fault.Invalid, "sandbox.start", "The working folder %q is not an absolute path. Nothing was started.", spec.Dir)
	}
	switch info, err := os.Stat(spec.Dir); {
	case err != nil:
		return "", fault.Wrap(fault.NotFound, "sandbox.start", err, "The working folder %s is not there. Nothing was started.", spec.Dir).WithCode("no-folder")
	case !info.IsDir():
		return "", fault.New(fault.Invalid, "sandbox.start", "%s is not a folder. Nothing was started.", spec.Dir).WithCode("no-folder")
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
	return "", fault.New(fault.NotFound, "sandbox.start", "The program %s is not installed, or not on the PATH. Nothing was started.", name).WithCode("no-program")
}

// Probe is described at [Sandbox].
func (s *Spawner) Probe() Report { return Report{Reasons: []string{"no confinement is built in yet"}} }
