//go:build ripgrep

package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/tool"
)

// These stand beside ripgrep, which has to be on the machine: make ripgrep.

// ripgrep runs it in a folder; that it finds nothing is no failure.
func ripgrep(t testing.TB, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "rg", args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("rg %v: %v", args, err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	slices.Sort(lines)
	return lines
}

func TestIgnoreRulesEqualRipgreps(t *testing.T) {
	dir := plant(t, ignoreTree)
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := ripgrep(t, dir, "--files", "--hidden", "--glob", "!.git", "--no-ignore-global", "--no-ignore-parent")
	got := walkAll(t, dir)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-ripgrep +ours):\n%s", diff)
	}
}

// BenchmarkGrepBesideRipgrep searches 50,000 files in turns with ripgrep and reports
// how fast the tool is as a share of it: 1 is as fast.
func BenchmarkGrepBesideRipgrep(b *testing.B) {
	dir := b.TempDir()
	body := strings.Repeat("func alpha(beta string) error { return gamma(beta) }\n", 40)
	for d := range 500 {
		at := filepath.Join(dir, fmt.Sprintf("pkg%d/part%d", d%25, d))
		if err := os.MkdirAll(at, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range 100 {
			text := body[:len(body)-53*(f%30)]
			if (d*100+f)%997 == 0 {
				text += "needle\n"
			}
			if err := os.WriteFile(filepath.Join(at, fmt.Sprintf("file%d.go", f)), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, pattern := range map[string]string{"literal": "needle", "words": `needle|\w+_gamma`, "nothing": "nowhere to be found"} {
		b.Run(name, func(b *testing.B) {
			var ours, theirs time.Duration
			for b.Loop() {
				began := time.Now()
				found := grepFiles(b, dir, pattern)
				ours += time.Since(began)
				began = time.Now()
				want := ripgrep(b, dir, "--files-with-matches", "--hidden", "--no-messages", "--threads", "2", pattern, ".")
				theirs += time.Since(began)
				if want[0] != "" && found != len(want) || want[0] == "" && found != 0 {
					b.Fatalf("%d files, ripgrep has %d", found, len(want))
				}
			}
			b.ReportMetric(float64(theirs)/float64(ours), "of-ripgrep")
			b.ReportMetric(50_000*float64(b.N)/ours.Seconds(), "files/s")
		})
	}
}

// grepFiles runs the tool and counts the files it names.
func grepFiles(b *testing.B, dir, pattern string) int {
	b.Helper()
	args, err := json.Marshal(map[string]any{"pattern": pattern, "files": true})
	if err != nil {
		b.Fatal(err)
	}
	r, err := grepper{}.Run(context.Background(), &tool.Call{Tool: "grep", Args: args, Folder: dir})
	if err != nil {
		b.Fatal(err)
	}
	return strings.Count(llm.Plain(r.Content), ".go")
}
