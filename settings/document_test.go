package settings_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/settings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type looks struct {
	Theme string        `yaml:"theme" doc:"Colours." enum:"light,dark,system"`
	Scale float64       `yaml:"scale"`
	Wait  time.Duration `yaml:"wait"`
	Fonts []string      `yaml:"fonts"`
	Keys  struct {
		Send string `yaml:"send"`
		Stop string `yaml:"stop"`
	} `yaml:"keys"`
}

var (
	looksSection = settings.NewSection("ui", "How the page looks.", looks{Theme: "system", Scale: 1, Wait: time.Second})
	loopSection  = settings.NewSection("loop", "How turns run.", struct {
		Count int  `yaml:"count"`
		Hold  bool `yaml:"hold"`
	}{Count: 0})
)

// open makes a document with the sections declared, on a file of the given text.
func open(t *testing.T, text string) (*settings.Document, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.yaml")
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reopen(t, path), path
}

func reopen(t *testing.T, path string) *settings.Document {
	t.Helper()
	d, err := settings.Open(settings.Options{File: path, Secret: (&settings.Redactor{}).Secret})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(graph.Options{})
	t.Cleanup(func() { g.Close(context.Background()) })
	d.Declare(g.Root(), looksSection, loopSection)
	return d
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAPatchChangesOnlyTheLinesItIsAbout(t *testing.T) {
	const before = `# my settings
ui:
    theme: dark   # easy on the eyes
    keys:
        # as in other programs
        send: enter

    futureKey: {kept: true}
# about the loop
loop:
    count: 3

other-version:
    - of: this
`
	for name, tc := range map[string]struct {
		changes map[string]any
		want    string
	}{
		"a value":                 {map[string]any{"loop.count": 4.0}, strings.Replace(before, "count: 3", "count: 4", 1)},
		"a new key":               {map[string]any{"loop.hold": true}, strings.Replace(before, "    count: 3\n", "    count: 3\n    hold: true\n", 1)},
		"a nested key":            {map[string]any{"ui.keys.send": "ctrl-enter"}, strings.Replace(before, "send: enter", "send: ctrl-enter", 1)},
		"a new nested key":        {map[string]any{"ui.keys.stop": "esc"}, strings.Replace(before, "send: enter\n", "send: enter\n        stop: esc\n", 1)},
		"a list":                  {map[string]any{"ui.fonts": []any{"A b", "C"}}, strings.Replace(before, "    futureKey: {kept: true}\n", "    futureKey: {kept: true}\n    fonts:\n      - \"A b\"\n      - C\n", 1)},
		"back to the default":     {map[string]any{"ui.theme": nil}, strings.Replace(before, "    theme: dark   # easy on the eyes\n", "", 1)},
		"the last key of a map":   {map[string]any{"ui.keys.send": nil}, strings.Replace(before, "    keys:\n        # as in other programs\n        send: enter\n", "", 1)},
		"the last of a section":   {map[string]any{"loop.count": nil}, strings.Replace(before, "loop:\n    count: 3\n", "", 1)},
		"nothing":                 {map[string]any{}, before},
		"what is not there":       {map[string]any{"loop.hold": nil}, before},
		"several":                 {map[string]any{"ui.theme": "light", "loop.count": 9.0}, strings.NewReplacer("theme: dark   # easy on the eyes", "theme: light", "count: 3", "count: 9").Replace(before)},
		"whole map for its keys":  {map[string]any{"ui.keys": map[string]any{"stop": "esc"}}, strings.Replace(before, "    keys:\n        # as in other programs\n        send: enter\n", "    keys:\n      stop: esc\n", 1)},
		"a fraction stays itself": {map[string]any{"ui.scale": 1.25}, strings.Replace(before, "    futureKey: {kept: true}\n", "    futureKey: {kept: true}\n    scale: 1.25\n", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			d, path := open(t, before)
			if _, err := d.Patch(t.Context(), d.Revision(), tc.changes); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, content(t, path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPatchWritesIntoWhateverIsThere(t *testing.T) {
	for name, tc := range map[string]struct{ before, want string }{
		"no file":          {"", "loop:\n  count: 7\n"},
		"comments only":    {"# nothing yet\n", "# nothing yet\nloop:\n  count: 7\n"},
		"no final newline": {"ui:\n  theme: dark", "ui:\n  theme: dark\nloop:\n  count: 7\n"},
		"windows lines":    {"ui:\r\n  theme: dark\r\n", "ui:\r\n  theme: dark\r\nloop:\r\n  count: 7\r\n"},
		"empty section":    {"loop:\nui:\n  theme: dark\n", "loop:\n  count: 7\nui:\n  theme: dark\n"},
		"section in flow":  {"loop: {hold: true}\n", "loop:\n  hold: true\n  count: 7\n"},
		"all in flow":      {`{"loop": {"hold": true}, "x": [1]}`, "loop:\n  hold: true\n  count: 7\nx:\n  - 1\n"},
		"null document":    {"null\n", "loop:\n  count: 7\n"},
		"a marker":         {"---\nui:\n  theme: dark\n", "---\nui:\n  theme: dark\nloop:\n  count: 7\n"},
		"byte order mark":  {"\ufeffui:\n  theme: dark\n", "\ufeffui:\n  theme: dark\nloop:\n  count: 7\n"},
		"block text":       {"ui:\n  note: |\n    # no comment\n\n    end\n# c\n", "ui:\n  note: |\n    # no comment\n\n    end\nloop:\n  count: 7\n# c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d, path := open(t, tc.before)
			snap, err := d.Patch(t.Context(), d.Revision(), map[string]any{"loop.count": 7.0})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, content(t, path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if settings.Get(d, loopSection).Count != 7 || snap.Revision != d.Revision() {
				t.Errorf("not in force: %+v", snap)
			}
		})
	}
}

func TestWrongWritesChangeNothing(t *testing.T) {
	const before = "ui:\n  theme: dark\n"
	for name, tc := range map[string]struct {
		changes map[string]any
		says    string
	}{
		"no such section": {map[string]any{"looks.theme": "x"}, `no setting "looks.theme"`},
		"no such key":     {map[string]any{"ui.thme": "dark"}, `did you mean "theme"?`},
		"a whole section": {map[string]any{"ui": map[string]any{}}, `no setting "ui"`},
		"wrong kind":      {map[string]any{"loop.count": "many"}, "wants a whole number"},
		"a secret":        {map[string]any{"ui.theme": "sk-" + strings.Repeat("a1", 20)}, "is a key or password"},
		"a secret inside": {map[string]any{"ui.fonts": []any{"sk-" + strings.Repeat("a1", 20)}}, "is a key or password"},
	} {
		t.Run(name, func(t *testing.T) {
			d, path := open(t, before)
			_, err := d.Patch(t.Context(), d.Revision(), tc.changes)
			if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Person(err), tc.says) {
				t.Errorf("got  %v\nwant %s", err, tc.says)
			}
			if content(t, path) != before {
				t.Error("the file was changed")
			}
		})
	}
}

func TestAStaleRevisionIsRefused(t *testing.T) {
	d, path := open(t, "loop:\n  count: 1\n")
	stale := d.Revision()
	if err := os.WriteFile(path, []byte("loop:\n  count: 2 # by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := d.Patch(t.Context(), stale, map[string]any{"loop.count": 3.0})
	if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != "settings-changed" {
		t.Errorf("got %v", err)
	}
	if got := content(t, path); got != "loop:\n  count: 2 # by hand\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestNoWriteOfTwoWritersIsLost(t *testing.T) {
	d, path := open(t, "")
	other := reopen(t, path)
	const each = 10
	var writers sync.WaitGroup
	for _, doc := range []*settings.Document{d, other, d} {
		writers.Go(func() {
			for done := 0; done < each; {
				if err := doc.Refresh(); err != nil {
					t.Error(err)
					return
				}
				snap := doc.Snapshot()
				count := settings.Get(doc, loopSection).Count
				if snap.Revision != doc.Revision() {
					continue // another wrote between the two readings
				}
				_, err := doc.Patch(t.Context(), snap.Revision, map[string]any{"loop.count": float64(count + 1)})
				switch {
				case err == nil:
					done++
				case !fault.Is(err, fault.Conflict):
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	if got := settings.Get(d, loopSection).Count; got != 3*each {
		t.Errorf("count is %d, want %d", got, 3*each)
	}
}

func TestAFileWithAMistakeIsNeverReset(t *testing.T) {
	for name, tc := range map[string]struct{ text, place string }{
		"syntax":          {"ui:\n  theme: [dark\n", "settings.yaml:2:"},
		"two documents":   {"ui: {}\n---\nui: {}\n", "settings.yaml:3:1: a second document"},
		"another charset": {"ui:\n  theme: \xc4\xe3\n", "settings.yaml:2:10: a byte that is not UTF-8"},
		"no map":          {"- ui\n", "settings.yaml:1:1: the settings are a map of sections"},
		"duplicate":       {"ui: {}\nui: {}\n", "settings.yaml:2:1: mapping key \"ui\" already defined"},
	} {
		t.Run(name, func(t *testing.T) {
			d, path := open(t, tc.text)
			if got := settings.Get(d, looksSection).Theme; got != "system" {
				t.Errorf("theme is %q, want the default", got)
			}
			problems := d.Snapshot().Problems
			if len(problems) != 1 || !strings.Contains(problems[0], tc.place) {
				t.Errorf("problems %q\nwant %s", problems, tc.place)
			}
			_, err := d.Patch(t.Context(), d.Revision(), map[string]any{"loop.count": 1.0})
			if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Person(err), tc.place) {
				t.Errorf("got %v", err)
			}
			if content(t, path) != tc.text {
				t.Error("the file was changed")
			}
		})
	}
}

func TestAWrongKeyKeepsItsDefaultAndTheRestHolds(t *testing.T) {
	d, _ := open(t, "ui:\n  theme: dark\n  scale: big\n  wait: 2s\n  unknown: 1\n")
	want := looks{Theme: "dark", Scale: 1, Wait: 2 * time.Second}
	if diff := cmp.Diff(want, settings.Get(d, looksSection)); diff != "" {
		t.Error(diff)
	}
	if got := d.Snapshot().Problems; len(got) != 2 {
		t.Errorf("problems %q", got)
	}
}

func TestTheLastGoodContentGoesOnWhileAnEditIsBroken(t *testing.T) {
	d, path := open(t, "ui:\n  theme: dark\n")
	if err := os.WriteFile(path, []byte("ui: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	if got := settings.Get(d, looksSection).Theme; got != "dark" {
		t.Errorf("theme is %q", got)
	}
}

func TestSnapshotDescribesEverySection(t *testing.T) {
	d, _ := open(t, "ui:\n  theme: dark\n")
	got := d.Snapshot().Sections[1]
	want := settings.Part{
		Name: "ui", Doc: "How the page looks.", Written: []string{"theme"},
		Values: map[string]any{"theme": "dark", "scale": 1.0, "wait": "1s", "fonts": []any{}, "keys": map[string]any{"send": "", "stop": ""}},
		Fields: []config.Field{
			{Key: "theme", Type: "text", Default: "system", Doc: "Colours.", Options: []string{"light", "dark", "system"}},
			{Key: "scale", Type: "number", Default: 1.0},
			{Key: "wait", Type: "duration", Default: "1s"},
			{Key: "fonts", Type: "list", Default: []string(nil)},
			{Key: "keys.send", Type: "text", Default: ""},
			{Key: "keys.stop", Type: "text", Default: ""},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(config.Field{}, "Go")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASectionLeavesWithItsFiber(t *testing.T) {
	d, err := settings.Open(settings.Options{File: filepath.Join(t.TempDir(), "settings.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(graph.Options{})
	defer g.Close(context.Background())
	f, err := g.Root().Plug("f", graph.Plugin{Name: "f", Apply: func(f *graph.Fiber, _ any) error { d.Declare(f, looksSection); return nil }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(d.Snapshot().Sections); n != 1 {
		t.Errorf("%d sections", n)
	}
	if err := f.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(d.Snapshot().Sections); n != 0 {
		t.Errorf("%d sections after the fiber stopped", n)
	}
}

func TestOutsideEditsAreNoticed(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "settings.yaml")
	g := graph.New(graph.Options{})
	defer g.Close(context.Background())
	changes := make(chan settings.Change, 8)
	listener := graph.Plugin{Name: "listener", Inject: []graph.Dependency{graph.Needs(settings.DocumentKey)}, Apply: func(f *graph.Fiber, _ any) error {
		d, err := graph.Get(f, settings.DocumentKey)
		if err != nil {
			return err
		}
		d.Declare(f, looksSection)
		settings.Changed.On(f, func(_ context.Context, c settings.Change) { changes <- c })
		return nil
	}}
	_, err := g.Root().Plug("settings", settings.Plugin(settings.CredentialOptions{Home: home}), nil)
	_, err2 := g.Root().Plug("listener", listener, nil)
	if err := errors.Join(err, err2, g.Root().Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	d, _ := graph.Lookup(g.Root().Realm(), settings.DocumentKey)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(chan string, 8)
	var watching sync.WaitGroup
	watching.Go(func() {
		for snap := range d.Watch(ctx) {
			seen <- fmt.Sprint(snap.Sections[0].Values.(map[string]any)["theme"])
		}
	})
	if got := <-seen; got != "system" {
		t.Errorf("first seen %q", got)
	}
	if err := os.WriteFile(path, []byte("ui:\n  theme: dark\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-changes; !cmp.Equal(got.Sections, []string{"ui"}) || got.Revision != d.Revision() {
		t.Errorf("told %+v", got)
	}
	if got := <-seen; got != "dark" {
		t.Errorf("then seen %q", got)
	}
	cancel()
	watching.Wait()
}
