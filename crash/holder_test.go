//go:build linux

package crash_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	check(t, os.CopyFS(to, os.DirFS(from)))
}

func TestTheSecondProcessOnASessionIsToldWhoHoldsIt(t *testing.T) {
	m := newModel(t)
	d := drive(t, newPlace(t, m.url()), m)
	held, refusedOne, takenOver := d.work("children"), d.work("talk"), d.work("talk")
	d.play(held, refusedOne, takenOver)
	check(t, d.send(d.h, d.s, held, "follow-up"))
	d.until("a call", func() bool { return d.s.started[d.s.state.turnOf[held.id]] })
	pid := fmt.Sprintf("pid %d", d.h.cmd.Process.Pid)

	out, errs, code := d.p.run("run", "--base-url", d.p.model, "--model", "scripted", "--resume", d.s.id, refusedOne.text)
	if code == 0 || out != "" || !strings.Contains(errs, pid) {
		t.Errorf("a run on a session that is held exits with %d, prints %q and says %q; want it to name %s", code, out, errs, pid)
	}
	second := d.p.start()
	if words := refusal(t, d.send(second, d.s, refusedOne, "follow-up")); !strings.Contains(words, pid) || !strings.Contains(words, "session-held") {
		t.Errorf("a second host answers %s; want it to name %s", words, pid)
	}
	var snapshot struct {
		Held bool `json:"held"`
	}
	check(t, second.call("GET", "/api/v1/sessions/"+d.s.id, nil, &snapshot))
	if !snapshot.Held {
		t.Error("the second host does not say that the session is held elsewhere")
	}
	if left := d.p.children(d.p.marks()); len(left) == 0 {
		t.Error("the second process ended the children of the first")
	}

	// Killed, the first host holds nothing; the second takes over without a restart.
	marks := d.p.marks()
	d.h.kill()
	d.viewers.Wait()
	d.p.checkChildren(marks)
	d.s.checkDisk(d.p)
	d.h = second
	d.viewers.Go(func() { d.s.view(second, d.progress) })
	if end := d.talk(takenOver); end != "completed" {
		t.Errorf("taken over, a turn ends as %q", end)
	}
	d.s.checkOpened(d.p)
	d.s.checkThrough(d.p)
	d.stop()
}
