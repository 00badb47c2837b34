//go:build linux

package crash_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
)

// headless is a running `fairlead run` with what it printed.
type headless struct {
	w     *work
	cmd   *exec.Cmd
	lines []line
	// result is the last line, where it came to that.
	result *struct {
		SessionID string `json:"sessionId"`
		Reason    string `json:"reason"`
		Text      string `json:"text"`
	}
	errs *lockedBuffer
	dead chan struct{} // closed once the process has been waited for
}

// headless starts a run that makes a session of its own.
func (p *place) headless(w *work, progress func(kind string)) *headless {
	p.t.Helper()
	r := &headless{w: w, errs: &lockedBuffer{}, dead: make(chan struct{}),
		cmd: p.command("run", "--output", "stream-json", "--base-url", p.model, "--model", "scripted", "--mode", "bypass", "--workspace", p.work, w.text)}
	r.cmd.Stderr = r.errs
	stdout, err := r.cmd.StdoutPipe()
	check(p.t, err)
	check(p.t, r.cmd.Start())
	p.t.Cleanup(r.kill)
	go func() {
		defer close(r.dead)
		in := bufio.NewReader(stdout)
		for {
			text, err := in.ReadString('\n')
			if err != nil {
				break // a line that did not come whole was not printed
			}
			r.read(p, text)
			progress("line")
		}
		_ = r.cmd.Wait() // its end is judged by what it printed
	}()
	return r
}

func (r *headless) read(p *place, text string) {
	var e line
	switch err := json.Unmarshal([]byte(text), &e); {
	case err != nil:
		p.t.Errorf("run printed %q: %v", text, err)
	case e.Type == "result":
		if err := json.Unmarshal([]byte(text), &r.result); err != nil {
			p.t.Errorf("run printed %q: %v", text, err)
		}
	case e.Seq > 0:
		r.lines = append(r.lines, e)
	}
}

// kill is kill -9. It returns once the process is gone.
func (r *headless) kill() {
	_ = r.cmd.Process.Kill() // it may be gone
	<-r.dead
}

// ledger finds the session of a run that is dead and enters what was printed. It
// gives nil where nothing was.
func (r *headless) ledger(p *place, among []string) *seen {
	if len(r.lines) == 0 {
		return nil
	}
	first := r.lines[0]
	for _, id := range among {
		l, err := p.readLog(id)
		if err != nil && l == nil || !slices.ContainsFunc(l.lines, func(e line) bool { return e.Hash == first.Hash }) {
			continue
		}
		s := newSeen(p.t, id)
		s.first, s.last = first.Seq, first.Seq-1
		for _, e := range r.lines {
			s.shown(e)
		}
		s.work = []*work{r.w}
		if r.result != nil && (r.result.SessionID != id || !strings.Contains(string(l.bytes), r.result.Text)) {
			s.complain("run told the result %+v, which is not in its log", *r.result)
		}
		return s
	}
	p.t.Errorf("run printed %d events, and no session holds the first of them (%s)", len(r.lines), first.Type)
	return nil
}
