package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"fairlead/config"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDumpSaysWhereEachKeyCameFrom(t *testing.T) {
	tree, err := load(t, "rows:\n  - id: llm-retry\n    merge: deep\n    config:\n      labels: {c: \"yes\"}\n      codes: [429, 503]\n  - id: second\n    disabled: true\n")
	if err != nil {
		t.Fatal(err)
	}
	want := `# effective configuration of the profile web; load it with --rows
# layer rows: base.yaml
# layer patch: patch1.yaml
rows:
  - id: llm-retry  # base.yaml:2:5
    plugin: retry  # base.yaml:3:5
    config:
      attempts: 3  # base.yaml:5:7
      labels:  # base.yaml:6:7
        a: one  # base.yaml:6:16
        b: two  # base.yaml:6:24
        c: "yes"  # patch1.yaml:5:16
      log:  # base.yaml:7:7
        level: debug  # base.yaml:7:13
      codes:  # patch1.yaml:6:7
        - 429  # patch1.yaml:6:15
        - 503  # patch1.yaml:6:20
  - id: second  # base.yaml:8:5
    plugin: other  # base.yaml:9:5
    disabled: true  # patch1.yaml:8:5
`
	if diff := cmp.Diff(want, tree.Dump()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var comments = regexp.MustCompile(`(?m)(^#.*\n|  # .*$)`)

// roundtrip loads a dump back and compares trees and, but for comments, bytes.
func roundtrip(t *testing.T, tree *config.Tree) {
	t.Helper()
	first := tree.Dump()
	path := filepath.Join(t.TempDir(), "rows.yaml")
	if err := os.WriteFile(path, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := config.Load(config.Options{Rows: path})
	if err != nil {
		t.Fatalf("the dump does not load back: %v\n%s", err, first)
	}
	origins := cmp.Options{cmpopts.IgnoreTypes(config.Origin{})}
	if diff := cmp.Diff(tree.Rows, again.Rows, origins); diff != "" {
		t.Errorf("the tree changed:\n%s\n%s", diff, first)
	}
	if diff := cmp.Diff(comments.ReplaceAllString(first, ""), comments.ReplaceAllString(again.Dump(), "")); diff != "" {
		t.Errorf("the bytes changed:\n%s", diff)
	}
}

func TestDumpLoadsBackToTheSameTree(t *testing.T) {
	for name, config := range map[string]string{
		"scalars": `{a: 1, b: -2, c: 18446744073709551615, d: 1.5, e: 2.0, f: true, g: "true", h: "", i: "1", j: 1e3, k: .5}`,
		"texts":   `{a: "two words", b: "tab\tand # mark", c: 'it''s', d: "line\nline\n", e: "ünï \u2028", f: "- x", g: "a: b", h: "~", i: "0x1f", j: "2020-01-01", k: " lead"}`,
		"nested":  `{m: {n: {o: [[1, 2], [3, [4]], {p: 1, q: [5]}, {}, []]}}, empty: {}, none: [], l: [{a: {b: 1}, c: 2}]}`,
		"keys":    `{"two words": 1, "yes": 2, "1": 3, "a:b": 4}`,
		"nulls":   `{m: {a: null}, l: [null, 1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := load(t, "rows:\n  - id: second\n    config: "+config+"\n")
			if err != nil {
				t.Fatal(err)
			}
			roundtrip(t, tree)
		})
	}
}

func TestDumpOfEveryProfileLoadsBack(t *testing.T) {
	for _, profile := range config.Profiles("") {
		tree, err := config.Load(config.Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		if len(tree.Warnings) > 0 {
			t.Errorf("%s: %v", profile, tree.Warnings)
		}
		roundtrip(t, tree)
	}
}

func FuzzDumpLoadsBack(f *testing.F) {
	f.Add("key", "value")
	f.Add("a b", "x\ny")
	f.Add("#", "\u0085 \xff")
	f.Fuzz(func(t *testing.T, key, value string) {
		path := filepath.Join(t.TempDir(), "rows.yaml")
		text := "rows:\n  - id: a\n    plugin: b\n    config:\n      " + key + ": " + value + "\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := config.Load(config.Options{Rows: path})
		if err != nil {
			return // not a file of ours
		}
		roundtrip(t, tree)
	})
}
