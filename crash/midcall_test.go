//go:build linux

package crash_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestARunKilledInTheMiddleOfAShellCallGoesOn is what a person does whose machine
// went away while a command ran: ask for the session, read what became of it, and
// send the next message.
func TestARunKilledInTheMiddleOfAShellCallGoesOn(t *testing.T) {
	m := newModel(t)
	p := newPlace(t, m.url())
	cut, next := newWork(1, "children"), newWork(2, "talk")
	m.play(cut.script()+next.script(), nil)

	r := p.headless(cut, func(string) {})
	var marks []string
	p.until("the command and what it started", func() bool {
		marks = p.marks()
		return len(marks) > 0 && len(p.children(marks)) >= 5
	})
	r.kill()
	p.checkChildren(marks)

	ids, err := p.stored()
	check(t, err)
	if len(ids) != 1 {
		t.Fatalf("%d sessions are stored, want one", len(ids))
	}
	if out, errs, code := p.run("run", "--resume", ids[0], "--model", "crash/scripted", next.text); code != 0 || strings.TrimSpace(out) != "Done with 2." {
		t.Fatalf("the next message ends with %d, %q, %q", code, out, errs)
	}
	shown, _, code := p.run("session", "show", ids[0])
	for _, want := range []string{"Whether it took effect is not known", "outcome unknown: 1", "── interrupted", "Done with 2."} {
		if code != 0 || !strings.Contains(shown, want) {
			t.Errorf("the session is shown (%d) without %q:\n%s", code, want, shown)
		}
	}
	if out, errs, code := p.run("session", "verify", ids[0]); code != 0 {
		t.Errorf("verify exits with %d: %s%s", code, out, errs)
	}
}

// until looks again and again until something holds.
func (p *place) until(what string, holds func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-ctx.Done():
			p.t.Fatalf("waited in vain for %s", what)
		}
	}
}
