package toolbox_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/tool"
)

func TestGrepAnswersByFile(t *testing.T) {
	h := newHouse(t)
	h.put("a.go", "package a\n\nfunc One() {}\nfunc Two() {}\n")
	h.put("sub/b.go", "package b\r\n\r\nfunc Three() {}\r\n")
	h.put("c.txt", "func in text\n")
	h.put("bin", "func\x00")
	h.put(".gitignore", "ignored/\n")
	h.put("ignored/d.go", "func Four() {}\n")
	h.put(".env", "func=secret\n")
	h.put("latin.txt", "caf\xe9 func\n")
	h.put("wide.txt", "\xff\xfew\x00i\x00d\x00e\x00\n\x00")
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"all":         {args{"pattern": "func"}, "a.go\n3→func One() {}\n4→func Two() {}\nc.txt\n1→func in text\nlatin.txt\n1→café func\nsub/b.go\n3→func Three() {}\n[not searched: .env (may hold secrets; name one as path to ask for it)]"},
		"glob":        {args{"pattern": `^func \w+`, "glob": "*.go"}, "a.go\n3→func One() {}\n4→func Two() {}\nsub/b.go\n3→func Three() {}"},
		"end of line": {args{"pattern": `\{\}$`, "path": "sub"}, "sub/b.go\n3→func Three() {}"},
		"one file":    {args{"pattern": "Two", "path": "a.go"}, "a.go\n4→func Two() {}"},
		"files":       {args{"pattern": "package", "files": true}, "a.go\nsub/b.go\n[left out: .env (may hold secrets; name one as path to ask for it)]"},
		"any case":    {args{"pattern": "FUNC two", "ignore_case": true, "glob": "*.go"}, "a.go\n4→func Two() {}"},
		"context":     {args{"pattern": "One", "context": 1, "glob": "*.go"}, "a.go\n2-\n3→func One() {}\n4-func Two() {}"},
		"alternation": {args{"pattern": "One|Three", "glob": "*.go"}, "a.go\n3→func One() {}\nsub/b.go\n3→func Three() {}"},
		"no literal":  {args{"pattern": `[A-Z]\w{4}`, "glob": "*.go"}, "sub/b.go\n3→func Three() {}"},
		"not ASCII":   {args{"pattern": "café"}, "latin.txt\n1→café func\n[not searched: .env (may hold secrets; name one as path to ask for it)]"},
		"UTF-16":      {args{"pattern": "^wide$", "glob": "*.txt"}, "wide.txt\n1→wide"},
		"nothing":     {args{"pattern": "nowhere", "glob": "*.go"}, "No match."},
		"a secret":    {args{"pattern": "func", "path": ".env"}, ".env\n1→func=secret"},
		"ignored":     {args{"pattern": "func", "path": "ignored"}, "ignored/d.go\n1→func Four() {}"},
	} {
		if got := h.ok("grep", c.args); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
	r := h.run("grep", args{"pattern": "func", "glob": "*.go"})
	var view map[string]any
	if err := json.Unmarshal(r.View, &view); err != nil || view["kind"] != "search" || view["matches"] != 3.0 || view["files"] != 2.0 {
		t.Errorf("view %s", r.View)
	}
}

func TestPatternErrorsAreExplained(t *testing.T) {
	h := newHouse(t)
	for pattern, says1 := range map[string]string{
		"func(":   `\( or \)`,
		"a[":      `\[`,
		"(?=x)":   "Lookaheads",
		`\1`:      "Back references",
		"*x":      `\*`,
		"a{2000}": "1000 at most",
	} {
		says(t, h.refused("INVALID_PATTERN", "grep", args{"pattern": pattern}), "is not valid", says1)
	}
	says(t, h.refused("INVALID_PATTERN", "glob", args{"pattern": "a{b"}), "is not a pattern")
	says(t, h.refused("INVALID_PATTERN", "grep", args{"pattern": "x", "glob": "[a"}), "is not a pattern")
}

func TestManyMatchesAreKeptWhole(t *testing.T) {
	h := newHouse(t)
	for i := range 10 {
		h.put(fmt.Sprintf("f%d.txt", i), strings.Repeat("a match\n", 100))
	}
	r := h.run("grep", args{"pattern": "match"})
	text := llm.Plain(r.Content)
	says(t, text, "[250 of 1,000 matches in 10 files shown; the whole list: read with path spill:")
	if n := strings.Count(text, "→a match"); n != 250 {
		t.Errorf("%d matches shown", n)
	}
	whole, err := tool.Kept(h.log, tool.Locator(*r.Spill))
	if err != nil || strings.Count(string(whole), "→a match") != 1000 {
		t.Errorf("kept %d bytes, %v", len(whole), err)
	}
}

func TestLongMatchingLinesAreShownAroundTheMatch(t *testing.T) {
	h := newHouse(t)
	h.put("min.js", strings.Repeat("x", 100_000)+"needle"+strings.Repeat("y", 100_000)+"\n")
	text := h.ok("grep", args{"pattern": "needle"})
	says(t, text, "needle", "[line of 200 KB]", "→…x")
	if len(text) > 1000 {
		t.Errorf("%d bytes for one match", len(text))
	}
}

func TestGlobFindsByNameAndByPath(t *testing.T) {
	h := newHouse(t)
	for _, f := range []string{"a.go", "b.ts", "src/c.go", "src/d.tsx", "src/deep/e.ts", "node_modules/f.ts", ".github/g.yml", ".git/config"} {
		h.put(f, "")
	}
	h.put(".gitignore", "node_modules\n")
	for pattern, want := range map[string]string{
		"*.go":               "a.go\nsrc/c.go",
		"src/*.go":           "src/c.go",
		"src/**/*.{ts,tsx}":  "src/d.tsx\nsrc/deep/e.ts",
		"**/*.yml":           ".github/g.yml",
		h.dir + "/src/*.tsx": "src/d.tsx",
		"./a.*":              "a.go",
		"none":               "[no file matches; left out: 1 entry that ignore files name]",
	} {
		if got := h.ok("glob", args{"pattern": pattern}); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", pattern, got, want)
		}
	}
	if got := h.ok("glob", args{"pattern": "*.ts", "path": "src/deep"}); got != "src/deep/e.ts" {
		t.Errorf("below a folder: %s", got)
	}
	says(t, h.refused("NOT_FOUND", "glob", args{"pattern": "*", "path": "nope"}), "does not exist")
}

func TestListShowsFoldersFirst(t *testing.T) {
	h := newHouse(t)
	h.put("b.txt", "12345")
	h.put("a/x", "")
	h.put("ignored", "")
	h.put(".gitignore", "ignored\n")
	if err := os.Symlink("b.txt", h.path("l")); err != nil {
		t.Fatal(err)
	}
	want := "a/\n.gitignore  8 bytes\nb.txt  5 bytes\nl → b.txt\n[left out: 1 ignored entry]"
	if got := h.ok("list", args{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	says(t, h.refused("NOT_A_FOLDER", "list", args{"path": "b.txt"}), "use read")
	says(t, h.refused("NOT_FOUND", "list", args{"path": "zz"}), "does not exist")
	if err := os.Mkdir(h.path("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := h.ok("list", args{"path": "empty"}); got != "The folder is empty." {
		t.Errorf("got %s", got)
	}
}

func TestTodoIsShownWhole(t *testing.T) {
	h := newHouse(t)
	text := h.ok("todo", args{"items": []args{{"text": "look", "state": "done"}, {"text": "build", "state": "doing"}, {"text": "test", "state": "open"}}})
	says(t, text, "1 done, 1 doing, 1 open")
	got, err := json.Marshal(h.log.Snapshot()["todo"])
	if err != nil || string(got) != `{"items":[{"text":"look","state":"done"},{"text":"build","state":"doing"},{"text":"test","state":"open"}]}` {
		t.Errorf("projection %s, %v", got, err)
	}
	says(t, h.refused(tool.CodeArguments, "todo", args{"items": []args{{"text": "x", "state": "later"}}}), `"items[0].state" must be one of`)
	h.ok("todo", args{"items": []args{}})
}

func BenchmarkGrep(b *testing.B) {
	h := newHouse(b)
	for d := range 50 {
		for f := range 100 {
			h.put(fmt.Sprintf("m%d/f%d.go", d, f), strings.Repeat("func alpha(beta string) error { return gamma(beta) }\n", 60)+"needle\n")
		}
	}
	for name, pattern := range map[string]string{"literal": "needle", "words": `\w+\(gamma`, "alternatives": "delta|needle"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ok("grep", args{"pattern": pattern, "files": true})
			}
			b.ReportMetric(5000*float64(b.N)/b.Elapsed().Seconds(), "files/s")
		})
	}
}
