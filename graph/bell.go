package graph

import (
	"context"
	"iter"
	"sync"
)

// Bell tells whoever waits that something changed. Nobody is told what: they look
// again, so a change that comes while they look is never missed and many at once
// cost one look. The zero value is ready.
type Bell struct {
	mu   sync.Mutex
	next chan struct{} // nil while nobody waits
}

// Ring wakes everybody who waits.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// Next gives a channel that is closed at the next ring. Take it before looking.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Watch yields what read gives, at once and again after rings, until ctx ends.
func Watch[T any](ctx context.Context, b *Bell, read func() T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for ctx.Err() == nil {
			next := b.Next()
			if !yield(read()) {
				return
			}
			select {
			case <-next:
			case <-ctx.Done():
			}
		}
	}
}
