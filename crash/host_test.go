//go:build linux

package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long anything may take before it counts as stuck.
const patience = time.Minute

// binary builds the real program once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fairlead-crash-bin")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "fairlead")
	if out, err := exec.Command("go", "build", "-o", path, "fairlead/cmd/fairlead").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// place is a home with a folder to work in, and the model that its hosts ask.
type place struct {
	t     testing.TB
	home  string
	work  string
	model string // the base URL of a model's server
}

func newPlace(t testing.TB, model string) *place {
	t.Helper()
	temp, err := os.MkdirTemp("", "fairlead-crash")
	check(t, err)
	root, err := filepath.EvalSymlinks(temp)
	check(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what was found is kept in %s", root)
		} else if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	p := &place{t: t, home: filepath.Join(root, "home"), work: filepath.Join(root, "work"), model: model}
	check(t, os.MkdirAll(p.home, 0o700))
	check(t, os.MkdirAll(p.work, 0o755))
	p.connect()
	return p
}

// connect makes the model the default of this home.
func (p *place) connect() {
	p.t.Helper()
	patch := fmt.Sprintf("rows:\n  - id: crash-model\n    plugin: connection\n    config: {name: crash, wire: chat, baseUrl: %q, default: scripted, prefer: true}\n", p.model)
	check(p.t, os.WriteFile(filepath.Join(p.home, "patch.yaml"), []byte(patch), 0o600))
}

// command is the program with this home.
func (p *place) command(args ...string) *exec.Cmd {
	p.t.Helper()
	path, err := binary()
	check(p.t, err)
	cmd := exec.Command(path, args...)
	cmd.Dir = filepath.Dir(p.home) // what stands in p.work is a child's
	cmd.Env = []string{"HOME=" + filepath.Dir(p.home), "FAIRLEAD_HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
	return cmd
}

// run runs the program to its end and gives what it said and its exit code.
func (p *place) run(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// host is a running `fairlead web`.
type host struct {
	t      testing.TB
	cmd    *exec.Cmd
	addr   string
	token  string
	client *http.Client
	errs   *lockedBuffer
	ready  chan string   // gets the start line
	dead   chan struct{} // closed once the process has been waited for
}

// launch runs the program and does not wait for it.
func (p *place) launch() *host {
	p.t.Helper()
	h := &host{t: p.t, cmd: p.command("web", "--no-open", "--addr", "127.0.0.1:0", "--workspace", p.work), errs: &lockedBuffer{}, ready: make(chan string, 1), dead: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	h.cmd.Stderr = h.errs
	stdout, err := h.cmd.StdoutPipe()
	check(p.t, err)
	check(p.t, h.cmd.Start())
	p.t.Cleanup(h.kill)
	go func() {
		text, _ := bufio.NewReader(stdout).ReadString('\n') // an early end shows as an empty line
		h.ready <- text
		_, _ = io.Copy(io.Discard, stdout)
		_ = h.cmd.Wait() // it was killed
		close(h.dead)
	}()
	return h
}

// start runs the program until its start line.
func (p *place) start() *host {
	p.t.Helper()
	h := p.launch()
	select {
	case text := <-h.ready:
		_, link, ok := strings.Cut(strings.TrimSpace(text), "ready: http://")
		if !ok {
			p.t.Fatalf("the start line is %q\n%s", text, h.errs)
		}
		h.addr, _, _ = strings.Cut(link, "/#")
	case <-time.After(patience):
		p.t.Fatalf("the host did not start\n%s", h.errs)
	}
	token, err := os.ReadFile(filepath.Join(p.home, "run", "token"))
	check(p.t, err)
	h.token = strings.TrimSpace(string(token))
	return h
}

// kill is kill -9. It returns once the process is gone.
func (h *host) kill() {
	_ = h.cmd.Process.Kill() // it may be gone
	<-h.dead
	h.client.CloseIdleConnections()
}

// request makes a request that ends with the host.
func (h *host) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(text)
	}
	q, err := http.NewRequestWithContext(ctx, method, "http://"+h.addr+path, r)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Authorization", "Bearer "+h.token)
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	return q, nil
}

// refused is an answer other than success.
type refused struct {
	status int
	body   string
}

func (r *refused) Error() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// call asks the host and decodes its answer into out where that is not nil.
func (h *host) call(method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	q, err := h.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	res, err := h.client.Do(q)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return &refused{res.StatusCode, string(text)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// isDead reports whether the process has ended.
func (h *host) isDead() bool {
	select {
	case <-h.dead:
		return true
	default:
		return false
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lockedBuffer is a buffer that is written and read by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
