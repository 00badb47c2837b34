package tool

import (
	"context"
	"slices"
	"sync"

	"fairlead/session"
)

// mostParallel is how many bodies run beside each other in one lane.
const mostParallel = 10

// laneKey tells lanes apart: the calls a model makes in a session share one, the
// calls made inside one call share another.
type laneKey struct {
	log    *session.Log
	parent string
}

// lane lets parallel calls run beside each other and every other call alone, first
// come, first served.
type lane struct {
	users int // guarded by the registry's lock

	mu      sync.Mutex
	running int
	waiting []*ticket
}

type ticket struct {
	weight int
	ready  chan struct{}
}

// enter gives the lane of a key; leave gives it back.
func (r *Registry) enter(key laneKey) *lane {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[key]
	if l == nil {
		l = &lane{}
		r.lanes[key] = l
	}
	l.users++
	return l
}

func (r *Registry) leave(key laneKey, l *lane) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(r.lanes, key)
	}
}

// take waits for a place: one of ten for a parallel call, all ten for another. It
// fails when ctx ends first.
func (l *lane) take(ctx context.Context, parallel bool) (weight int, err error) {
	weight = mostParallel
	if parallel {
		weight = 1
	}
	l.mu.Lock()
	if len(l.waiting) == 0 && l.running+weight <= mostParallel {
		l.running += weight
		l.mu.Unlock()
		return weight, nil
	}
	t := &ticket{weight, make(chan struct{})}
	l.waiting = append(l.waiting, t)
	l.mu.Unlock()
	select {
	case <-t.ready:
		return weight, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, t); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.running -= weight // its turn came at the same moment
	}
	l.admit()
	return 0, context.Cause(ctx)
}

// give returns a place.
func (l *lane) give(weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running -= weight
	l.admit()
}

func (l *lane) admit() {
	for len(l.waiting) > 0 && l.running+l.waiting[0].weight <= mostParallel {
		l.running += l.waiting[0].weight
		close(l.waiting[0].ready)
		l.waiting = l.waiting[1:]
	}
}
