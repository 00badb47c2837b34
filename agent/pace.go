package agent

import (
	"sync"
	"time"

	"fairlead/llm"
)

// charsPerToken is the density that is assumed before a reply was counted.
const charsPerToken = 4.0

// pace is how fast one agent's replies come: measured by the server's counts once it
// gave them, before that by the characters that came.
type pace struct {
	mu      sync.Mutex
	route   string
	running bool
	began   time.Time
	first   time.Time // the first token of the reply that runs
	chars   int
	density float64 // characters a token, as the last counted reply had them

	input, cached int
	read, write   float64
}

func (p *pace) start(route string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.route, p.running, p.began, p.first, p.chars = route, true, time.Now(), time.Time{}, 0
}

func (p *pace) add(c llm.Chunk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(c.Text)
	if c.Reasoning != nil {
		n += len(c.Reasoning.Text)
	}
	if c.Call != nil {
		n += len(c.Call.Arguments)
	}
	if n > 0 && p.first.IsZero() {
		p.first = time.Now()
	}
	p.chars += n
	if c.Usage != nil {
		p.count(*c.Usage)
	}
}

// count takes what the server counted. p.mu is held.
func (p *pace) count(u llm.Usage) {
	if u.Input >= 0 {
		p.input, p.cached = u.Input, u.Cached
		if wait := p.first.Sub(p.began).Seconds(); !p.first.IsZero() && wait > 0 {
			p.read = float64(u.Input-max(u.Cached, 0)) / wait
		}
	}
	if u.Output > 0 && !p.first.IsZero() {
		if took := time.Since(p.first).Seconds(); took > 0 {
			p.write = float64(u.Output) / took
		}
		if p.chars > 0 {
			p.density = float64(p.chars) / float64(u.Output)
		}
	}
}

func (p *pace) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running && p.chars > 0 && p.write < 0 {
		p.write = p.guess()
	}
	p.running = false
}

// guess is the rate of the reply that runs, by its characters. p.mu is held.
func (p *pace) guess() float64 {
	took := time.Since(p.first).Seconds()
	if p.first.IsZero() || took <= 0 {
		return -1
	}
	return float64(p.chars) / p.density / took
}

// show puts the figures into a gauge.
func (p *pace) show(g *Gauge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g.Route, g.Input, g.Cached, g.ReadRate, g.WriteRate = p.route, p.input, p.cached, p.read, p.write
	if p.running {
		g.WriteRate = p.guess()
	}
}
