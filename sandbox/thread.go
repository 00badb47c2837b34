package sandbox

import (
	"runtime"
	"sync"
)

// thread is one thread of the operating system that does what it is given and
// nothing else. Linux ends a keeper together with the thread that started it, and
// Go ends threads as it sees fit; this one lives until it is ended. It starts with
// its first work.
type thread struct {
	mu   sync.Mutex
	work chan func()
}

// do runs f on the thread and waits for it.
func (t *thread) do(f func()) {
	done := make(chan struct{})
	t.running() <- func() {
		defer close(done)
		f()
	}
	<-done
}

func (t *thread) running() chan<- func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.work == nil {
		t.work = make(chan func())
		go serve(t.work)
	}
	return t.work
}

// end lets the thread go, and with it every keeper that it started and that still
// lives. Work given after that starts a new one.
func (t *thread) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.work != nil {
		close(t.work)
		t.work = nil
	}
}

func serve(work <-chan func()) {
	runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
	for f := range work {
		f()
	}
}
