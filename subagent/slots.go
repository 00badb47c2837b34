package subagent

import (
	"context"
	"iter"
	"slices"
	"sync"

	"fairlead/agent"
	"fairlead/llm"
)

// queues lets the requests of helpers to a server wait until it has a slot free. Those
// of chats never wait: they take their slot, and helpers get what is left.
type queues struct {
	mu     sync.Mutex
	routes map[string]*queue
}

// queue is what goes on at one route.
type queue struct {
	busy    int
	slots   int
	waiting []*ticket // those nearest to a chat first, then as they came
}

type ticket struct {
	depth int
	ready chan struct{}
}

// stream is a listener of [agent.Stream].
func (q *queues) stream(ctx context.Context, s *agent.Sending, next func(context.Context, *agent.Sending) (iter.Seq2[llm.Chunk, error], error)) (iter.Seq2[llm.Chunk, error], error) {
	r, err := role(s.Agent.Log())
	if err != nil {
		return nil, err
	}
	leave, err := q.enter(ctx, s.Route.Name, slots(s.Route), r.Depth)
	if err != nil {
		return nil, err
	}
	chunks, err := next(ctx, s)
	if err != nil {
		leave()
		return nil, err
	}
	return func(yield func(llm.Chunk, error) bool) {
		defer leave()
		chunks(yield)
	}, nil
}

// enter returns with a slot, which leave gives back, or with the error of ctx.
func (q *queues) enter(ctx context.Context, route string, slots, depth int) (leave func(), err error) {
	q.mu.Lock()
	at := q.routes[route]
	if at == nil {
		at = &queue{}
		q.routes[route] = at
	}
	at.slots = slots
	leave = sync.OnceFunc(func() { q.leave(at) })
	if depth == 0 || at.busy < at.slots && len(at.waiting) == 0 {
		at.busy++
		q.mu.Unlock()
		return leave, nil
	}
	t := &ticket{depth, make(chan struct{})}
	i := slices.IndexFunc(at.waiting, func(o *ticket) bool { return o.depth > depth })
	if i < 0 {
		i = len(at.waiting)
	}
	at.waiting = slices.Insert(at.waiting, i, t)
	q.mu.Unlock()
	select {
	case <-t.ready:
		return leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	if i := slices.Index(at.waiting, t); i >= 0 {
		at.waiting = slices.Delete(at.waiting, i, i+1)
		q.mu.Unlock()
	} else { // it had its turn just now
		q.mu.Unlock()
		leave()
	}
	return nil, context.Cause(ctx)
}

func (q *queues) leave(at *queue) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at.busy--
	for at.busy < at.slots && len(at.waiting) > 0 {
		at.busy++
		close(at.waiting[0].ready)
		at.waiting = at.waiting[1:]
	}
}
