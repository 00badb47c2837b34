package llm_test

import (
	"slices"
	"testing"
	"time"

	"fairlead/llm"
)

func TestRetryWaitsDoubleUpToTheLimits(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name    string
		err     llm.Error
		started bool
		want    []time.Duration // the waits, until there is no next attempt
		last    time.Duration   // what comes with the no
	}{
		{"a server that fails", llm.Error{Code: llm.CodeServer, RetryAfter: -1}, false, []time.Duration{s / 2, s, 2 * s, 4 * s}, 0},
		{"a limit without a wish", llm.Error{Code: llm.CodeRateLimit, RetryAfter: -1}, false, []time.Duration{s / 2, s, 2 * s, 4 * s}, 0},
		{"a server that asks for a wait", llm.Error{Code: llm.CodeRateLimit, RetryAfter: 20 * s}, false, []time.Duration{20 * s, 20 * s, 20 * s, 20 * s}, 0},
		{"a server that asks for less than we wait", llm.Error{Code: llm.CodeServer, RetryAfter: s}, false, []time.Duration{s, s, 2 * s, 4 * s}, 0},
		{"a server that asks for an hour", llm.Error{Code: llm.CodeRateLimit, RetryAfter: time.Hour}, false, nil, time.Hour},
		{"a stream that breaks off", llm.Error{Code: llm.CodeStreamCut, RetryAfter: -1}, true, []time.Duration{s / 2, s}, 0},
		{"a refused key", llm.Error{Code: llm.CodeAuth, RetryAfter: -1}, false, nil, 0},
		{"a request that does not fit", llm.Error{Code: llm.CodeOverflow, RetryAfter: -1}, false, nil, 0},
		{"a stop", llm.Error{Code: llm.CodeInterrupted, RetryAfter: -1}, true, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := llm.RetryPolicy{Jitter: func() float64 { return 0 }}
			var got []time.Duration
			for attempt := 1; ; attempt++ {
				wait, again := policy.Next(attempt, &c.err, c.started)
				if !again {
					if wait != c.last {
						t.Errorf("the no comes with %v, want %v", wait, c.last)
					}
					break
				}
				got = append(got, wait)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("waits %v, want %v", got, c.want)
			}
		})
	}
}

func TestJitterNeverShortensAWait(t *testing.T) {
	for attempt := 1; attempt < 5; attempt++ {
		least, _ := llm.RetryPolicy{Jitter: func() float64 { return 0 }}.Next(attempt, &llm.Error{Code: llm.CodeServer, RetryAfter: 3 * time.Second}, false)
		most, _ := llm.RetryPolicy{Jitter: func() float64 { return 1 }}.Next(attempt, &llm.Error{Code: llm.CodeServer, RetryAfter: 3 * time.Second}, false)
		if least < 3*time.Second || most < least || most > 5*time.Second {
			t.Errorf("attempt %d: from %v to %v", attempt, least, most)
		}
	}
}
