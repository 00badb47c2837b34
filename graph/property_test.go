package graph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/graph"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var rounds = flag.Int("rounds", 60, "random histories to try")

// TestRandomHistoriesLeaveNothing plugs, replaces, breaks and disposes at random and
// checks after every step that exactly what should run does, on exactly the services
// that are there, restarted no more often than they changed; and at the end that no
// effect, listener or goroutine is left.
func TestRandomHistoriesLeaveNothing(t *testing.T) {
	for seed := range *rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { newHistory(t, uint64(seed)).play(50) })
		})
	}
}

// token is a provided value. It is used up once its provider has undone it.
type token struct{ spent atomic.Bool }

var tokenKeys = []graph.Key[*token]{
	graph.NewKey[*token]("test.k0", ""), graph.NewKey[*token]("test.k1", ""), graph.NewKey[*token]("test.k2", ""),
	graph.NewKey[*token]("test.k3", ""), graph.NewKey[*token]("test.k4", ""),
}

var pinged = graph.NewNotify[*atomic.Int32]("test.pinged", "Counts who listens.")

// history is one random run.
type history struct {
	t   *testing.T
	g   *graph.Graph
	rnd *rand.Rand
	all []*member

	mu   sync.Mutex
	live int // runs whose effects are in place
}

// member is one fiber of a history, with what its last run was given.
type member struct {
	h        *history
	fiber    *graph.Fiber
	scope    bool // a realm of its own, no plugin
	needs    []graph.Key[*token]
	optional []graph.Key[*token]
	offers   []graph.Key[*token]
	broken   atomic.Bool
	delay    time.Duration
	starts   atomic.Int32
	live     atomic.Int32
	got      []*token
}

func newHistory(t *testing.T, seed uint64) *history {
	return &history{t: t, g: graph.New(graph.Options{}), rnd: rand.New(rand.NewPCG(seed, 7))}
}

func (h *history) play(steps int) {
	defer h.end()
	for range steps {
		before := map[*member]snapshot{}
		for _, m := range h.all {
			before[m] = m.snapshot()
		}
		what, touched := h.step()
		if err := h.g.Settle(h.t.Context()); err != nil {
			h.t.Fatal(err)
		}
		h.all = slices.DeleteFunc(h.all, func(m *member) bool { return m.fiber.State() == graph.Stopped })
		h.check(what, before, touched)
		if h.t.Failed() {
			return
		}
	}
}

// end closes the graph and looks for leftovers.
func (h *history) end() {
	if err := h.g.Close(h.t.Context()); err != nil {
		h.t.Errorf("close: %v", err)
	}
	if h.live != 0 {
		h.t.Errorf("%d runs are still in place after close", h.live)
	}
	if rest := h.g.Inventory(); len(rest) > 0 {
		h.t.Errorf("left after close: %v", rest)
	}
}

// step does one random thing and names the member it was done to.
func (h *history) step() (string, *member) {
	ctx := h.t.Context()
	if len(h.all) == 0 || h.rnd.IntN(3) == 0 {
		m, err := h.plug()
		return fmt.Sprintf("plug: %v", err), m
	}
	m := h.all[h.rnd.IntN(len(h.all))]
	name := m.fiber.Path()
	switch h.rnd.IntN(7) {
	case 6:
		h.hold(m)
		return "hold and restart " + name, m
	case 0:
		m.fiber.Dispose(ctx)
		return "dispose " + name, m
	case 1:
		m.broken.Store(true)
		m.fiber.Restart(ctx)
		return "break " + name, m
	case 2, 3:
		m.broken.Store(false)
		m.fiber.Restart(ctx)
		return "restart " + name, m
	case 4: // several at once, none of them waited for
		for _, o := range h.all {
			if h.rnd.IntN(3) == 0 {
				ended, cancel := context.WithCancel(ctx)
				cancel()
				o.fiber.Restart(ended)
			}
		}
		return "restart some", nil
	}
	if m.scope {
		return "nothing", nil
	}
	err := m.fiber.Replace(ctx, m.plugin(), nil)
	if f, found := h.g.Find(name); found {
		m.fiber = f // the replacement, or where that failed the old plugin in a new fiber
	}
	if err != nil {
		return fmt.Sprintf("replace %s and put it back: %v", name, err), nil // two changes for whoever stands on it
	}
	return "replace " + name, m
}

// hold restarts m while a key it may serve is held, which must not change the value,
// and lets go.
func (h *history) hold(m *member) {
	k := tokenKeys[h.rnd.IntN(len(tokenKeys))]
	before, found := graph.Lookup(m.fiber.Realm(), k)
	release := m.fiber.Realm().Hold(k)
	defer release()
	m.broken.Store(false)
	ended, cancel := context.WithCancel(h.t.Context())
	cancel()
	m.fiber.Restart(ended)
	if err := h.g.Settle(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	if after, _ := graph.Lookup(m.fiber.Realm(), k); found && after != before && !nearer(m, k) {
		h.t.Errorf("%s was replaced although it was held", k.Name())
	}
}

// nearer reports whether m itself could have put another value in front.
func nearer(m *member, k graph.Key[*token]) bool { return slices.Contains(m.offers, k) }

func (h *history) plug() (*member, error) {
	on := h.g.Root()
	if len(h.all) > 0 && h.rnd.IntN(2) == 0 {
		on = h.all[h.rnd.IntN(len(h.all))].fiber
	}
	m := &member{h: h, delay: time.Duration(h.rnd.IntN(5)) * time.Millisecond}
	id := fmt.Sprintf("f%d", h.rnd.IntN(1000))
	var err error
	if h.rnd.IntN(5) == 0 {
		m.scope = true
		m.fiber, err = on.Isolate(id, tokenKeys[h.rnd.IntN(len(tokenKeys))])
	} else {
		for i, k := range h.rnd.Perm(len(tokenKeys)) {
			switch pick := h.rnd.IntN(4); {
			case i == 0 && pick < 3:
				m.offers = append(m.offers, tokenKeys[k])
			case i > 0 && pick == 0:
				m.needs = append(m.needs, tokenKeys[k])
			case i > 0 && pick == 1:
				m.optional = append(m.optional, tokenKeys[k])
			}
		}
		m.fiber, err = on.Plug(id, m.plugin(), nil)
	}
	if err != nil { // a cycle, a second provider, a parent that is down: refused
		return nil, err
	}
	h.all = append(h.all, m)
	return m, nil
}

func (m *member) plugin() graph.Plugin {
	p := graph.Plugin{Name: "member", Apply: m.apply}
	for _, k := range m.needs {
		p.Inject = append(p.Inject, graph.Needs(k))
	}
	for _, k := range m.optional {
		p.Inject = append(p.Inject, graph.Optional(k))
	}
	for _, k := range m.offers {
		p.Provides = append(p.Provides, k)
	}
	return p
}

func (m *member) apply(f *graph.Fiber, _ any) error {
	var got []*token
	for _, k := range slices.Concat(m.needs, m.optional) {
		v, err := graph.Get(f, k)
		if err != nil && slices.Contains(m.needs, k) {
			return err
		}
		got = append(got, v)
	}
	m.got = got
	inUse := func(when string) {
		for _, v := range got {
			if v != nil && v.spent.Load() {
				m.h.t.Errorf("%s: a service was undone before its dependant, %s", f.Path(), when)
			}
		}
	}
	own := &token{}
	m.h.mu.Lock()
	m.h.live++
	m.h.mu.Unlock()
	m.live.Add(1)
	f.Effect("token", func(context.Context) error {
		time.Sleep(m.delay)
		inUse("while stopping")
		own.spent.Store(true)
		m.h.mu.Lock()
		m.h.live--
		m.h.mu.Unlock()
		m.live.Add(-1)
		return nil
	})
	done := make(chan struct{})
	ctx := f.Context()
	go func() { <-ctx.Done(); close(done) }()
	f.Effect("goroutine", func(context.Context) error { <-done; return nil })
	pinged.On(f, func(_ context.Context, n *atomic.Int32) { n.Add(1) })
	time.Sleep(m.delay)
	inUse("while starting")
	if m.broken.Load() {
		if m.delay%2 == 0 {
			panic("broken")
		}
		return errors.New("broken")
	}
	for _, k := range m.offers {
		if err := graph.Provide(f, k, own); err != nil {
			return err
		}
	}
	m.starts.Add(1)
	return nil
}

type snapshot struct {
	state  graph.State
	starts int32
	got    []*token
}

func (m *member) snapshot() snapshot { return snapshot{m.fiber.State(), m.starts.Load(), m.got} }

// check compares what runs with what should.
func (h *history) check(what string, before map[*member]snapshot, touched *member) {
	listening := 0
	for _, m := range h.all {
		fail := func(format string, args ...any) {
			h.t.Errorf("after %q: %s: %s", what, m.fiber.Path(), fmt.Sprintf(format, args...))
		}
		now, then := m.snapshot(), before[m]
		missing, stale := m.compare(now)
		switch now.state {
		case graph.Active:
			if missing || stale || m.broken.Load() && !m.scope {
				fail("is active (missing %v, stale %v, broken %v)", missing, stale, m.broken.Load())
			}
			if !m.scope && m.live.Load() != 1 {
				fail("has %d runs in place", m.live.Load())
			}
			if !m.scope && m.fiber.Realm() == h.g.Root().Realm() {
				listening++
			}
		case graph.Failed:
			if !m.broken.Load() {
				fail("failed: %v", m.fiber.Err())
			}
		case graph.Waiting:
			if !missing && h.parentIsUp(m) {
				fail("waits for nothing")
			}
		default:
			fail("has settled as %s", now.state)
		}
		if now.state != graph.Active && m.live.Load() != 0 {
			fail("is %s with %d runs in place", now.state, m.live.Load())
		}
		if touched == nil || m == touched || then.state != graph.Active || now.state != graph.Active {
			continue
		}
		want := then.starts
		if !slices.Equal(then.got, now.got) {
			want++
		}
		if now.starts != want {
			fail("started %d times, its services changed %d times", now.starts-then.starts, want-then.starts)
		}
	}
	var heard atomic.Int32
	pinged.Emit(h.t.Context(), h.g.Root().Realm(), &heard)
	if int(heard.Load()) != listening {
		h.t.Errorf("after %q: %d listeners heard, %d fibers listen", what, heard.Load(), listening)
	}
}

// compare looks the member's services up anew: is a needed one missing, does it run
// on another value than is there now.
func (m *member) compare(now snapshot) (missing, stale bool) {
	for i, k := range slices.Concat(m.needs, m.optional) {
		v, found := graph.Lookup(m.fiber.Realm(), k)
		missing = missing || !found && i < len(m.needs)
		stale = stale || i >= len(now.got) || now.got[i] != v
	}
	return missing, stale
}

func (h *history) parentIsUp(m *member) bool {
	path := m.fiber.Path()
	parent, found := h.g.Find(path[:max(0, strings.LastIndexByte(path, '/'))])
	return found && parent.State() == graph.Active
}
