package crash_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// refusal gives the words of an answer that must be a refusal.
func refusal(t *testing.T, err error) string {
	t.Helper()
	r, ok := errors.AsType[*refused](err)
	if !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r.body
}

// driven is one session with a viewer, on a host of its own.
type driven struct {
	*world
	h       *host
	s       *seen
	viewers sync.WaitGroup
}

// drive starts the program at a place with one session that is watched.
func drive(t *testing.T, p *place, m *model) *driven {
	t.Helper()
	d := &driven{world: &world{t: t, p: p, m: m}, h: p.start()}
	s, err := d.create(d.h)
	check(t, err)
	d.s = s
	d.viewers.Go(func() { s.view(d.h, d.progress) })
	return d
}

// play makes the model know these messages.
func (d *driven) play(works ...*work) {
	var script strings.Builder
	for _, x := range works {
		script.WriteString(x.script())
	}
	d.m.play(script.String()+"otherwise\nreply\n  say Ready.\n", d.progress)
}

// talk sends a message and gives how its turn ended.
func (d *driven) talk(x *work) string {
	d.t.Helper()
	check(d.t, d.send(d.h, d.s, x, "follow-up"))
	var end string
	d.until("the end of a turn", func() bool {
		end = d.s.state.ends[d.s.state.turnOf[x.id]]
		return end != ""
	})
	if end == "error" {
		d.t.Logf("turns that failed: %s", d.s.state.errors)
	}
	return end
}

// until waits for something that a viewer is shown.
func (d *driven) until(what string, cond func() bool) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	if !d.s.wait(ctx, cond) {
		d.t.Fatalf("%s was not shown\n%s", what, d.h.errs)
	}
}

// rests waits until the host says that nothing runs in the session.
func (d *driven) rests() {
	d.t.Helper()
	d.p.until("the end of what runs", func() bool {
		var now struct {
			Status struct {
				State string `json:"state"`
			} `json:"status"`
		}
		check(d.t, d.h.call("GET", "/api/v1/sessions/"+d.s.id, nil, &now))
		return now.Status.State == "idle"
	})
}

// restart kills the program and starts it again, with the checks of the rounds.
func (d *driven) restart() {
	d.t.Helper()
	d.h.kill()
	d.viewers.Wait()
	d.s.checkDisk(d.p)
	d.h = d.p.start()
	check(d.t, d.h.call("GET", "/api/v1/sessions/"+d.s.id, nil, nil))
	d.s.checkOpened(d.p)
	d.verify(d.s.id)
	d.viewers.Go(func() { d.s.view(d.h, d.progress) })
}

// stop kills the program and reads what lies on disk.
func (d *driven) stop() {
	d.h.kill()
	d.viewers.Wait()
	d.s.checkDisk(d.p)
}

// spacious does not fit into the room that a full disk still has in a file's last block.
var spacious = strings.Repeat(" and so on", 2000)

func TestAFullDiskRefusesMessagesAndTakesThemAgainOnceThereIsRoom(t *testing.T) {
	m := newModel(t)
	d := drive(t, smallDisk(t, m.url(), "8m"), m)
	before, refusedOne, after, again := d.work("write"), d.work("talk"), d.work("write"), d.work("talk")
	d.play(before, refusedOne, after, again)
	if end := d.talk(before); end != "completed" {
		t.Fatalf("with room a turn ends as %q", end)
	}

	empty := d.p.fill()
	refusedOne.text += spacious
	words := refusal(t, d.send(d.h, d.s, refusedOne, "follow-up"))
	if !strings.Contains(words, "disk-full") || !strings.Contains(words, "not sent") || !strings.Contains(words, "room") {
		t.Errorf("on a full disk a message is answered with %s", words)
	}
	if err := d.h.call("GET", "/api/v1/sessions/"+d.s.id, nil, nil); err != nil {
		t.Errorf("on a full disk a session cannot be read: %v", err)
	}
	if _, err := d.create(d.h); err == nil || !strings.Contains(err.Error(), "disk-full") {
		t.Errorf("on a full disk a new session is answered with %v", err)
	}

	empty()
	if end := d.talk(after); end != "completed" {
		t.Errorf("with room again a turn ends as %q", end)
	}
	d.s.checkThrough(d.p)
	d.restart()
	if end := d.talk(again); end != "completed" {
		t.Errorf("after a restart a turn ends as %q", end)
	}
	d.stop()
}

func TestADiskThatFillsDuringATurnLosesNothingThatWasShown(t *testing.T) {
	m := newModel(t)
	d := drive(t, smallDisk(t, m.url(), "8m"), m)
	caught, after, again := d.work("long"), d.work("write"), d.work("talk")
	d.play(caught, after, again)
	check(t, d.send(d.h, d.s, caught, "follow-up"))
	var idle int
	d.until("a stream", func() bool {
		idle = d.s.idle
		return d.s.streams[d.s.state.turnOf[caught.id]]
	})
	empty := d.p.fill()
	d.until("the state of a host that cannot write", func() bool { return d.s.idle > idle })
	if words := refusal(t, d.send(d.h, d.s, after, "follow-up")); !strings.Contains(words, "disk-full") {
		t.Errorf("after a turn that could not be written a message is answered with %s", words)
	}
	empty()
	if end := d.talk(after); end != "completed" {
		t.Errorf("with room again a turn ends as %q", end)
	}
	d.restart()
	if end := d.talk(again); end != "completed" {
		t.Errorf("after a restart a turn ends as %q", end)
	}
	d.s.checkThrough(d.p)
	d.stop()
}

func TestAResultThatAFullDiskDidNotTakeIsAnsweredOnceThereIsRoom(t *testing.T) {
	m := newModel(t)
	d := drive(t, smallDisk(t, m.url(), "8m"), m)
	caught, after := d.work("gated"), d.work("write")
	d.play(caught, after)
	check(t, d.send(d.h, d.s, caught, "follow-up"))
	d.until("a call", func() bool { return d.s.started[d.s.state.turnOf[caught.id]] })
	empty := d.p.fill()
	check(t, os.WriteFile(filepath.Join(d.p.work, fmt.Sprintf("go-%d", caught.n)), nil, 0o600))
	d.rests()
	empty()
	if end := d.talk(after); end != "completed" {
		t.Errorf("with room again a turn ends as %q", end)
	}
	d.s.checkThrough(d.p)
	d.stop()
	// What little room came free may have taken the rest of the turn: then the model was
	// told why it has no result.
	end, told := d.s.state.ends[d.s.state.turnOf[caught.id]], strings.Contains(string(d.s.disk.bytes), "The disk that holds the sessions is full. This was not written")
	if end != "interrupted" && (end != "completed" || !told) {
		t.Errorf("the turn whose result was not taken ended as %q, and the model was told why: %t", end, told)
	}
	for _, problem := range fold(d.s.disk.lines).problems {
		t.Error(problem)
	}
}

func TestAHostThatIsKilledOnAFullDiskKeepsWhatWasAcknowledged(t *testing.T) {
	m := newModel(t)
	d := drive(t, smallDisk(t, m.url(), "8m"), m)
	before, caught, again := d.work("write"), d.work("children"), d.work("talk")
	d.play(before, caught, again)
	if end := d.talk(before); end != "completed" {
		t.Fatalf("with room a turn ends as %q", end)
	}
	check(t, d.send(d.h, d.s, caught, "follow-up"))
	d.until("a call", func() bool { return d.s.started[d.s.state.turnOf[caught.id]] })
	empty := d.p.fill()
	d.h.kill()
	d.viewers.Wait()
	d.s.checkDisk(d.p)

	// Whether it starts without room or says why not, it takes nothing away.
	if _, errs, code := d.p.run("run", "--resume", d.s.id, "more"+spacious); code == 0 || !strings.Contains(errs, "full") {
		t.Errorf("on a full disk a run exits with %d and says %q", code, errs)
	}
	empty()
	d.restart()
	if end := d.talk(again); end != "completed" {
		t.Errorf("after a restart with room a turn ends as %q", end)
	}
	d.s.checkThrough(d.p)
	d.stop()
}
