package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"

	"github.com/google/go-cmp/cmp"
)

// retryConfig is what the plugin "retry" of these tests takes.
type retryConfig struct {
	Attempts int               `yaml:"attempts"`
	Wait     time.Duration     `yaml:"wait"`
	Codes    []int             `yaml:"codes"`
	Labels   map[string]string `yaml:"labels"`
	Log      struct {
		Level string `yaml:"level"`
		Every int    `yaml:"every"`
	} `yaml:"log"`
}

func (c *retryConfig) Check() error {
	if c.Attempts < 0 {
		return errors.New("attempts must not be negative")
	}
	return nil
}

func defaults() any {
	c := &retryConfig{Attempts: 5, Wait: time.Second}
	c.Log.Level, c.Log.Every = "info", 10
	return c
}

func idle(*graph.Fiber, any) error { return nil }

func table(t *testing.T) config.Table {
	t.Helper()
	tab, err := config.NewTable(
		graph.Plugin{Name: "retry", Config: defaults, Apply: idle},
		graph.Plugin{Name: "other", Apply: idle},
	)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// files writes a folder of files and gives its path.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const base = `rows:
  - id: llm-retry
    plugin: retry
    config:
      attempts: 3
      labels: {a: one, b: two}
      log: {level: debug}
  - id: second
    plugin: other
`

// load lays patches over base and gives the tree.
func load(t *testing.T, patches ...string) (*config.Tree, error) {
	t.Helper()
	content := map[string]string{"base.yaml": base}
	var names []string
	for i, p := range patches {
		name := "patch" + string(rune('1'+i)) + ".yaml"
		content[name] = p
		names = append(names, name)
	}
	t.Chdir(files(t, content))
	return config.Load(config.Options{Rows: "base.yaml", Patches: names})
}

// configured gives the decoded configuration of llm-retry.
func configured(t *testing.T, tree *config.Tree) *retryConfig {
	t.Helper()
	rows, err := config.Resolve(tree.Rows, table(t))
	if err != nil {
		t.Fatal(err)
	}
	return rows[0].Values.(*retryConfig)
}

func TestLaterLayersWin(t *testing.T) {
	for name, tc := range map[string]struct {
		patches []string
		want    func(*retryConfig)
	}{
		"each named key replaces the one below": {
			[]string{"rows:\n  - id: llm-retry\n    config: {attempts: 8, labels: {c: three}}\n"},
			func(c *retryConfig) { c.Attempts, c.Labels = 8, map[string]string{"c": "three"} },
		},
		"merge deep merges maps": {
			[]string{"rows:\n  - id: llm-retry\n    merge: deep\n    config: {labels: {b: zwei}, log: {every: 1}}\n"},
			func(c *retryConfig) { c.Labels["b"] = "zwei"; c.Log.Every = 1 },
		},
		"without it a map is replaced": {
			[]string{"rows:\n  - id: llm-retry\n    config: {log: {every: 1}}\n"},
			func(c *retryConfig) { c.Log.Level, c.Log.Every = "info", 1 },
		},
		"one row is changed by every later layer": {
			[]string{
				"rows:\n  - id: llm-retry\n    config: {attempts: 8}\n",
				"rows:\n  - id: llm-retry\n    config: {attempts: 9, wait: 20ms}\n",
			},
			func(c *retryConfig) { c.Attempts, c.Wait = 9, 20*time.Millisecond },
		},
		"null brings the default back": {
			[]string{"rows:\n  - id: llm-retry\n    config: {attempts: null}\n"},
			func(c *retryConfig) { c.Attempts = 5 },
		},
		"another plugin starts from its own defaults": {
			[]string{"rows:\n  - id: llm-retry\n    plugin: other\n", "rows:\n  - id: llm-retry\n    plugin: retry\n"},
			func(c *retryConfig) { *c = *defaults().(*retryConfig) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := load(t, tc.patches...)
			if err != nil {
				t.Fatal(err)
			}
			want := defaults().(*retryConfig)
			want.Attempts, want.Labels = 3, map[string]string{"a": "one", "b": "two"}
			want.Log.Level = "debug"
			tc.want(want)
			if diff := cmp.Diff(want, configured(t, tree)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRowsAreInsertedAndDisabled(t *testing.T) {
	tree, err := load(t, "rows:\n  - id: third\n    plugin: other\n  - id: second\n    disabled: true\n", "rows:\n  - id: third\n    disabled: true\n")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := config.Resolve(tree.Rows, table(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Rows) != 3 || len(rows) != 1 || rows[0].ID != "llm-retry" {
		t.Errorf("%d rows, enabled %v", len(tree.Rows), rows)
	}
}

func TestAPatchThatMatchesNothingIsAWarning(t *testing.T) {
	tree, err := load(t, "rows:\n  - id: lm-retry\n    disabled: true\n")
	if err != nil {
		t.Fatal(err)
	}
	want := `patch1.yaml:2:5: no row has the id "lm-retry", so this changes nothing; did you mean "llm-retry"?`
	if len(tree.Warnings) != 1 || tree.Warnings[0].String() != want {
		t.Errorf("warnings %v\nwant %s", tree.Warnings, want)
	}
}

func TestMistakesNameTheirPlaceAndTheNearestRightWord(t *testing.T) {
	for name, tc := range map[string]struct{ patch, want string }{
		"row key":     {"rows:\n  - id: llm-retry\n    disabeld: true\n", `patch1.yaml:3:5: unknown key "disabeld"; did you mean "disabled"?`},
		"file key":    {"row:\n  - id: llm-retry\n", `patch1.yaml:1:1: unknown key "row"; did you mean "rows"?`},
		"config key":  {"rows:\n  - id: llm-retry\n    config:\n      atempts: 1\n", `patch1.yaml:4:7: unknown key "atempts" in config; did you mean "attempts"?`},
		"nested key":  {"rows:\n  - id: llm-retry\n    config:\n      log: {levle: x}\n", `patch1.yaml:4:13: unknown key "levle" in log; did you mean "level"?`},
		"wrong type":  {"rows:\n  - id: llm-retry\n    config: {attempts: many}\n", `patch1.yaml:3:24: attempts wants a whole number, not the text "many"`},
		"in a list":   {"rows:\n  - id: llm-retry\n    config: {codes: [1, x]}\n", `patch1.yaml:3:25: codes[1] wants a whole number, not the text "x"`},
		"duration":    {"rows:\n  - id: llm-retry\n    config: {wait: 10x}\n", `patch1.yaml:3:20: wait wants a duration such as "500ms" or "10s", not the text "10x"`},
		"whole":       {"rows:\n  - id: llm-retry\n    config: {attempts: -1}\n", `attempts must not be negative`},
		"plugin":      {"rows:\n  - id: x\n    plugin: othr\n", `patch1.yaml:3:5: the row x names the plugin "othr", which this build does not have; did you mean "other"?`},
		"no config":   {"rows:\n  - id: second\n    config: {a: 1}\n", `the plugin other takes no config`},
		"twice":       {"rows:\n  - id: second\n  - id: second\n", `patch1.yaml:3:5: the row "second" is already here, at patch1.yaml:2:5; say it once a file`},
		"duplicate":   {"rows:\n  - id: second\n    id: second\n", `patch1.yaml:3:5: mapping key "id" already defined at`},
		"syntax":      {"rows:\n  - id: x\n   bad: 2\n", `patch1.yaml:3:4: value is not allowed in this context`},
		"anchor":      {"rows:\n  - &a {id: x}\n", `patch1.yaml:2:5: Anchor is not understood here`},
		"no id":       {"rows:\n  - plugin: other\n", `patch1.yaml:2:5: the row has no id`},
		"merge":       {"rows:\n  - id: second\n    merge: deeep\n", `patch1.yaml:3:12: merge knows one word`},
		"rows scalar": {"rows: 3\n", `patch1.yaml:1:7: rows wants a list`},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := load(t, tc.patch)
			if err == nil {
				_, err = config.Resolve(tree.Rows, table(t))
			}
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestEmptyPatchChangesNothing(t *testing.T) {
	for _, patch := range []string{"", "# nothing yet\n", "rows:\n", "rows: []\n"} {
		tree, err := load(t, patch)
		if err != nil || len(tree.Rows) != 2 {
			t.Errorf("%q: %v", patch, err)
		}
	}
}

func TestUnknownProfileNamesTheKnownOnes(t *testing.T) {
	home := files(t, map[string]string{"profiles/mine/profile.yaml": "bundles: [base]\n"})
	_, err := config.Load(config.Options{Profile: "nosuch", Home: home})
	want := "the known ones are acp, headless, mine, sdk, sdk-minimal, web."
	if !fault.Is(err, fault.NotFound) || !strings.Contains(fault.Person(err), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if _, err := config.Load(config.Options{Profile: "mine", Home: home}); err != nil {
		t.Error(err)
	}
}

func TestLayersComeInOrder(t *testing.T) {
	home := files(t, map[string]string{"patch.yaml": "rows: []\n", "profiles/web/patch.yaml": "rows: []\n", "extra.yaml": ""})
	tree, err := config.Load(config.Options{Home: home, Patches: []string{filepath.Join(home, "extra.yaml")}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range tree.Layers {
		got = append(got, l.Name)
	}
	if diff := cmp.Diff([]string{"bundle base", "bundle web", "profile patch", "home patch", "patch"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMissingPatchFileIsAnError(t *testing.T) {
	_, err := config.Load(config.Options{Patches: []string{"/nowhere/patch.yaml"}})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(fault.Person(err), "/nowhere/patch.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestMountedRowsRun(t *testing.T) {
	tree, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := config.Resolve(tree.Rows, table(t))
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(graph.Options{})
	defer g.Close(context.Background())
	if err := config.Mount(g.Root(), rows); err != nil {
		t.Fatal(err)
	}
	if err := g.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range g.Inventory() {
		got = append(got, s.Path+" "+s.Plugin+" "+string(s.State))
	}
	if diff := cmp.Diff([]string{"llm-retry retry active", "second other active"}, got); diff != "" {
		t.Error(diff)
	}
}
