package storetest_test

import (
	"testing"

	"fairlead/session"
	"fairlead/session/storetest"
)

func TestMemoryKeepsThePromisesOfAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() session.Store {
		m := &storetest.Memory{}
		return func() session.Store { return m }
	})
}
