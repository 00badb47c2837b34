package window

import (
	"context"

	"fairlead/agent"
	"fairlead/llm"
)

// refused makes room after a server refused a request for its length, and has it
// tried again once, only where the history really shrank. A refusal that a shorter
// reply would satisfy is left to who knows that remedy, the first time.
func (w *room) refused(ctx context.Context, f *agent.Failure, next func(context.Context, *agent.Failure) (agent.Recourse, error)) (agent.Recourse, error) {
	if f.Err.Code != llm.CodeOverflow || f.Aside {
		return next(ctx, f)
	}
	if f.Err.Remedy() == llm.RemedyShorten && (f.Params.MaxTokens == 0 || f.Err.Room < f.Params.MaxTokens) {
		return next(ctx, f)
	}
	m := w.meters.of(f.Agent)
	choice, err := f.Agent.Next(ctx) // with what the refusal taught
	if err != nil {
		return agent.Recourse{}, err
	}
	r, err := w.read(ctx, f.Agent, choice.Route)
	if err != nil {
		return agent.Recourse{}, err
	}
	if f.Err.Prompt > 0 {
		r.gauge.Reported, r.gauge.ReportedPlain = f.Err.Prompt, r.plain
		r.tokens, r.counted = max(f.Err.Prompt, r.plain), true
	}
	at := [2]int{f.Turn, f.Step}
	if m.refused != at {
		m.refused = at
		ended, err := w.compaction(f.Agent, choice, r, byRefusal).run(ctx)
		if err != nil {
			return agent.Recourse{}, err
		}
		if ended.shrank() {
			m.made, m.series = at, causeCompaction
			return agent.Recourse{Again: true, Rebuild: true}, nil
		}
	}
	withheld, err := w.withhold(ctx, f.Agent, f.Turn, f.Step, choice, r)
	if err != nil {
		return agent.Recourse{}, err
	}
	if withheld != nil {
		withheld.Err = f.Err
		return agent.Recourse{Told: withheld}, nil
	}
	return agent.Recourse{Told: exceeded(choice.Route, r, f.Err)}, nil
}
