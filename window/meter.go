package window

import (
	"context"
	"math"
	"runtime"
	"sync"
	"weak"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
)

// Gauge is how full the context of a session is, as its log tells it.
type Gauge struct {
	// Last is the newest request, or what was left of it after room was made.
	Last MeasuredData `json:"last"`
	// Reported and ReportedPlain are the size of the last request that was counted,
	// by the server and by the plain estimate: together they give the density.
	Reported      int `json:"reported,omitempty"`
	ReportedPlain int `json:"reportedPlain,omitempty"`
	// Stuck is true where making room did not get below the start.
	Stuck bool `json:"stuck,omitempty"`
	After int  `json:"after,omitempty"` // what it left the last time, in tokens
	// Total is that of the last request, Repeats how often it came in a row.
	Total   int `json:"total,omitempty"`
	Repeats int `json:"repeats,omitempty"`
}

// Context is the projection "context" behind the meter.
var Context = session.Projection[Gauge]{
	Name: "context", Version: 1, Fold: foldGauge,
	View: func(g Gauge) any {
		if g.Last.Window == 0 {
			return struct{}{}
		}
		return View{Used: g.Last.Tokens, Window: g.Last.Window, Source: g.Last.Source, Measured: g.Last.Measured, Soon: g.Last.Soon, Start: g.Last.Start, Parts: g.Last.Parts}
	},
}

// View is what the projection shows. Used, Start and the parts are tokens.
type View struct {
	Used     int    `json:"used"`
	Window   int    `json:"window"`
	Source   string `json:"source"`
	Measured bool   `json:"measured"`
	Soon     bool   `json:"soon,omitempty"`
	Start    int    `json:"start"`
	Parts    Parts  `json:"parts"`
}

// Projections lists what this room folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{Context} }

func foldGauge(g Gauge, e session.Event) Gauge {
	switch e.Type {
	case Measured.Name:
		d, err := Measured.Decode(e)
		if err != nil {
			return g
		}
		if d.Total > 0 && d.Total == g.Total {
			g.Repeats++
		} else {
			g.Total, g.Repeats = d.Total, 1
		}
		if d.Measured {
			g.Reported, g.ReportedPlain = d.Tokens, d.Plain
		}
		g.Last = d
	case Ended.Name:
		d, err := Ended.Decode(e)
		if err != nil {
			return g
		}
		g.Stuck, g.After = d.After >= d.Start, d.After
		g.Last.Tokens, g.Last.Measured, g.Last.Parts, g.Last.Plain = d.After, false, d.Parts, d.Plain
		g.Last.Window, g.Last.Start, g.Last.Soon = d.Window, d.Start, d.After >= d.Start-d.Window*5/100
	}
	return g
}

// density is how many tokens the server counted for each of the plain estimate.
// Without a measurement it is 1.
func (g Gauge) density() float64 {
	if g.Reported <= 0 || g.ReportedPlain <= 0 {
		return 1
	}
	return float64(g.Reported) / float64(g.ReportedPlain)
}

// pressure is the size of a request in tokens: the last one that was counted, plus
// what changed at the density that it showed, and never below the plain estimate.
func (g Gauge) pressure(plain int) int {
	if g.Reported <= 0 {
		return plain
	}
	changed := float64(plain-g.ReportedPlain) * g.density()
	return max(plain, g.Reported+int(math.Ceil(changed)))
}

// meter is the metering of one live agent.
type meter struct {
	tally tally
	// made is the turn and step in which room was made, refused those in which a
	// refusal led to that.
	made, refused [2]int
	series        string // why the next request does not extend the last
}

// meters keeps the meters of the live agents. A meter goes with its agent.
type meters struct {
	mu   sync.Mutex
	list map[weak.Pointer[agent.Agent]]*meter
}

func (ms *meters) of(a *agent.Agent) *meter {
	key := weak.Make(a)
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.list[key]
	if m == nil {
		m = &meter{}
		ms.list[key] = m
		runtime.AddCleanup(a, ms.drop, key)
	}
	return m
}

func (ms *meters) drop(key weak.Pointer[agent.Agent]) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	delete(ms.list, key)
}

// reading is one look at a session: how large the next request is.
type reading struct {
	gauge   Gauge
	budget  Budget
	surface []session.Entry
	parts   Parts // by the plain estimate
	plain   int
	tokens  int
	counted bool // by the server
}

// percent is how full the window is, in whole percent.
func (r reading) percent() int { return percent(r.tokens, r.budget.Window) }

func percent(part, whole int) int {
	return int(math.Round(100 * float64(part) / float64(max(whole, 1))))
}

// read looks at a session whose next request goes to a route.
func (w *room) read(ctx context.Context, a *agent.Agent, route llm.Route) (reading, error) {
	g, err := session.StateOf(a.Log(), Context)
	if err != nil {
		return reading{}, err
	}
	parts, surface, err := w.meters.of(a).tally.count(ctx, a)
	if err != nil {
		return reading{}, err
	}
	r := reading{gauge: g, budget: w.config.budget(route), surface: surface, parts: parts, plain: parts.Sum()}
	r.tokens = g.pressure(r.plain)
	return r, nil
}

// measured drafts the event of a request.
func (r reading) measured(route llm.Route) MeasuredData {
	return MeasuredData{
		Route: route.Name, Tokens: r.tokens, Measured: r.counted, Window: r.budget.Window, Source: r.budget.Source,
		Start: r.budget.Start, Soon: r.tokens >= r.budget.soon(), Plain: r.plain, Parts: r.parts.scale(r.tokens),
	}
}
