package session_test

import (
	"fmt"
	"os"
	"testing"

	"fairlead/session"
)

// TestMain lets the test binary be another process ("write DIR ID") and removes what
// the benchmarks recorded.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "write" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(os.Args[2], session.ID(os.Args[3])))
		os.Exit(1)
	}
	code := m.Run()
	longSessions.Range(func(_, r any) bool {
		os.RemoveAll(r.(*longRecord).dir)
		return true
	})
	os.Exit(code)
}
