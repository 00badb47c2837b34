package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// update is the flag of every test binary that links this package.
var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updating reports whether golden files are being written, for tests that keep them
// in a form of their own.
func Updating() bool { return *update }

// Golden compares text with the golden file at path, or writes the file where the
// test runs with -update.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with -update, and read it before it is committed", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nIf this is meant, run the test with -update.", path, diff)
	}
}
