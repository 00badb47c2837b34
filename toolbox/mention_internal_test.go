package toolbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMentionsFitWhatWasTyped(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.sh", "src/report/main.go", "src/writer.go", "src/writer_test.go", "out/report.txt", ".gitignore"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("out/\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string][]string{
		"report": {"report.sh", "src/report/", "src/report/main.go"}, // out/ is ignored
		"WRIT":   {"src/writer.go", "src/writer_test.go"},
		"src/w":  {"src/writer.go", "src/writer_test.go"},
		"smg":    {"src/report/main.go"},
		"nosuch": {},
	} {
		got, err := mentions(t.Context(), dir, typed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
}
