package web

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// How a source that asks for no account is used: as a person would.
const (
	shortestGap   = 2500 * time.Millisecond
	longestGap    = 4 * time.Second
	mostPerMinute = 8
	firstCooldown = time.Minute
	lastCooldown  = 10 * time.Minute
	// longestCooldown bounds what a source may ask for in Retry-After.
	longestCooldown = time.Hour
)

// pace holds one source to that: one request at a time, a gap between two, so many a
// minute, and a rest after each refusal that doubles until an answer comes.
type pace struct {
	turn chan struct{} // holds one token while a request may begin

	mu       sync.Mutex
	next     time.Time   // not before
	begun    []time.Time // the last mostPerMinute begins
	refusals int
	rested   time.Time // refused until
}

func newPace() *pace {
	p := &pace{turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// take waits for the source's turn. rests is true, and nothing was taken, where it
// refused lately. Whoever has the turn gives it back.
func (p *pace) take(ctx context.Context) (rests bool, err error) {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	wait, rests := p.due()
	if rests {
		p.give()
		return true, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		p.give()
		return false, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.next = now.Add(shortestGap + rand.N(longestGap-shortestGap))
	p.begun = append(p.begun[max(0, len(p.begun)-mostPerMinute+1):], now)
	return false, nil
}

func (p *pace) give() { p.turn <- struct{}{} }

// due is how long to wait before the next request.
func (p *pace) due() (wait time.Duration, rests bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Until(p.rested) > 0 {
		return 0, true
	}
	wait = time.Until(p.next)
	if len(p.begun) == mostPerMinute {
		wait = max(wait, time.Until(p.begun[0].Add(time.Minute)))
	}
	return wait, false
}

// refused begins a rest: 1, 2, 4 … 10 minutes, or what the source asked for where
// that is longer.
func (p *pace) refused(after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := lastCooldown
	if p.refusals < 4 {
		rest = firstCooldown << p.refusals
	}
	p.refusals++
	p.rested = time.Now().Add(max(rest, min(after, longestCooldown)))
}

// answered ends the count of refusals.
func (p *pace) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals, p.rested = 0, time.Time{}
}

// restsUntil is zero where the source may be asked.
func (p *pace) restsUntil() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Until(p.rested) <= 0 {
		return time.Time{}
	}
	return p.rested
}
