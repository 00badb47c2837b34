package openai

import (
	"context"
	"iter"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// Responses is an [llm.Adapter] for the Responses format. Nothing is stored at the
// provider: thinking comes back sealed and goes with the history.
type Responses struct {
	opt     Options
	written wire.Written
}

// NewResponses makes an adapter for Responses. Of the dialect only the switch for
// effort is used: [EffortNone] asks for no thinking setting.
func NewResponses(opt Options) *Responses { return &Responses{opt: opt.filled()} }

// Stream sends a body and yields the reply.
func (a *Responses) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	return a.StreamHeld(ctx, body, nil)
}

// StreamHeld is described at [llm.Holder].
func (a *Responses) StreamHeld(ctx context.Context, body []byte, ready func() error) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r := &itemReading{heard: map[int]bool{}}
		a.opt.post("/responses", body, ready).Stream(ctx, yield, &r.feed, r.take)
	}
}

// Models lists the endpoint's models.
func (a *Responses) Models(ctx context.Context) ([]llm.Model, error) { return a.opt.models(ctx) }
