package server

import (
	"sync"
	"time"
)

// limits bounds how often one device, and everybody without a token together, may
// ask. A person never meets them; a loop does.
type limits struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[string]*bucket
}

// allowance is requests a second and how many may come at once.
type allowance struct{ rate, burst float64 }

var (
	perDevice = allowance{rate: 100, burst: 400}
	strangers = allowance{rate: 5, burst: 60}
	logins    = allowance{rate: 0.5, burst: 10}
)

type bucket struct {
	left float64
	at   time.Time
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, buckets: map[string]*bucket{}}
}

// take spends one request of name's allowance; false means too many. Names are
// device ids and fixed words, so the map stays small.
func (l *limits) take(name string, a allowance) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b := l.buckets[name]
	if b == nil {
		b = &bucket{left: a.burst, at: now}
		l.buckets[name] = b
	}
	b.left = min(a.burst, b.left+now.Sub(b.at).Seconds()*a.rate)
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
