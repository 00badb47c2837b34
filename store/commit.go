package store

import (
	"context"
	"sync"
	"sync/atomic"
)

// syncsAtOnce is how many files are forced to disk beside each other. The file
// system puts what comes together into one write of its journal, so more of them
// take little longer than one; syncfs would take all in one call, but waits for
// everything else that is dirty on the disk too.
const syncsAtOnce = 8

// committer lets sessions wait for the disk together: those that ask while a
// round is under way share the next one.
type committer struct {
	mu      sync.Mutex
	next    map[*writer]*round
	running bool
	wait    sync.WaitGroup

	syncs, rounds atomic.Int64
}

// round is one writer's part in a round: everybody who waits for the writer
// shares it.
type round struct {
	done chan struct{}
	err  error
}

// sync returns when what w holds now is on disk, or ctx ends.
func (c *committer) sync(ctx context.Context, w *writer) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	r := c.join(w)
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join asks for w to be in the next round.
func (c *committer) join(w *writer) *round {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = map[*writer]*round{}
	}
	r := c.next[w]
	if r == nil {
		r = &round{done: make(chan struct{})}
		c.next[w] = r
	}
	if !c.running {
		c.running = true
		c.wait.Go(c.run)
	}
	return r
}

func (c *committer) run() {
	for {
		c.mu.Lock()
		group := c.next
		c.next = nil
		if len(group) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		c.rounds.Add(1)
		c.commit(group)
	}
}

func (c *committer) commit(group map[*writer]*round) {
	one := func(w *writer, r *round) {
		r.err = w.commit()
		close(r.done)
	}
	if len(group) == 1 {
		for w, r := range group {
			one(w, r)
		}
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, syncsAtOnce)
	for w, r := range group {
		slots <- struct{}{}
		wg.Go(func() {
			one(w, r)
			<-slots
		})
	}
	wg.Wait()
}
