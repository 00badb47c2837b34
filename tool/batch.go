package tool

import (
	"context"
	"fmt"
	"sync"

	"fairlead/graph"
	"fairlead/session"
)

// Execute runs one call through the whole pipeline. It always returns a result,
// which is in the log when it returns.
func (r *Registry) Execute(ctx context.Context, realm *graph.Realm, call *Call) *session.ToolResultData {
	return r.Batch(ctx, realm, []*Call{call})[0].Logged
}

// Batch runs the calls of one step. Calls whose tool allows it run beside each
// other, every other one alone; decisions, and results in the log, keep the order
// of the calls. When ctx ends, calls that have not begun do not begin. The
// outcomes stand in the order of the calls and are in the log, unless the log
// itself failed; then nothing more ran and the results say so.
func (r *Registry) Batch(ctx context.Context, realm *graph.Realm, calls []*Call) []Outcome {
	b := &batch{registry: r, realm: realm, runs: make([]*run, len(calls))}
	for i, c := range calls {
		b.runs[i] = &run{batch: b, call: c}
		b.runs[i].prepare()
	}
	if err := b.open(context.WithoutCancel(ctx), b.runs); err != nil {
		for _, x := range b.runs {
			x.result = unlogged(err)
			b.settle(ctx, x)
		}
	} else {
		for _, x := range b.runs {
			b.advance(ctx, x)
		}
	}
	b.bodies.Wait()
	outcomes := make([]Outcome, len(calls))
	for i, x := range b.runs {
		outcomes[i] = x.outcome
	}
	return outcomes
}

// batch is the calls of one step on their way, or those of a [Series].
type batch struct {
	registry *Registry
	realm    *graph.Realm
	runs     []*run
	bodies   sync.WaitGroup

	mu   sync.Mutex
	next int // the first call whose result is not logged yet
}

// open logs that the calls are there, all at once and in order, and names those
// that have no id yet after the place in the log that they take.
func (b *batch) open(ctx context.Context, runs []*run) error {
	if len(runs) == 0 {
		return nil
	}
	r, log := b.registry, runs[0].call.Log
	r.naming.Lock()
	defer r.naming.Unlock()
	seq := log.Seq()
	drafts := make([]session.Draft, len(runs))
	for i, x := range runs {
		c := x.call
		if c.ID == "" {
			c.ID = fmt.Sprintf("c%d", seq+int64(i)+1)
		}
		kind := session.ToolCall
		if c.Parent != "" {
			kind = session.ToolSubcall
		}
		drafts[i] = kind.New(c.Turn, c.Step, session.ToolCallData{Call: c.ID, ModelID: c.ModelID, Parent: c.Parent, Caller: c.Caller,
			Tool: c.Tool, Arguments: c.Raw, Present: x.present()})
	}
	_, err := log.Append(ctx, drafts...)
	return err
}

// advance takes one call from decision to result, or leaves its body running.
func (b *batch) advance(ctx context.Context, x *run) {
	parallel := x.result == nil && x.parallel()
	if !parallel {
		b.bodies.Wait()
	}
	if !x.admitted(ctx) {
		b.settle(ctx, x)
		return
	}
	key := laneKey{x.call.Log, x.call.Parent}
	lane := b.registry.enter(key)
	weight, err := lane.take(ctx, parallel)
	if err != nil {
		b.registry.leave(key, lane)
		x.result = notStarted()
		b.settle(ctx, x)
		return
	}
	free := func() {
		lane.give(weight)
		b.registry.leave(key, lane)
	}
	if !parallel {
		x.execute(ctx, free)
		b.settle(ctx, x)
		return
	}
	b.bodies.Go(func() {
		x.execute(ctx, free)
		b.settle(ctx, x)
	})
}

// settle logs the result of a call once those before it are logged; one of a series
// waits for no other.
func (b *batch) settle(ctx context.Context, x *run) {
	ctx = context.WithoutCancel(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	if x.told != nil {
		x.finish(ctx)
		x.told(x.outcome)
		return
	}
	x.done = true
	for ; b.next < len(b.runs) && b.runs[b.next].done; b.next++ {
		b.runs[b.next].finish(ctx)
	}
}
