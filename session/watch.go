package session

import (
	"context"
	"iter"
	"slices"
)

// Live is a frame that is not in the log and never will be: something true only
// now. Type "delta" carries a DeltaData; other types belong to who sends them.
type Live struct {
	Type string
	Data any
}

// Frame is what a watcher gets: one of the two is set.
type Frame struct {
	Event *Event
	Live  *Live
}

// queueLimit is how many frames wait for a watcher before it counts as slow.
const queueLimit = 256

// watcher is one Watch at work. The session's lock guards it.
type watcher struct {
	queue []queued
	// behind is true while the watcher reads the log instead of its queue.
	behind bool
	wake   chan struct{} // holds one token: something changed
}

// queued is a frame and, for an event, where the log goes on after it.
type queued struct {
	Frame
	after place
}

func (w *watcher) push(q queued) {
	if w.behind {
		return
	}
	if len(w.queue) >= queueLimit {
		// Events are read from the log from where the queue ends.
		if q.Event != nil {
			w.behind = true
		}
	} else {
		w.queue = append(w.queue, q)
	}
	w.notify()
}

func (w *watcher) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// announce tells watchers of events that were just committed. The caller holds
// the lock; the last event ends at c.size.
func (c *core) announce(events []Event) {
	if len(c.watchers) == 0 {
		return
	}
	start := c.size - c.ends[len(c.ends)-1]
	for i := range events {
		e := events[i]
		q := queued{Frame: Frame{Event: &e}, after: place{c.src.own(), start + c.ends[i]}}
		for w := range c.watchers {
			w.push(q)
		}
	}
}

// Live passes a frame to whoever watches now.
func (l *Log) Live(f Live) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live(f)
}

func (c *core) live(f Live) {
	for w := range c.watchers {
		w.push(queued{Frame: Frame{Live: &f}})
	}
}

// Watch yields the events after a number and then what follows, as it happens,
// until ctx ends (which is no error), the loop breaks off, or the session is
// closed. A watcher that falls behind loses live frames, never events. An event has
// been given to the system when a watcher gets it: it outlives a killed process. What is
// streaming at the moment comes as delta frames before the first live one. A log
// that is open for reading only has nothing to wait for: the sequence ends with
// its last event. Events are shared between watchers and are not to be changed.
func (l *Log) Watch(ctx context.Context, after int64) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		w := &watcher{behind: true, wake: make(chan struct{}, 1)}
		at, err := l.src.seek(l.end(), after+1)
		if err != nil {
			yield(Frame{}, err)
			return
		}
		if l.w != nil {
			if !l.enlist(w) {
				yield(Frame{}, errClosed())
				return
			}
			defer l.dismiss(w)
		}
		for {
			if at, err = l.catchUp(ctx, w, at, yield); err != nil {
				if err != errStopped {
					yield(Frame{}, err)
				}
				return
			}
			if l.w == nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
			}
			queue, closed := l.take(w)
			l.keep(queue)
			for _, q := range queue {
				if q.Event != nil {
					at = q.after
				}
				if !yield(q.Frame, nil) {
					return
				}
			}
			if closed {
				if _, err = l.catchUp(ctx, w, at, yield); err != errStopped {
					yield(Frame{}, errClosed())
				}
				return
			}
		}
	}
}

// catchUp yields events from the log until the watcher is level with it.
func (l *Log) catchUp(ctx context.Context, w *watcher, at place, yield func(Frame, error) bool) (place, error) {
	for {
		end, behind := l.level(w, at)
		if !behind {
			return at, nil
		}
		l.writeOut()
		for e, err := range l.src.from(&at, end) {
			if err != nil {
				return at, err
			}
			if ctx.Err() != nil || !yield(Frame{Event: &e}, nil) {
				return at, errStopped
			}
		}
		if l.w == nil {
			return at, nil
		}
	}
}

// keep sees to it that the events of a queue outlive this process.
func (c *core) keep(queue []queued) {
	if slices.ContainsFunc(queue, func(q queued) bool { return q.Event != nil }) {
		c.writeOut()
	}
}

// writeOut gives what was appended to the system before a watcher is shown it: a
// viewer keeps its place by what it was shown, so a killed process may take none of
// it back. A disk that fails holds nobody up here; it is told to who appends next.
func (c *core) writeOut() {
	if c.w != nil {
		_ = c.w.WriteOut()
	}
}

// level reports whether a watcher that has read up to at still has to read, and up
// to where. One that is level gets what is streaming now, then live frames.
func (c *core) level(w *watcher, at place) (end int64, behind bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.behind || len(w.queue) > 0 {
		return 0, false
	}
	if c.src.before(at, c.size) {
		return c.size, true
	}
	w.behind = false
	for _, d := range c.deltas.pending() {
		w.push(queued{Frame: Frame{Live: &Live{Type: "delta", Data: d}}})
	}
	return 0, false
}

func (c *core) enlist(w *watcher) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.watchers[w] = struct{}{}
	return true
}

func (c *core) dismiss(w *watcher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watchers, w)
}

func (c *core) take(w *watcher) (queue []queued, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue, w.queue = w.queue, nil
	return queue, c.closed
}

func (c *core) end() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}
