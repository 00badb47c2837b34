package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Sessions that stream at once, and what each is sent: small pieces at the pace of a
// quick model.
const (
	streams = 50
	pieces  = 200
	pace    = 20 * time.Millisecond
)

// benchWeb starts the page's host and prints how long it takes to answer beside the
// floor's start, what it holds when idle, and what many streaming sessions cost it.
func benchWeb(dir string, programs []program, times int) error {
	floor, product := programs[0], programs[1]
	var answered, began, idle []float64
	for i := range times {
		f, err := measure(floor, work{"one", 1, 4}, filepath.Join(dir, fmt.Sprintf("floor-web-%d", i)))
		if err != nil {
			return err
		}
		h, err := startHost(product.path, filepath.Join(dir, fmt.Sprintf("web-%d", i)), "http://127.0.0.1:9/v1")
		if err != nil {
			return err
		}
		<-time.After(time.Second) // what begins lazily has begun
		rss, err := h.rss()
		if err := errors.Join(err, h.stop()); err != nil {
			return err
		}
		began, answered, idle = append(began, f.first), append(answered, h.answered), append(idle, rss)
	}
	row := func(name, unit string, a, b float64) {
		if a == 0 {
			fmt.Printf("%-9s %-22s %10s %7.1f %-2s\n", "web", name, "", b, unit)
			return
		}
		fmt.Printf("%-9s %-22s %7.1f %-2s %7.1f %-2s %7.2f\n", "web", name, a, unit, b, unit, b/a)
	}
	row("start → HTTP 200", "ms", percentile(began, 50), percentile(answered, 50))
	row("idle RSS", "MB", 0, percentile(idle, 50))
	many, err := measureStreams(product.path, filepath.Join(dir, "streams"))
	if err != nil {
		return err
	}
	row(fmt.Sprintf("RSS for each of %d", streams), "MB", 0, many.each)
	row("delta, p50", "ms", 0, percentile(many.late, 50))
	row("delta, p95", "ms", 0, percentile(many.late, 95))
	return nil
}

// host is a running `fairlead web`.
type host struct {
	cmd      *exec.Cmd
	base     string
	token    string
	answered float64 // ms from its start to the first 200
}

func startHost(path, home, model string) (*host, error) {
	for _, sub := range []string{"home", "work"} {
		if err := os.MkdirAll(filepath.Join(home, sub), 0o700); err != nil {
			return nil, err
		}
	}
	patch := fmt.Sprintf("rows:\n  - id: bench\n    plugin: connection\n    config: {name: bench, wire: chat, baseUrl: %q, default: scripted, prefer: true}\n", model)
	if err := os.WriteFile(filepath.Join(home, "home", "patch.yaml"), []byte(patch), 0o600); err != nil {
		return nil, err
	}
	h := &host{cmd: exec.Command(path, "web", "--no-open", "--addr", "127.0.0.1:0", "--workspace", filepath.Join(home, "work"))}
	h.cmd.Env = append(os.Environ(), "FAIRLEAD_HOME="+filepath.Join(home, "home"))
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the host did not start: %w", err), h.stop())
	}
	_, h.base, _ = strings.Cut(strings.TrimSpace(line), ": ")
	h.base, _, _ = strings.Cut(h.base, "/#")
	res, err := http.Get(h.base + "/")
	if err != nil {
		return nil, errors.Join(err, h.stop())
	}
	_, err = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	h.answered = ms(time.Since(begin))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the page is answered with %s", res.Status)
	}
	token, failed := os.ReadFile(filepath.Join(home, "home", "run", "token"))
	if err := errors.Join(err, failed); err != nil {
		return nil, errors.Join(err, h.stop())
	}
	h.token = strings.TrimSpace(string(token))
	return h, nil
}

func (h *host) stop() error {
	if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if err := h.cmd.Wait(); h.cmd.ProcessState == nil {
		return err
	}
	return nil
}

// rss is what the process holds now, in MB.
func (h *host) rss() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kb), " kB"), 64)
			return n / 1024, err
		}
	}
	return 0, errors.New("the system does not tell the memory of a process")
}

func (h *host) call(method, path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(method, h.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err == nil && res.StatusCode >= 300 {
		text, _ := io.ReadAll(res.Body) // what there is of it explains the status
		res.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	return res, err
}

// streamed is what many streaming sessions cost.
type streamed struct {
	each float64   // MB a session, at the peak
	late []float64 // ms from the model's piece to the viewer's
}

// measureStreams lets every session stream at once, each watched by one viewer. A
// piece carries the time it was written.
func measureStreams(path, home string) (streamed, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return streamed{}, err
	}
	defer listener.Close()
	begin := make(chan struct{})
	go http.Serve(listener, clock(begin))
	h, err := startHost(path, home, "http://"+listener.Addr().String()+"/v1")
	if err != nil {
		return streamed{}, err
	}
	var watched sync.WaitGroup
	var mu sync.Mutex
	var out streamed
	var failed error
	for range streams {
		id, err := h.open()
		if err != nil {
			return out, errors.Join(err, h.stop())
		}
		watched.Go(func() {
			late, err := h.watch(id)
			mu.Lock()
			defer mu.Unlock()
			out.late, failed = append(out.late, late...), errors.Join(failed, err)
		})
	}
	before, err := h.rss()
	if err != nil {
		return out, errors.Join(err, h.stop())
	}
	close(begin)
	done := make(chan struct{})
	go func() { watched.Wait(); close(done) }()
	peak, tick := before, time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			now, err := h.rss()
			if err != nil {
				return out, errors.Join(err, h.stop())
			}
			peak = max(peak, now)
		case <-done:
			running = false
		}
	}
	out.each = (peak - before) / streams
	return out, errors.Join(failed, h.stop())
}

// clock is a model whose replies tell the time once begin is closed.
func clock(begin <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		<-begin
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for range pieces {
			<-tick.C
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"@%d; \"}}]}\n\n", time.Now().UnixNano())
			_ = http.NewResponseController(w).Flush() // a viewer that is gone is told of by its own end
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
}

// open begins a session and sends it a message.
func (h *host) open() (string, error) {
	res, err := h.call("POST", "/api/v1/sessions", map[string]any{})
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var made struct {
		ID string `json:"id"`
	}
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil {
		return "", err
	}
	sent, err := h.call("POST", "/api/v1/sessions/"+made.ID+"/messages", map[string]any{"text": "What time is it?"})
	if err == nil {
		sent.Body.Close()
	}
	return made.ID, err
}

// watch follows a session to the end of its turn and gives how late each piece was.
func (h *host) watch(id string) ([]float64, error) {
	res, err := h.call("GET", "/api/v1/sessions/"+id+"/events?since=0", nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var late []float64
	in := bufio.NewReaderSize(res.Body, 1<<16)
	for live := false; ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return late, fmt.Errorf("the stream of %s ended early: %w", id, err)
		}
		now := time.Now().UnixNano()
		switch name, event := strings.CutPrefix(line, "event: "); {
		case event:
			live = strings.TrimSpace(name) == "live"
		case live && strings.Contains(line, `"delta"`):
			for _, piece := range strings.Split(line, "@")[1:] {
				digits, _, _ := strings.Cut(piece, ";")
				if wrote, err := strconv.ParseInt(digits, 10, 64); err == nil {
					late = append(late, float64(now-wrote)/1e6)
				}
			}
		case strings.Contains(line, `"type":"turn/end"`):
			return late, nil
		}
	}
}
