//go:build gopls

package toolbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fairlead/toolbox"
)

// TestGoplsIsAsked builds the language server that tools/gopls pins and asks it, as a
// real process in the sandbox: go test -tags gopls, or make gopls.
func TestGoplsIsAsked(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gopls")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "golang.org/x/tools/gopls")
	build.Dir = "../tools/gopls"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := newHouseWith(t, toolbox.LanguageServer{Command: []string{program}, Endings: []string{".go"}, Language: "go", Options: map[string]any{"pullDiagnostics": true}})
	h.put("go.mod", "module example\n\ngo 1.24\n")
	h.put("area/area.go", "package area\n\n// Square has four sides.\ntype Square struct{ Side int }\n\n// Size is its area.\nfunc (s Square) Size() int { return s.Side * s.Side }\n")
	h.put("main.go", "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example/area\"\n)\n\nfunc main() {\n\ts := area.Square{Side: 2}\n\tfmt.Println(s.Size())\n}\n")

	if got, want := h.lsp("definition", "main.go", "Size", nil), "area/area.go:7:17  func (s Square) Size() int { return s.Side * s.Side }"; got != want {
		t.Errorf("definition: %q", got)
	}
	if got, want := h.lsp("references", "area/area.go", "Square", nil), "area/area.go:4:6  type Square struct{ Side int }\narea/area.go:7:9  func (s Square) Size() int { return s.Side * s.Side }\nmain.go:10:12  s := area.Square{Side: 2}"; got != want {
		t.Errorf("references: %q", got)
	}
	says(t, h.lsp("hover", "main.go", "Size", nil), "func (s area.Square) Size() int", "Size is its area.")
	says(t, h.lsp("symbols", "area/area.go", "", nil), "4: struct Square", "7: method (Square).Size")
	says(t, h.lsp("symbols", "main.go", "", args{"query": "Square"}), "area/area.go:4: struct")
	says(t, h.lsp("diagnostics", "main.go", "", nil), "finds nothing wrong in main.go")

	// A change through the tools, in another file too, is known at once.
	h.ok("read", args{"path": "area/area.go"})
	h.ok("edit", args{"path": "area/area.go", "old": "Size() int", "new": "Extent() int"})
	says(t, h.lsp("diagnostics", "main.go", "", nil), "main.go:11:16: error: s.Size undefined")
	says(t, h.refused("NO_MATCH", "lsp", args{"action": "hover", "path": "main.go", "symbol": "nowhere"}), `"nowhere" does not stand in main.go`)
	if entries, err := os.ReadDir(h.dir); err != nil || len(entries) != 3 {
		t.Errorf("the server left something in the folder: %v, %v", entries, err)
	}
}
