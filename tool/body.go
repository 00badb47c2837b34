package tool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fairlead/session"
)

// settleLimit is how long a body may take to return after it was stopped: longer
// than a shell needs to end a tree that ignores TERM.
const settleLimit = 15 * time.Second

// execute runs the body. free is called once the body has really returned.
func (x *run) execute(ctx context.Context, free func()) {
	if err := x.begin(ctx); err != nil {
		free()
		return
	}
	out := &progress{call: x.call, fail: func(err error) {
		x.batch.registry.log.Error("progress of a call could not be logged", "call", x.call.ID, "error", err)
	}}
	x.call.Output = out.write
	limit := x.limit()
	body, cancel := limited(ctx, limit)
	defer cancel()
	began := time.Now()
	returned := make(chan *Result, 1)
	go func() {
		result := failed(CodePanic, "The tool ended without a result.") // where it calls runtime.Goexit
		defer func() {
			free()
			returned <- result
		}()
		result = x.contained(body)
	}()
	select {
	case x.result = <-returned:
	case <-body.Done():
		x.result = x.awaitStopped(returned)
	}
	out.close()
	x.took = time.Since(began)
	if end := body.Err(); end != nil && errors.Is(x.result.err, end) {
		x.result = ended(ctx.Err() != nil, limit, x.took)
	}
}

// limit is the time the tool sets for this call, 0 for none.
func (x *run) limit() (limit time.Duration) {
	if t, ok := x.entry.tool.(Limiter); ok {
		x.contain("setting a limit", func() { limit = t.Limit(x.call) })
	}
	return limit
}

func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// begin does what must hold before a body runs: what was approved is still so, and
// the log says, on disk where the call may change something, that it started.
func (x *run) begin(ctx context.Context) error {
	if x.call.Confirm != nil {
		if err := x.call.Confirm(ctx); err != nil {
			x.result = failure(err)
			return err
		}
	}
	log := x.call.Log
	_, err := log.Append(context.WithoutCancel(ctx), session.ToolStarted.New(x.call.Turn, x.call.Step, session.ToolStartedData{Call: x.call.ID}))
	if err == nil && (x.asked || !x.looks()) {
		x.call.durable = sync.OnceValue(func() error { return log.Flush(context.WithoutCancel(ctx)) })
		if x.waits() {
			go x.call.durable()
		} else {
			err = x.call.durable()
		}
	}
	if err != nil {
		x.result = unlogged(err)
		return err
	}
	x.ran = true
	return nil
}

// waits is whether the tool itself waits for the log.
func (x *run) waits() (waits bool) {
	if t, ok := x.entry.tool.(Waiter); ok {
		x.contain("asking whether it waits", func() { waits = t.Waits(x.call) })
	}
	return waits
}

// contained calls the tool; a panic is a result. One that waited in vain for the log
// has not run.
func (x *run) contained(ctx context.Context) (result *Result) {
	defer func() {
		if err := x.call.Durable(); err != nil {
			result = unlogged(err)
		}
	}()
	p := x.contain("running", func() {
		r, err := x.entry.tool.Run(ctx, x.call)
		switch {
		case err != nil:
			result = failure(err)
		case r == nil:
			result = failed(CodePanic, "The tool returned no result.")
		default:
			result = r
		}
	})
	if p != nil {
		return failed(CodePanic, fmt.Sprintf("The tool failed unexpectedly (%v). What it did until then is not known.", p))
	}
	return result
}

// awaitStopped gives a body that was told to stop the time to do so.
func (x *run) awaitStopped(returned <-chan *Result) *Result {
	late := time.NewTimer(settleLimit)
	defer late.Stop()
	select {
	case r := <-returned:
		return r
	case <-late.C:
		x.batch.registry.log.Error("a tool does not return after it was stopped; it is left behind", "tool", x.call.Tool, "call", x.call.ID)
		return failed(session.CodeOutcomeUnknown, "The call was stopped but does not return. What it did is not known; look before you go on.")
	}
}
