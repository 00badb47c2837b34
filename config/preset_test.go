package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestShippedPresetsAreSound(t *testing.T) {
	// Rows name plugins of this build, which app's tests hold against its table.
	for _, p := range (&config.Presets{}).List() {
		if !p.Shipped || p.Description == "" || p.Broken != "" && !strings.Contains(p.Broken, "which this build does not have") {
			t.Errorf("%+v", p)
		}
	}
}

func TestPresetsOfThePersonAreListedBrokenOnesWithTheirReason(t *testing.T) {
	home := files(t, map[string]string{
		"presets/mine.yaml":     "name: Mine\ndescription: My own.\nprompt: mine.md\nmodel: local/x\nmode: plan\ntools: {allow: [read], deny: [sh*]}\nrows:\n  - {id: r, plugin: retry, config: {attempts: 1}}\n",
		"presets/mine.md":       "Be brief.\n",
		"presets/empty.yaml":    "",
		"presets/minimal.yaml":  "name: Other\n",
		"presets/typo.yaml":     "descripton: x\n",
		"presets/row.yaml":      "rows:\n  - {id: x, plugin: nosuch}\n",
		"presets/noplugin.yaml": "rows:\n  - {id: x}\n",
		"presets/far.yaml":      "prompt: ../../etc/passwd\n",
		"presets/list.yaml":     "- a\n",
		"presets/notes.txt":     "not a preset",
	})
	shelf := &config.Presets{Home: home, Table: table(t)}
	dir := filepath.Join(home, "presets") + string(filepath.Separator)
	var got []config.Preset
	for _, p := range shelf.List() {
		if !p.Shipped {
			p.Broken = strings.ReplaceAll(p.Broken, dir, "")
			got = append(got, p)
		}
	}
	want := []config.Preset{
		{ID: "empty", Name: "empty"},
		{ID: "far", Name: "far", Broken: `far.yaml:1:9: the prompt could not be read: "../../etc/passwd" is not in the presets folder`},
		{ID: "list", Name: "list", Broken: "list.yaml:1:1: a preset is a map with a name and a description"},
		{
			ID: "mine", Name: "Mine", Description: "My own.", Prompt: "Be brief.\n", Model: "local/x", Mode: "plan",
			Tools: config.Tools{Allow: []string{"read"}, Deny: []string{"sh*"}},
		},
		{ID: "minimal", Name: "minimal", Broken: "The name minimal belongs to a shipped preset; rename the file."},
		{ID: "noplugin", Name: "noplugin", Broken: `noplugin.yaml:2:6: no row has the id "x", so this changes nothing`},
		{ID: "row", Name: "row", Broken: `row.yaml:2:13: the row x names the plugin "nosuch", which this build does not have`},
		{ID: "typo", Name: "typo", Broken: `typo.yaml:1:1: unknown key "descripton" in the preset; did you mean "description"?`},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(config.Preset{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := shelf.Find("typo"); !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Person(err), "did you mean") {
		t.Errorf("a broken preset was chosen: %v", err)
	}
	if _, err := shelf.Find("nosuch"); !fault.Is(err, fault.NotFound) || !strings.Contains(fault.Person(err), "standard") {
		t.Errorf("got %v", err)
	}
}

func TestACopiedPresetIsThePersonsOwn(t *testing.T) {
	home := t.TempDir()
	shelf := &config.Presets{Home: home, Table: table(t)}
	path, err := shelf.Copy("minimal", "mine")
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := shelf.Find("minimal")
	if err != nil {
		t.Fatal(err)
	}
	own, err := shelf.Find("mine")
	if err != nil {
		t.Fatal(err)
	}
	shipped.ID, shipped.Shipped = "mine", false
	if diff := cmp.Diff(shipped, own, cmpopts.IgnoreUnexported(config.Preset{})); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{path, filepath.Join(home, "presets", "mine.md")} {
		if s, err := os.Stat(name); err != nil || s.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "presets", "mine.md"), []byte("Other."), 0o600); err != nil {
		t.Fatal(err)
	}
	if own, err = shelf.Find("mine"); err != nil || own.Prompt != "Other." {
		t.Errorf("the edit does not show: %q, %v", own.Prompt, err)
	}
	for to, kind := range map[string]fault.Kind{"mine": fault.Conflict, "graph": fault.Conflict, "../x": fault.Invalid, "A": fault.Invalid} {
		if _, err := shelf.Copy("minimal", to); !fault.Is(err, kind) {
			t.Errorf("copy to %s: %v", to, err)
		}
	}
	for id, kind := range map[string]fault.Kind{"minimal": fault.Denied, "nosuch": fault.NotFound, "../patch": fault.Denied} {
		if err := shelf.Remove(id); !fault.Is(err, kind) {
			t.Errorf("remove %s: %v", id, err)
		}
	}
	if err := shelf.Remove("mine"); err != nil {
		t.Error(err)
	}
	if _, err := shelf.Find("mine"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

func TestSessionsWithDifferentPresetsRunSideBySide(t *testing.T) {
	home := files(t, map[string]string{
		"presets/a.yaml": "rows:\n  - {id: net, plugin: inner-net}\n  - {id: user, plugin: user}\n",
		"presets/b.yaml": "rows:\n  - {id: user, plugin: user}\n",
		"presets/c.yaml": "rows:\n  - {id: wrap, plugin: wrap-net}\n  - {id: user, plugin: user}\n",
		"presets/d.yaml": "rows:\n  - {id: bad, plugin: bad}\n",
	})
	uses := map[string]string{}
	net := func(name string) graph.Plugin {
		return graph.Plugin{Name: name, Provides: []graph.AnyKey{netKey}, Apply: func(f *graph.Fiber, _ any) error {
			value := name
			if outer, err := graph.Get(f, netKey); err == nil {
				value += " of " + outer
			}
			return graph.Provide(f, netKey, value)
		}}
	}
	wrap := net("wrap-net")
	wrap.Inject = []graph.Dependency{graph.Needs(netKey)}
	tab, err := config.NewTable(net("outer-net"), net("inner-net"), wrap,
		graph.Plugin{Name: "user", Inject: []graph.Dependency{graph.Needs(netKey)}, Apply: func(f *graph.Fiber, _ any) (err error) {
			uses[f.Path()], err = graph.Get(f, netKey)
			return err
		}},
		graph.Plugin{Name: "bad", Apply: func(*graph.Fiber, any) error { return errors.New("no disk") }},
	)
	if err != nil {
		t.Fatal(err)
	}
	shelf := &config.Presets{Home: home, Table: tab}
	g := graph.New(graph.Options{})
	defer g.Close(context.Background())
	if _, err := g.Root().Plug("net", tab["outer-net"], nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		p, err := shelf.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		scope, err := p.Mount(t.Context(), g.Root(), "session-"+id)
		if err != nil {
			t.Fatal(err)
		}
		defer scope.Dispose(context.Background())
	}
	want := map[string]string{"session-a/user": "inner-net", "session-b/user": "outer-net", "session-c/user": "wrap-net of outer-net"}
	if diff := cmp.Diff(want, uses); diff != "" {
		t.Error(diff)
	}
	bad, err := shelf.Find("d")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Mount(t.Context(), g.Root(), "session-d"); err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("got %v", err)
	}
	if _, found := g.Find("session-d"); found {
		t.Error("a preset that could not be mounted left its realm behind")
	}
}
