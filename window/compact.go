package window

import (
	"context"
	"fmt"

	"fairlead/agent"
	"fairlead/session"
)

// Why room is made.
const (
	bySize    = "size"    // the context is nearly full
	byPerson  = "person"  // somebody asked for it
	byRefusal = "refusal" // a request is refused for its length, or surely would be
)

// compaction makes room in one session, once.
type compaction struct {
	room   *room
	agent  *agent.Agent
	choice agent.Choice
	by     string
	turn   int
	step   int
	start  reading // what there was before

	items, pruned, pieces int
}

func (w *room) compaction(a *agent.Agent, choice agent.Choice, r reading, by string) *compaction {
	s := a.Status()
	c := &compaction{room: w, agent: a, choice: choice, by: by, start: r}
	if p, err := session.StateOf(a.Log(), agent.Loop); err == nil && p.Open {
		c.turn, c.step = s.Turn, s.Step
	}
	return c
}

// shrank reports whether the history is smaller now.
func (d EndedData) shrank() bool { return d.After < d.Before }

// run makes room. The zero EndedData means that there was nothing to be done; then
// nothing is in the log either. An error is one of the log or a stop: what failed
// otherwise is in EndedData.
func (c *compaction) run(ctx context.Context) (EndedData, error) {
	surface, prices := c.start.surface, c.prices(c.start.surface)
	lead, err := c.lead(ctx, surface)
	if err != nil {
		return EndedData{}, err
	}
	end := c.boundary(surface, prices)
	if end > lead && !c.worth(prices[lead:end]) {
		end = lead
	}
	cuts := c.cuts(surface, end)
	if end <= lead && len(cuts) == 0 {
		return EndedData{}, nil
	}
	if err := c.add(ctx, Started.New(c.turn, c.step, StartedData{By: c.by, Before: c.start.tokens, Window: c.start.budget.Window})); err != nil {
		return EndedData{}, err
	}
	var failed error
	switch {
	case end <= lead || c.enough(cuts):
		failed = c.prune(ctx, cuts)
	default:
		failed = c.summarise(ctx, spanOf(surface[:end]).To)
		if failed == nil && c.by == byRefusal {
			failed = c.pruneRest(ctx)
		}
	}
	return c.end(ctx, failed)
}

// pruneRest shortens the results that are left after a summary where the request
// would be too large all the same.
func (c *compaction) pruneRest(ctx context.Context) error {
	r, err := c.room.read(ctx, c.agent, c.choice.Route)
	if err != nil {
		return err
	}
	r.gauge.Reported, r.gauge.ReportedPlain = c.start.gauge.Reported, c.start.gauge.ReportedPlain
	if r.gauge.pressure(r.plain) < c.start.budget.Start {
		return nil
	}
	return c.prune(ctx, c.cuts(r.surface, 0))
}

// prices are those of the entries at the density that was measured.
func (c *compaction) prices(surface []session.Entry) []int {
	list := make([]int, len(surface))
	for i := range surface {
		list[i] = c.scaled(price(&surface[i].Message))
	}
	return list
}

func (c *compaction) scaled(plain int) int {
	return int(float64(plain) * max(c.start.gauge.density(), 1))
}

// lead is 1 where a surface begins with a summary, else 0.
func (c *compaction) lead(ctx context.Context, surface []session.Entry) (int, error) {
	if len(surface) == 0 {
		return 0, nil
	}
	e, err := c.agent.Log().Event(ctx, surface[0].Seq)
	if err != nil || !Summary.Of(e) {
		return 0, err
	}
	return 1, nil
}

// boundary gives where the part begins that is kept as it is. After a refusal that
// is only the newest unit; a person's wish keeps no more than the newest turn.
func (c *compaction) boundary(surface []session.Entry, prices []int) int {
	if c.by == byRefusal {
		return cut(surface, prices, 0)
	}
	at := cut(surface, prices, c.start.budget.Keep)
	if c.by == byPerson {
		last := len(surface)
		for last > 0 && surface[last-1].Message.Role != "user" {
			last--
		}
		at = max(at, newest(surface[:last]))
	}
	return at
}

// The least that a summary is made of, in tokens: below it nothing is gained.
const leastGain = 256

// worth reports whether a summary of entries with these prices gains anything. One
// that nobody waits for is to gain a twentieth of the window.
func (c *compaction) worth(prices []int) bool {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	if c.by == bySize {
		return sum >= c.start.budget.Window/20
	}
	return sum >= leastGain
}

// cuts are the results that can be shortened: those before the part that is kept,
// and where a request would be refused those in it, too.
func (c *compaction) cuts(surface []session.Entry, end int) []PrunedData {
	if c.by == byRefusal {
		end = len(surface)
	}
	var list []PrunedData
	for i := range end {
		if surface[i].Message.Role != "tool" {
			continue
		}
		if d, ok := pruned(surface[i]); ok {
			list = append(list, d)
		}
	}
	return list
}

// enough reports whether shortening alone gets well below the start. Where it does
// not, a summary takes the results in whole, and its request still begins with what
// the server has read already.
func (c *compaction) enough(cuts []PrunedData) bool {
	freed := 0
	for _, d := range cuts {
		freed += c.scaled(priceBytes(d.Left))
	}
	return c.by == bySize && c.start.tokens-freed < c.start.budget.Start*7/8
}

func (c *compaction) prune(ctx context.Context, cuts []PrunedData) error {
	if len(cuts) == 0 {
		return nil
	}
	drafts := make([]session.Draft, len(cuts))
	for i, d := range cuts {
		drafts[i] = Pruned.New(c.turn, c.step, d)
	}
	c.pruned += len(cuts)
	c.items += len(cuts)
	return c.add(ctx, drafts...)
}

// end closes the compaction with what it gave.
func (c *compaction) end(ctx context.Context, failed error) (EndedData, error) {
	r, err := c.room.read(context.WithoutCancel(ctx), c.agent, c.choice.Route)
	if err != nil {
		return EndedData{}, err
	}
	if c.start.counted {
		// The same density, though no event has it yet.
		r.gauge.Reported, r.gauge.ReportedPlain = c.start.gauge.Reported, c.start.gauge.ReportedPlain
		r.tokens = r.gauge.pressure(r.plain)
	}
	d := EndedData{By: c.by, Before: c.start.tokens, After: r.tokens, Window: r.budget.Window, Start: r.budget.Start,
		Items: c.items, Pruned: c.pruned, Pieces: c.pieces, Plain: r.plain, Parts: r.parts.scale(r.tokens)}
	if failed != nil {
		d.Error = failed.Error()
		c.room.log.Warn("making room in a context ended early", "session", c.agent.ID(), "err", failed)
	}
	if err := c.add(context.WithoutCancel(ctx), Ended.New(c.turn, c.step, d)); err != nil {
		return d, err
	}
	if err := ctx.Err(); err != nil {
		return d, fmt.Errorf("making room was stopped: %w", err)
	}
	return d, nil
}

func (c *compaction) add(ctx context.Context, drafts ...session.Draft) error {
	_, err := c.agent.Log().Append(ctx, drafts...)
	return err
}
