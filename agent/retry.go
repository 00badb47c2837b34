package agent

import (
	"context"

	"fairlead/graph"
	"fairlead/llm"
)

// RetryRow is the row under which a profile loads [Retry].
const RetryRow = "llm-retry"

// RetryOptions configure [Retry].
type RetryOptions struct {
	// Attempts is how often a request is sent at most; 0 keeps the policy's number.
	Attempts int `yaml:"attempts" json:"attempts"`
}

// Retry has failed requests sent again: unchanged after a wait, by the policy of
// llm, or with what a refusal taught about the endpoint.
func Retry() graph.Plugin {
	return graph.Plugin{
		Name:   RetryRow,
		Doc:    "sends a failed model request again, where that can help",
		Config: func() any { return &RetryOptions{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			policy := llm.RetryPolicy{Attempts: cfg.(*RetryOptions).Attempts}
			RequestError.On(f, func(ctx context.Context, e *Failure, next func(context.Context, *Failure) (Recourse, error)) (Recourse, error) {
				// Somebody further in may know better than to send the same again.
				if r, err := next(ctx, e); err != nil || r.Again {
					return r, err
				}
				switch e.Err.Remedy() {
				case llm.RemedyChange:
					_, news := e.Params.Quirks.With(e.Err.Wants)
					return Recourse{Again: news, Rebuild: true}, nil
				case llm.RemedyShorten:
					shorter := e.Params.MaxTokens == 0 || e.Err.Room < e.Params.MaxTokens
					return Recourse{Again: shorter, MaxTokens: e.Err.Room}, nil
				}
				wait, again := policy.Next(e.Attempt, e.Err, e.Err.Started)
				return Recourse{Again: again, Wait: wait}, nil
			})
			return nil
		},
	}
}
