package toolbox

import (
	"os"
	"sync"
	"testing"
)

// walkAll gives the files that a walk of a folder shows.
func walkAll(t *testing.T, dir string) []string {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var mu sync.Mutex
	var files []string
	w := &walk{visit: func(_ int, f found) {
		if !f.entry.IsDir() {
			mu.Lock()
			files = append(files, f.rel)
			mu.Unlock()
		}
	}}
	if err := w.run(t.Context(), root, rulesAbove(dir, dir)); err != nil {
		t.Fatal(err)
	}
	return files
}
