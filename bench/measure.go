package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"fairlead/llm/scripted"
)

// program is one side of the comparison.
type program struct {
	name, path string
	args       func(base string) []string
}

func build(dir string) ([]program, error) {
	programs := []program{
		{"floor", filepath.Join(dir, "floor"), func(string) []string { return nil }},
		{"fairlead", filepath.Join(dir, "fairlead"), func(base string) []string {
			return []string{"run", "--base-url", base, "--api-key-env", "BENCH_KEY", "--model", "scripted", "--mode", "bypass", "--output", "stream-json", prompt}
		}},
	}
	for i, pkg := range []string{"./bench/floor", "./cmd/fairlead"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", programs[i].path, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
	}
	return programs, nil
}

const prompt = "Run the scripted steps."

// measured is one run.
type measured struct {
	wall, cpu, first float64 // ms
	rss              float64 // MB, of the main process
	steps            []float64
	firstBytes       int64
}

// growth compares ten steps near the end with ten around step 10.
func (m measured) growth() float64 {
	if len(m.steps) < 40 {
		return 0
	}
	early, late := percentile(m.steps[5:15], 50), percentile(m.steps[len(m.steps)-15:len(m.steps)-5], 50)
	return late / early
}

func measure(p program, w work, home string) (measured, error) {
	if err := os.MkdirAll(filepath.Join(home, "work"), 0o700); err != nil {
		return measured{}, err
	}
	model, err := serve(w)
	if err != nil {
		return measured{}, err
	}
	defer model.close()
	args := []string{"version"}
	if w.name != "version" {
		args = p.args(model.base)
	}
	cmd := exec.Command(p.path, args...)
	cmd.Dir = filepath.Join(home, "work")
	cmd.Env = append(os.Environ(), "FAIRLEAD_HOME="+filepath.Join(home, "home"), "BENCH_KEY=none", "BASE_URL="+model.base, "PROMPT="+prompt)
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return measured{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	m := measured{wall: ms(time.Since(begin)), cpu: ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.rss = float64(usage.Maxrss) / 1024
	}
	if w.name == "version" {
		return m, nil
	}
	return m, model.read(&m, begin, w)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// model is the scripted server with a clock on every request.
type model struct {
	base     string
	listener net.Listener
	mu       sync.Mutex
	requests []request
}

type request struct {
	arrived, finished time.Time
	bytes             int64
}

func serve(w work) (*model, error) {
	script, err := scripted.Parse(script(w))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{base: "http://" + listener.Addr().String() + "/v1", listener: listener}
	play := scripted.Handler(script)
	go http.Serve(listener, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			play.ServeHTTP(rw, r)
			return
		}
		record := request{arrived: time.Now(), bytes: r.ContentLength}
		play.ServeHTTP(rw, r)
		record.finished = time.Now()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.requests = append(m.requests, record)
	}))
	return m, nil
}

// script writes the task: so many shell calls, no two alike, then a text.
func script(w work) string {
	var b strings.Builder
	for i := range w.steps {
		fmt.Fprintf(&b, "reply\n  call shell {\"command\":\"true %d\"}\n", i+1)
	}
	b.WriteString("reply\n  piece 8\n  say ")
	for i := range max(w.chunks, 1) {
		fmt.Fprintf(&b, "w%05d, ", i) // eight letters a piece, no two alike: babble is ended
	}
	b.WriteString("\n")
	return b.String()
}

func (m *model) close() { m.listener.Close() }

func (m *model) read(into *measured, begin time.Time, w work) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.requests) != w.steps+1 {
		return fmt.Errorf("made %d requests, the task has %d", len(m.requests), w.steps+1)
	}
	into.first = ms(m.requests[0].arrived.Sub(begin))
	into.firstBytes = m.requests[0].bytes
	for i := 1; i < len(m.requests); i++ {
		into.steps = append(into.steps, ms(m.requests[i].arrived.Sub(m.requests[i-1].finished)))
	}
	return nil
}
