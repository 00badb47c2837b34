package subagent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// entered starts a request and says when it has its slot.
func entered(ctx context.Context, q *queues, depth int, name string, got chan<- string) (leave func()) {
	left := make(chan struct{})
	go func() {
		out, err := q.enter(ctx, "route", 1, depth)
		if err != nil {
			got <- name + " gave up"
			return
		}
		got <- name
		<-left
		out()
	}()
	synctest.Wait()
	return func() { close(left); synctest.Wait() }
}

func TestRequestsOfHelpersWaitForASlotThoseNearestToTheChatFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queues{routes: map[string]*queue{}}
		got := make(chan string, 10)
		chat := entered(t.Context(), q, 0, "chat", got)
		deep := entered(t.Context(), q, 2, "deep", got)
		near := entered(t.Context(), q, 1, "near", got)
		again := entered(t.Context(), q, 0, "chat again", got) // a chat never waits
		chat()
		again()
		near()
		deep()
		close(got)
		var order []string
		for name := range got {
			order = append(order, name)
		}
		if diff := cmp.Diff([]string{"chat", "chat again", "near", "deep"}, order); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if busy := q.routes["route"].busy; busy != 0 {
			t.Errorf("%d slots are taken in the end", busy)
		}
	})
}

func TestARequestThatIsStoppedWhileItWaitsTakesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queues{routes: map[string]*queue{}}
		got := make(chan string, 3)
		first := entered(t.Context(), q, 1, "first", got)
		ctx, stop := context.WithCancelCause(t.Context())
		entered(ctx, q, 1, "second", got)
		stop(errors.New("stopped"))
		synctest.Wait()
		third := entered(t.Context(), q, 1, "third", got)
		first()
		third()
		close(got)
		var order []string
		for name := range got {
			order = append(order, name)
		}
		if diff := cmp.Diff([]string{"first", "second gave up", "third"}, order); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
