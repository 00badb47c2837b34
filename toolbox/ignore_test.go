package toolbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPatternsMatchAsInGitignore(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*.go", "x.go", true}, {"*.go", "d/x.go", false}, {"d/*.go", "d/x.go", true},
		{"**/x", "x", true}, {"**/x", "a/b/x", true}, {"a/**", "a", false}, {"a/**", "a/b", true}, {"a/**", "a/b/c", true},
		{"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true}, {"a/**/b", "ab", false}, {"a?c", "abc", true}, {"a?c", "a/c", false},
		{"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[!a-c]x", "dx", true}, {"[]x]", "]", true}, {"[[:digit:]]", "7", true}, {"[a", "a", false},
		{`\*`, "*", true}, {`\*`, "x", false}, {`a\[b`, "a[b", true}, {"é?", "éß", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "axxbyy", false},
		{"**/a/**/b", "x/a/y/z/b", true}, {"**/a/**/b", "x/a/y/a/b/c", false}, {"a**b", "axb", true}, {"**", "x/y", true},
		{strings.Repeat("*a", 40), strings.Repeat("a", 200) + "b", false},
		{strings.Repeat("**/a/", 30) + "b", strings.Repeat("a/", 100) + "c", false},
	} {
		if got := matchPath(c.pattern, c.path); got != c.want {
			t.Errorf("%q against %q: %t", c.pattern, c.path, got)
		}
	}
}

// ignoreTree is a tree with ignore files at several depths.
var ignoreTree = map[string]string{
	".gitignore": "*.log\n!keep.log\n/build/\nnode_modules/\ndoc/*.txt\n# comment\n\\#real\n\\!real\ntrail \\ \nspaced   \n**/deep/x\na/**/z\n*.tmp\n!important.tmp\n/only-root\nfoo[0-9]\n",
	"a.log":      "", "keep.log": "", "src/a.log": "", "src/keep.log": "", "src/b.go": "",
	"build/out": "", "src/build/out": "", "node_modules/x/y.js": "", "src/node_modules/z.js": "",
	"doc/a.txt": "", "doc/sub/a.txt": "", "#real": "", "!real": "", "spaced": "", "deep/x": "", "src/deep/x": "", "src/deep/y": "",
	"a/z": "", "a/b/z": "", "a/b/c/z": "", "a/b/c/y": "", "x.tmp": "", "important.tmp": "", "only-root": "", "src/only-root": "", "foo1": "", "foox": "",
	"src/.gitignore": "!a.log\nsub/\n!sub/keep\n/local\nvendor/*\n!vendor/own\n",
	"src/sub/keep":   "", "src/sub/x": "", "src/local": "", "src/deeper/local": "", "src/vendor/a": "", "src/vendor/own": "", "src/vendor/other/x": "",
	"src/deeper/.gitignore": "*\n!*.go\n!.gitignore\n",
	"src/deeper/x.go":       "", "src/deeper/x.js": "", ".hidden/file": "", "ünï/cödé.log": "", "ünï/x": "",
}

func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestIgnoreRulesEqualGits compares what a walk shows with what git itself would
// take for untracked files.
func TestIgnoreRulesEqualGits(t *testing.T) {
	dir := plant(t, ignoreTree)
	git := exec.Command("git", "init", "-q")
	git.Dir = dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git is needed for this test: %v %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("foox\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := exec.Command("git", "-c", "core.quotePath=false", "-c", "core.excludesFile=/dev/null", "ls-files", "--others", "--exclude-standard")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(out))
	slices.Sort(want)
	var got []string
	for _, rel := range walkAll(t, dir) {
		if rel != "" {
			got = append(got, rel)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-git +ours):\n%s", diff)
	}
}

// FuzzIgnore shows that no pattern makes matching panic or hang, and that a pattern
// without special characters matches exactly itself.
func FuzzIgnore(f *testing.F) {
	f.Add("a/**/b\n!x[a-", "a/x/b")
	f.Add("[[:alpha:]]*?\\", "é")
	f.Add("***/**/**", "a//b")
	f.Fuzz(func(t *testing.T, rules, path string) {
		set := &ignoreRules{rules: parseIgnore(rules)}
		set.ignored(path, true)
		set.ignored(path, false)
		if path != "" && !strings.ContainsAny(path, "*?[\\") && !matchPath(path, path) {
			t.Fatalf("%q does not match itself", path)
		}
	})
}
