package agent

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"sync"
	"time"

	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/local"
	"fairlead/session"
)

// MonitorRow is the row under which a profile loads [Monitor].
const MonitorRow = "monitor"

// MonitorOptions configure [Monitor].
type MonitorOptions struct {
	// Every is the pause between two samples of the history; 0 means 10 s, with which
	// it holds an hour.
	Every time.Duration `yaml:"every" json:"every"`
}

const (
	samplePause = 10 * time.Second
	samplesKept = 360
	// watchPause is how often a viewer of the monitor is told at most.
	watchPause = time.Second
	// engineView is the view of the servers of models, where there is one.
	engineView = "engines"
)

// Board is what the monitor shows. Rates are tokens per second; below 0 is unknown.
type Board struct {
	Now    Sample  `json:"now"`
	Agents []Gauge `json:"agents"`
	// Engines are the servers on this machine, empty where nobody looks for them.
	Engines []local.Engine `json:"engines"`
	// History are the samples of the last hour, oldest first; who watches gets in every
	// frame but the first only those that are new, for the engines too.
	History []Sample `json:"history"`
}

// Sample is what all agents did at a moment, in Unix milliseconds.
type Sample struct {
	At      int64 `json:"at"`
	Running int   `json:"running"` // agents with a turn
	Queued  int   `json:"queued"`  // messages that wait for theirs
	// WriteRate sums what running agents write, ReadRate what they read.
	WriteRate float64 `json:"writeRate"`
	ReadRate  float64 `json:"readRate"`
}

// Gauge is one live agent.
type Gauge struct {
	Session session.ID `json:"session"`
	Title   string     `json:"title,omitempty"`
	Status
	Route  string `json:"route,omitempty"` // of its last request
	Queued int    `json:"queued"`
	// WriteRate and ReadRate are of the reply that runs, else of the last one: tokens
	// per second of the reply, and of the prompt before its first token.
	WriteRate float64 `json:"writeRate"`
	ReadRate  float64 `json:"readRate"`
	// Input are the tokens of the last request, Cached those of them that the server
	// had read before; below 0 is unknown.
	Input  int `json:"input"`
	Cached int `json:"cached"`
	// Reuse is the share of earlier requests' bytes with which later ones began.
	Reuse    float64 `json:"reuse"`
	Requests int     `json:"requests"`
}

// Monitor shows what agents and engines do, now and in the last hour, as the view
// "monitor". Nothing of it is kept on disk.
func Monitor() graph.Plugin {
	return graph.Plugin{
		Name:   MonitorRow,
		Doc:    "shows what agents and engines do, live and over the last hour",
		Inject: []graph.Dependency{graph.Needs(HostKey)},
		Config: func() any { return &MonitorOptions{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			host, err := graph.Get(f, HostKey)
			if err != nil {
				return err
			}
			m := &monitor{host: host, realm: f.Realm(), every: cfg.(*MonitorOptions).Every, paces: map[session.ID]*pace{}}
			if m.every <= 0 {
				m.every = samplePause
			}
			Stream.On(f, m.stream)
			command.RegisterViews(f, command.View{Name: MonitorRow, Scope: command.Host, Summary: "What agents and engines do: rates, progress, queues, cache, with the history of an hour.",
				Read: func(ctx context.Context, _ command.Query) (any, error) { return m.board(ctx, 0), nil }, Watch: m.watch})
			var sampling sync.WaitGroup
			sampling.Go(func() { m.sample(f.Context()) })
			f.Effect("samples", func(context.Context) error { sampling.Wait(); return nil })
			return nil
		},
	}
}

// monitor keeps the figures of a process.
type monitor struct {
	host  *Host
	realm *graph.Realm
	every time.Duration

	mu      sync.Mutex
	paces   map[session.ID]*pace
	history []Sample
}

// stream counts a reply while it arrives.
func (m *monitor) stream(ctx context.Context, s *Sending, next func(context.Context, *Sending) (iter.Seq2[llm.Chunk, error], error)) (iter.Seq2[llm.Chunk, error], error) {
	chunks, err := next(ctx, s)
	if err != nil {
		return nil, err
	}
	p := m.begin(s.Agent.ID(), s.Route.Name)
	return func(yield func(llm.Chunk, error) bool) {
		defer p.end()
		for c, err := range chunks {
			p.add(c)
			if !yield(c, err) {
				return
			}
		}
	}, nil
}

func (m *monitor) begin(id session.ID, route string) *pace {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.paces[id]
	if p == nil {
		p = &pace{input: -1, cached: -1, read: -1, write: -1, density: charsPerToken}
		m.paces[id] = p
	}
	p.start(route)
	return p
}

// sample takes a sample every so often, and forgets agents that are gone.
func (m *monitor) sample(ctx context.Context) {
	tick := time.NewTicker(m.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := m.board(ctx, time.Now().UnixMilli()).Now
		m.mu.Lock()
		m.history = append(m.history[max(0, len(m.history)-samplesKept+1):len(m.history):len(m.history)], now)
		for id := range m.paces {
			if _, live := m.host.Live(id); !live {
				delete(m.paces, id)
			}
		}
		m.mu.Unlock()
	}
}

// board reads everything; of the histories only what is newer than since.
func (m *monitor) board(ctx context.Context, since int64) Board {
	b := Board{Now: Sample{At: time.Now().UnixMilli()}, Agents: []Gauge{}, Engines: []local.Engine{}, History: []Sample{}}
	for _, a := range m.host.All() {
		g := m.gauge(a)
		b.Agents = append(b.Agents, g)
		b.Now.Queued += g.Queued
		if g.State != Idle {
			b.Now.Running++
			b.Now.WriteRate += max(0, g.WriteRate)
			b.Now.ReadRate += max(0, g.ReadRate)
		}
	}
	if v, ok := command.FindView(ctx, m.realm, engineView); ok {
		if value, err := v.Read(ctx, command.Query{}); err == nil {
			if engines, ok := value.([]local.Engine); ok {
				b.Engines = engines
			}
		}
	}
	for i := range b.Engines {
		h := b.Engines[i].History
		known := 0
		for known < len(h) && h[known].At <= since {
			known++
		}
		b.Engines[i].History = h[known:]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.history {
		if s.At > since {
			b.History = append(b.History, s)
		}
	}
	return b
}

// gauge reads one agent. What cannot be read is left at its zero.
func (m *monitor) gauge(a *Agent) Gauge {
	g := Gauge{Session: a.ID(), Status: a.Status(), WriteRate: -1, ReadRate: -1, Input: -1, Cached: -1, Reuse: 1}
	if meta, err := session.StateOf(a.Log(), session.Meta); err == nil {
		g.Title = meta.Title
	}
	if q, err := a.Queue(); err == nil {
		g.Queued = len(q.Waiting)
	}
	if r, err := session.StateOf(a.Log(), Prefix); err == nil {
		g.Reuse, g.Requests = r.Ratio(), r.Requests
	}
	m.mu.Lock()
	p := m.paces[a.ID()]
	m.mu.Unlock()
	if p != nil {
		p.show(&g)
	}
	return g
}

// watch yields the board whenever it changed, at most once a pause.
func (m *monitor) watch(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		tick := time.NewTicker(watchPause)
		defer tick.Stop()
		var shown Board
		for since := int64(0); ; {
			b := m.board(ctx, since)
			bare, fresh := b.bare()
			if since == 0 || fresh || !reflect.DeepEqual(bare, shown) {
				if !yield(b, nil) {
					return
				}
				since, shown = b.Now.At, bare
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// bare is the board without times and histories, and whether there are any new
// samples in it.
func (b Board) bare() (bare Board, fresh bool) {
	fresh = len(b.History) > 0
	b.Now.At, b.History, b.Engines = 0, nil, slices.Clone(b.Engines)
	for i := range b.Engines {
		fresh = fresh || len(b.Engines[i].History) > 0
		b.Engines[i].History = nil
	}
	return b, fresh
}
