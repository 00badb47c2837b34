//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// machines are the kinds of machine that the promises are tried on: this one, and
// this one with something taken away.
func machines(t testing.TB) map[string]func() *ability {
	whole := *newHouse(t, nil).probed()
	with := func(change func(*ability)) func() *ability {
		a := whole
		change(&a)
		return func() *ability { return &a }
	}
	list := map[string]func() *ability{
		"everything": with(func(*ability) {}),
		"no namespaces": with(func(a *ability) {
			a.namespaces, a.processes, a.mounts, a.network = 0, false, false, false
		}),
		"no landlock": with(func(a *ability) { a.landlock = 0 }),
		"no own proc": with(func(a *ability) { a.processes = false }),
	}
	wrapped := with(func(a *ability) {
		a.landlock, a.namespaces, a.processes, a.mounts, a.network = 0, 0, false, false, false
		a.findBubblewrap()
	})
	if wrapped().bubblewrap != "" {
		list["bubblewrap"] = wrapped
	}
	return list
}

func onEveryMachine(t *testing.T, promise func(t *testing.T, s *Spawner)) {
	for name, a := range machines(t) {
		t.Run(name, func(t *testing.T) { promise(t, newHouse(t, a)) })
	}
}

// onEveryKeeper is for promises that depend on how a tree is held, not on its walls.
func onEveryKeeper(t *testing.T, promise func(t *testing.T, s *Spawner)) {
	for name, a := range machines(t) {
		if name == "everything" || name == "no namespaces" || name == "bubblewrap" {
			t.Run(name, func(t *testing.T) { promise(t, newHouse(t, a)) })
		}
	}
}

func newHouse(t testing.TB, a func() *ability) *Spawner {
	s := New(Options{Env: append(os.Environ(), "OPENAI_API_KEY=sk-planted"), Home: t.TempDir()})
	if a != nil {
		s.probed = a
	}
	t.Cleanup(func() { s.Close(time.Second) })
	return s
}

// run is one command and what came of it.
type run struct {
	*Process
	out  *screen
	mark string // in the environment of everything it started
	t    testing.TB
}

// begin starts a bash command with a mark of its own.
func begin(t testing.TB, ctx context.Context, s *Spawner, spec Spec, command string) *run {
	t.Helper()
	r := &run{out: newScreen(), mark: "MARK=" + rand.Text(), t: t}
	spec.Argv = []string{"bash", "-c", command}
	spec.Env = append(spec.Env, r.mark)
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	if spec.PTY == nil {
		spec.Stdout, spec.Stderr = r.out, r.out
	}
	p, err := s.Start(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	r.Process = p
	if spec.PTY != nil {
		go r.out.drain(p.Terminal())
	}
	return r
}

// end waits for the end and wants nothing of it to be left.
func (r *run) end() Exit {
	r.t.Helper()
	exit, err := r.Wait(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	if alive := marked(r.mark); len(alive) > 0 {
		r.t.Errorf("still alive: %q", alive)
	}
	return exit
}

func finish(t testing.TB, s *Spawner, spec Spec, command string) (string, Exit) {
	t.Helper()
	r := begin(t, t.Context(), s, spec, command)
	exit := r.end()
	return r.out.String(), exit
}

// marked lists the living processes that carry a variable.
func marked(pair string) []string {
	var found []string
	for pid := range processes() {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err == nil && bytes.Contains(env, []byte(pair)) {
			if m, _, ok := readMember(pid); ok && m.state != 'Z' {
				found = append(found, m.describe())
			}
		}
	}
	return found
}

// screen collects output and lets a test wait for a word.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed *sync.Cond
	closed  bool
}

func newScreen() *screen {
	s := new(screen)
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *screen) drain(t *Terminal) {
	var b [4096]byte
	for {
		n, err := t.Read(b[:])
		s.Write(b[:n])
		if err != nil {
			s.mu.Lock()
			s.closed = true
			s.changed.Broadcast()
			s.mu.Unlock()
			return
		}
	}
}

// await waits until the output holds a word. The test's own limit ends a wait in vain.
func (s *screen) await(word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), word) && !s.closed {
		s.changed.Wait()
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(path string) bool { return unix.Access(path, unix.F_OK) == nil }
