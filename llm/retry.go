package llm

import (
	"math/rand/v2"
	"time"
)

// RetryPolicy decides whether a failed request is sent again. The zero value is
// the product's policy; tests set Jitter.
type RetryPolicy struct {
	// Jitter gives a number from 0 to 1; nil means chance.
	Jitter func() float64
	// Attempts is how often a request is sent at most; 0 means [Attempts].
	Attempts int
}

// The limits of the policy.
const (
	// Attempts is how often a request is sent at most.
	Attempts = 5
	// StartedAttempts is how often a request is sent whose replies break off: each
	// one was paid for and watched.
	StartedAttempts = 3
	// LongestWait is the longest wait a server may ask for. Above it the turn ends
	// and says when to try again.
	LongestWait = 60 * time.Second

	firstWait = 500 * time.Millisecond
	lastWait  = 10 * time.Second
)

// Next gives the wait before the attempt after this one, which counts from 1, and
// whether there is one. Started says that a part of the reply had come. Where the
// server asked for more than [LongestWait], again is false and wait is what it
// asked for.
func (p RetryPolicy) Next(attempt int, err *Error, started bool) (wait time.Duration, again bool) {
	if !err.Retryable() {
		return 0, false
	}
	if err.RetryAfter > LongestWait {
		return err.RetryAfter, false
	}
	limit := p.Attempts
	if limit <= 0 {
		limit = Attempts
	}
	if started {
		limit = min(limit, StartedAttempts)
	}
	if attempt >= limit {
		return 0, false
	}
	wait = lastWait
	if attempt < 6 {
		wait = min(lastWait, firstWait<<max(attempt-1, 0))
	}
	jitter := p.Jitter
	if jitter == nil {
		jitter = rand.Float64
	}
	// Up to a quarter more, so that clients refused together do not come back
	// together; never less than what the server asked for.
	spread := time.Duration(jitter() * float64(wait) / 4)
	return max(wait, err.RetryAfter) + spread, true
}
