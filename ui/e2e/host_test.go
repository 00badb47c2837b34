package e2e_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// binary builds the real program once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fairlead-e2e-bin")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "fairlead")
	out, err := exec.Command("go", "build", "-o", path, "fairlead/cmd/fairlead").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return path, err
})

// host is a running Fairlead with the demo's model and a home of its own.
type host struct {
	t    testing.TB
	home string
	addr string // host:port, kept over restarts
	link string // the start line's address, with its token
	cmd  *exec.Cmd
}

// demo starts the real binary; it ends with the test.
func demo(t testing.TB) *host {
	t.Helper()
	h := &host{t: t, home: t.TempDir(), addr: "127.0.0.1:0"}
	h.start()
	t.Cleanup(h.stop)
	return h
}

// start runs the binary and reads the line it prints once it answers.
func (h *host) start() {
	h.t.Helper()
	path, err := binary()
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	h.cmd = exec.Command(path, "web", "--demo", "--no-open", "--addr", h.addr)
	h.cmd.Env = append(os.Environ(), "FAIRLEAD_HOME="+h.home, "HOME="+h.home)
	h.cmd.Stderr = os.Stderr
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(stdout).ReadString('\n') // an early end shows as an empty line
		line <- text
	}()
	select {
	case text := <-line:
		_, link, ok := strings.Cut(strings.TrimSpace(text), "ready: ")
		if !ok {
			h.t.Fatalf("the start line is %q", text)
		}
		h.link = link
		h.addr = strings.TrimPrefix(link[:strings.Index(link, "/#")], "http://")
	case <-ctx.Done():
		h.t.Fatal("the host did not start")
	}
}

// stop ends the host as Ctrl-C would.
func (h *host) stop() {
	if h.cmd == nil {
		return
	}
	_ = h.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	_ = h.cmd.Wait()
	h.cmd = nil
}

// kill ends the host as a crash would: nothing is said and nothing is settled.
func (h *host) kill() {
	h.t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	_ = h.cmd.Wait() // it reports the kill
	h.cmd = nil
}

// signIn opens the start link in a new tab.
func (h *host) signIn(width, height int64) *page {
	h.t.Helper()
	p := openTab(h.t, width, height)
	p.open(h.link)
	p.wait(`document.querySelector('[data-composer]')`)
	p.watch()
	return p
}

// another opens a second tab that shares what the first one stored.
func (h *host) another(first *page) *page {
	h.t.Helper()
	ctx, cancel := chromedp.NewContext(first.ctx)
	h.t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		h.t.Fatal(err)
	}
	p := &page{t: h.t, ctx: ctx}
	p.do(chromedp.EmulateViewport(1280, 900))
	return p
}

func (h *host) url(path string) string { return "http://" + h.addr + path }
