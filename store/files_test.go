package store_test

import (
	"testing"

	"fairlead/session"
	"fairlead/session/storetest"
	"fairlead/store"
)

func TestFilesKeepThePromisesOfAStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() session.Store {
		dir := t.TempDir()
		return func() session.Store { return store.New(store.Options{Dir: dir}) }
	})
}
