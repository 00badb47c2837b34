package graph_test

import (
	"context"
	"testing"
	"testing/synctest"

	"fairlead/graph"
)

func TestABellWakesEveryoneAndNoRingIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var bell graph.Bell
		value := 0
		bell.Ring() // nobody waits
		seen := make(chan int)
		for range 2 {
			go func() {
				for v := range graph.Watch(ctx, &bell, func() int { return value }) {
					seen <- v
				}
			}()
		}
		for want := range 3 {
			for range 2 {
				if got := <-seen; got != want {
					t.Errorf("saw %d, want %d", got, want)
				}
			}
			synctest.Wait() // both wait again
			value++
			bell.Ring()
		}
		for range 2 {
			<-seen
		}
		cancel()
	})
}
