package script_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// cacheDir keeps the compiled engine for all tests of the package.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "script-test-")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
