package app_test

import (
	"iter"
	"regexp"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// today is the day as the model is told it.
func today() string { return time.Now().Format("2006-01-02 (Monday)") }

// unsteady is what differs from run to run and is left out where it is nothing: the
// process's mark, the ids of rules, times, and sizes that hold a temporary folder's name.
var unsteady = regexp.MustCompile(`"(host)":"[A-Z2-7]{26}"|"(?:ms|firstMs|thinkMs|waitMs)":0,|,"(?:ms|firstMs|thinkMs|waitMs)":0|"(same|prior)":\d+|"(rule|id)":"r[a-z2-7]{8}"`)

// madeUp are the ids that the inbox gives messages of the harness.
var madeUp = regexp.MustCompile(`"u[a-z2-7]{12}"`)

// steady makes the log of a run comparable where its kinds alone cannot.
func steady(log string) string {
	return madeUp.ReplaceAllString(unsteady.ReplaceAllString(log, `$1$2$3`), `"u…"`)
}

// keysOf yields the names of all wants: those that came and those of the archive.
func keysOf(got map[string]string, archive *txtar.Archive) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range got {
			if !yield(name) {
				return
			}
		}
		if archive == nil {
			return
		}
		for _, f := range archive.Files {
			if _, came := got[f.Name]; !came && strings.HasPrefix(f.Name, "want.") && !yield(f.Name) {
				return
			}
		}
	}
}

// difference compares texts line by line; an archive ends every file with a newline.
func difference(want, got string) string {
	lines := func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }
	return cmp.Diff(lines(want), lines(got))
}
