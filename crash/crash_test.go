//go:build linux

package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	killsWanted = flag.Int("kills", 20, "how often the program is killed")
	seed        = flag.Uint64("seed", 0, "the seed of a run that is to be repeated; 0 takes a new one")
)

// moment is when the program is killed: at the nth progress of a kind.
type moment struct {
	kind string
	left atomic.Int64
	fire func()
	once sync.Once
}

func (m *moment) saw(kind string) {
	if m != nil && kind == m.kind && m.left.Add(-1) == 0 {
		m.now()
	}
}

// now kills at once, where that has not been done.
func (m *moment) now() { m.once.Do(m.fire) }

// moments are the kinds of progress at which the program is killed, each with how far
// the count may go. A count that is not reached ends with the load.
var moments = []struct {
	kind string
	most int
}{
	{"frame", 150}, // any frame a viewer was shown
	{"log", 80},    // an event a viewer was shown
	{"live", 60},
	{"request", 10}, // a request that arrived at the model
	{"piece", 200},  // a piece of a reply that the model sent
	{"accepted", 6}, // a message answered with 202
	{"line", 30},    // a line that run printed
	{"created", 1},  // a session that was made under load
}

// sessions are driven at once.
const sessions = 3

// retireAfter is how many kills a session goes through before a new one takes its place.
const retireAfter = 8

// world is everything that outlives the hosts.
type world struct {
	t      *testing.T
	p      *place
	m      *model
	rnd    *rand.Rand
	moment atomic.Pointer[moment]

	active []*seen
	known  map[string]bool // sessions that have been looked at
	told   map[string]bool // sessions that somebody was told of
	marks  []string        // of the children of dead hosts
	works  int
	kills  int
	by     map[string]int // kills by the kind of their moment
	events int
}

func (w *world) progress(kind string) { w.moment.Load().saw(kind) }

func (w *world) work(kind string) *work {
	w.works++
	return newWork(w.works, kind)
}

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			fmt.Println(err)
		}
	}
	os.Exit(code)
}

func TestKillingTheProgramLosesNothingThatWasAcknowledged(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed=%d -kills=%d", *seed, *killsWanted)
	m := newModel(t)
	w := &world{t: t, p: newPlace(t, m.url()), m: m, rnd: rand.New(rand.NewPCG(*seed, 0)), known: map[string]bool{}, told: map[string]bool{}, by: map[string]int{}}
	began := time.Now()
	for w.kills < *killsWanted && !t.Failed() {
		switch part := w.rnd.IntN(8); {
		case w.kills > 0 && part == 0:
			w.killWhileStarting()
		case w.kills > 0 && part <= 2:
			w.killWhileOpening()
		default:
			w.round(true)
		}
	}
	w.round(false)
	w.listAll()
	t.Logf("%d kills in %v: %v; %d sessions, %d messages, %d requests to the model, %d events shown, none lost",
		w.kills, time.Since(began).Round(time.Second), w.by, len(w.known), w.works, m.requests, w.events)
}

// round starts the program, checks that nothing is lost or left, has every session
// take a message and, unless it is the last round, kills it under load.
func (w *world) round(kill bool) {
	h := w.p.start()
	w.p.checkChildren(w.marks)
	w.openAll(h)
	var plan []*work
	talks := make([]*work, len(w.active))
	for i := range talks {
		talks[i] = w.work("talk")
	}
	loads := make([][]*work, len(w.active))
	for i := range loads {
		for range 1 + w.rnd.IntN(3) {
			loads[i] = append(loads[i], w.work(kinds[w.rnd.IntN(len(kinds))]))
		}
		plan = append(plan, loads[i]...)
	}
	more := w.work(kinds[w.rnd.IntN(len(kinds))])
	own := w.work(kinds[w.rnd.IntN(len(kinds))])
	var script strings.Builder
	for _, x := range append(append(plan, talks...), more, own) {
		script.WriteString(x.script())
	}
	w.m.play(script.String()+"otherwise\nreply\n  say Ready.\n", w.progress)

	var viewers sync.WaitGroup
	for _, s := range w.active {
		viewers.Go(func() { s.view(h, w.progress) })
	}
	w.talkAll(h, talks)
	var run *headless
	if kill && !w.t.Failed() {
		run = w.load(h, loads, more, own, &viewers)
	}
	h.kill()
	viewers.Wait()
	w.afterKill(run)
}

// openAll opens every session, as a page does, and makes missing ones.
func (w *world) openAll(h *host) {
	for _, s := range w.active {
		if err := h.call("GET", "/api/v1/sessions/"+s.id, nil, nil); err != nil {
			s.complain("it cannot be opened: %v", err)
			continue
		}
		s.checkOpened(w.p)
		w.verify(s.id)
	}
	var waiting struct {
		Approvals []json.RawMessage `json:"approvals"`
	}
	if err := h.call("GET", "/api/v1/approvals", nil, &waiting); err != nil || len(waiting.Approvals) > 0 {
		w.t.Errorf("after the start approvals wait for calls that are over: %s, %v", waiting.Approvals, err)
	}
	for len(w.active) < sessions {
		s, err := w.create(h)
		check(w.t, err)
		w.active = append(w.active, s)
	}
}

func (w *world) create(h *host) (*seen, error) {
	var made struct {
		ID string `json:"id"`
	}
	if err := h.call("POST", "/api/v1/sessions", map[string]any{"folder": w.p.work}, &made); err != nil {
		return nil, err
	}
	return newSeen(w.t, made.ID), nil
}

func (w *world) verify(id string) {
	if out, errs, code := w.p.run("session", "verify", id); code != 0 {
		w.t.Errorf("session verify %s exits with %d\n%s%s", id, code, out, errs)
	}
}

// talkAll shows that every session takes a message and completes its turn, and that
// what waited before it has been said.
func (w *world) talkAll(h *host, talks []*work) {
	var all sync.WaitGroup
	for i, s := range w.active {
		all.Go(func() {
			if err := w.send(h, s, talks[i], "follow-up"); err != nil {
				s.complain("the next message is refused: %v", err)
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			var end string
			if !s.wait(ctx, func() bool {
				end = s.state.ends[s.state.turnOf[talks[i].id]]
				return end != ""
			}) {
				s.complain("the next message did not come to an end")
				return
			}
			if end != "completed" {
				s.complain("the turn of the next message ended as %q", end)
			}
			s.checkThrough(w.p)
		})
	}
	all.Wait()
}

func (w *world) send(h *host, s *seen, x *work, delivery string) error {
	var answer struct {
		MessageID string `json:"messageId"`
	}
	err := h.call("POST", "/api/v1/sessions/"+s.id+"/messages", map[string]any{"text": x.text, "mode": x.mode, "delivery": delivery}, &answer)
	if err != nil {
		return err
	}
	s.accept(x, answer.MessageID)
	w.progress("accepted")
	return nil
}

// load drives everything at once until the moment of the kill. It gives the run that
// was killed too, if there was one.
func (w *world) load(h *host, loads [][]*work, more, own *work, viewers *sync.WaitGroup) *headless {
	choice := moments[w.rnd.IntN(len(moments))]
	at := 1 + w.rnd.IntN(choice.most)
	withRun, withNew := choice.kind == "line" || w.rnd.IntN(4) == 0, choice.kind == "created" || w.rnd.IntN(4) == 0
	steers := w.rnd.Perm(len(loads))[0]

	var run *headless
	if withRun {
		run = w.p.headless(own, w.progress)
	}
	m := &moment{kind: choice.kind, fire: func() {
		_ = h.cmd.Process.Kill()
		if run != nil {
			_ = run.cmd.Process.Kill()
		}
	}}
	m.left.Store(int64(at))
	w.moment.Store(m)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		select {
		case <-h.dead:
			cancel()
		case <-ctx.Done():
		}
	}()

	var all sync.WaitGroup
	for i, s := range w.active {
		all.Go(func() {
			for n, x := range loads[i] {
				delivery := "follow-up"
				if n > 0 && i == steers {
					delivery = "steer"
				}
				if err := w.send(h, s, x, delivery); err != nil {
					w.excuse(h, m, s, err)
					return
				}
			}
			if !s.wait(ctx, s.settled) && !h.isDead() {
				s.complain("under load it did not come to rest: %s", s.unsettled())
			}
		})
	}
	var fresh *seen
	if withNew {
		all.Go(func() {
			s, err := w.create(h)
			if err != nil {
				w.excuse(h, m, &seen{t: w.t, id: "(new)"}, err)
				return
			}
			w.progress("created")
			fresh = s
			viewers.Go(func() { s.view(h, w.progress) })
			if err := w.send(h, s, more, "follow-up"); err != nil {
				w.excuse(h, m, s, err)
			}
		})
	}
	all.Wait()
	m.now()
	h.kill()
	w.moment.Store(nil)
	w.kills++
	w.by[choice.kind]++
	if fresh != nil {
		w.active = append(w.active, fresh)
	}
	if run != nil {
		run.kill()
	}
	return run
}

// excuse judges a request that failed: it may if the program was killed meanwhile.
func (w *world) excuse(h *host, m *moment, s *seen, err error) {
	if _, answered := errors.AsType[*refused](err); answered {
		s.complain("refused under load: %v", err)
		return
	}
	select {
	case <-h.dead:
	case <-time.After(patience):
		s.complain("unreachable under load: %v", err)
	}
}

// afterKill reads what lies on disk.
func (w *world) afterKill(run *headless) {
	w.marks = append(w.marks, w.p.marks()...)
	bodies := map[string]bool{}
	ids, err := w.p.stored()
	check(w.t, err)
	for _, s := range w.active {
		s.checkDisk(w.p)
		w.told[s.id] = true
		s.age++
	}
	for _, id := range ids {
		// Also those of which nobody was told: made, and killed before the answer.
		if w.known[id] && !slices.ContainsFunc(w.active, func(s *seen) bool { return s.id == id }) {
			continue
		}
		l, err := w.p.readLog(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a folder and nothing in it: that is no session yet
		}
		if err != nil {
			w.t.Errorf("session %s after the kill: %v", id, err)
			continue
		}
		for body := range fold(l.lines).bodies {
			bodies[body] = true
		}
	}
	for _, body := range w.m.arrived() {
		if !bodies[body] {
			w.t.Errorf("a request arrived at the model that no log on disk knows of: %s", body)
		}
	}
	if run != nil {
		w.adopt(run, ids)
	}
	for _, id := range ids {
		w.known[id] = true
	}
	w.active = slices.DeleteFunc(w.active, func(s *seen) bool {
		gone := s.age >= retireAfter
		if gone {
			w.events += len(s.events)
		}
		return gone
	})
}

// adopt checks what a killed run left behind.
func (w *world) adopt(run *headless, ids []string) {
	s := run.ledger(w.p, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return w.known[id] }))
	if s == nil {
		return
	}
	w.events += len(s.events)
	w.told[s.id] = true
	s.checkDisk(w.p)
	x := w.work("talk")
	w.m.play(x.script()+"otherwise\nreply\n  say Ready.\n", nil)
	out, errs, code := w.p.run("run", "--resume", s.id, "--base-url", w.p.model, "--model", "scripted", "--mode", "bypass", x.text)
	if want := fmt.Sprintf("Done with %d.", x.n); code != 0 || !strings.Contains(out, want) {
		s.complain("run --resume exits with %d and says %q, want %q\n%s", code, out, want, errs)
	}
	s.checkOpened(w.p)
	w.verify(s.id)
}

// listAll checks that the program lists every session that anybody was told of, each
// without a problem.
func (w *world) listAll() {
	out, errs, code := w.p.run("session", "list", "--json")
	var list struct {
		Sessions []struct {
			ID      string `json:"id"`
			Problem string `json:"problem"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		w.t.Fatalf("session list exits with %d: %v\n%s", code, err, errs)
	}
	listed := map[string]bool{}
	for _, s := range list.Sessions {
		listed[s.ID] = true
		if s.Problem != "" {
			w.t.Errorf("session list says of %s: %s", s.ID, s.Problem)
		}
	}
	for id := range w.told {
		if !listed[id] {
			w.t.Errorf("the session %s is not listed", id)
		}
	}
}

// killWhileOpening kills the program while it settles what the last one left open.
func (w *world) killWhileOpening() {
	h := w.p.start()
	m := &moment{kind: "opened", fire: func() { _ = h.cmd.Process.Kill() }}
	m.left.Store(int64(1 + w.rnd.IntN(len(w.active))))
	var all sync.WaitGroup
	for _, s := range w.active {
		all.Go(func() {
			if err := h.call("GET", "/api/v1/sessions/"+s.id, nil, nil); err != nil {
				w.excuse(h, m, s, err)
				return
			}
			m.saw("opened")
		})
	}
	if w.rnd.IntN(3) == 0 {
		m.now()
	}
	all.Wait()
	h.kill()
	w.kills++
	w.by["opening"]++
	w.marks = append(w.marks, w.p.marks()...)
	for _, s := range w.active {
		s.checkDisk(w.p)
	}
}

// killWhileStarting kills the program before it answers, when it has touched its home
// so many times.
func (w *world) killWhileStarting() {
	touched, stop := w.p.watch()
	h := w.p.launch()
	for range 1 + w.rnd.IntN(25) {
		select {
		case <-touched:
			continue
		case <-h.ready:
		case <-time.After(patience):
			w.t.Error("the program neither touches its home nor answers")
		}
		break
	}
	h.kill()
	stop()
	w.kills++
	w.by["starting"]++
	w.marks = append(w.marks, w.p.marks()...)
	for _, s := range w.active {
		s.checkDisk(w.p)
	}
}
