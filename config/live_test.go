package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"

	"github.com/google/go-cmp/cmp"
)

var netKey = graph.NewKey[string]("test.net", "A net.")

type netConfig struct {
	Speed int `yaml:"speed"`
}

// world is a home folder with a graph that runs its rows, and a diary of starts.
type world struct {
	t     *testing.T
	home  string
	graph *graph.Graph
	table config.Table
	live  *config.Live

	mu    sync.Mutex
	notes []string
}

func (w *world) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, s)
}

func (w *world) read() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.notes
	w.notes = nil
	return n
}

func newWorld(t *testing.T, patch string) *world {
	w := &world{t: t, graph: graph.New(graph.Options{})}
	w.home = files(t, map[string]string{"profiles/own/profile.yaml": "bundles: []\n", "patch.yaml": patch})
	t.Cleanup(func() { w.graph.Close(context.Background()) })
	plugin := func(name string) graph.Plugin {
		return graph.Plugin{Name: name, Apply: func(*graph.Fiber, any) error { w.note(name); return nil }}
	}
	net := plugin("net")
	net.Provides = []graph.AnyKey{netKey}
	net.Config = func() any { return &netConfig{Speed: 1} }
	net.Apply = func(f *graph.Fiber, cfg any) error {
		speed := cfg.(*netConfig).Speed
		if speed == 13 {
			return errors.New("13 is unlucky")
		}
		w.note("net")
		return graph.Provide(f, netKey, "net")
	}
	other := net
	other.Name = "other-net"
	user := plugin("user")
	user.Inject = []graph.Dependency{graph.Needs(netKey)}
	var err error
	if w.table, err = config.NewTable(net, other, user, plugin("plain")); err != nil {
		t.Fatal(err)
	}
	options := config.Options{Home: w.home, Profile: "own"}
	tree, err := config.Load(options)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := config.Resolve(tree.Rows, w.table)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Mount(w.graph.Root(), rows); err != nil {
		t.Fatal(err)
	}
	if err := w.graph.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.live = config.NewLive(options, w.table, w.graph.Root(), tree, rows)
	w.read()
	return w
}

func (w *world) patch(text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.home, "patch.yaml"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

const netAndUser = `rows:
  - {id: net, plugin: net}
  - {id: user, plugin: user}
  - {id: plain, plugin: plain}
`

func TestReloadTouchesOnlyWhatChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		patch   string
		changed []string
		started []string
	}{
		"nothing":        {netAndUser + "# a comment\n", nil, nil},
		"config":         {strings.Replace(netAndUser, "plugin: net", "plugin: net, config: {speed: 2}", 1), []string{"net"}, []string{"net", "user"}},
		"plugin":         {strings.Replace(netAndUser, "plugin: net", "plugin: other-net", 1), []string{"net"}, []string{"net", "user"}},
		"disabled":       {strings.Replace(netAndUser, "plugin: plain", "plugin: plain, disabled: true", 1), []string{"plain"}, nil},
		"inserted":       {netAndUser + "  - {id: more, plugin: plain}\n", []string{"more"}, []string{"plain"}},
		"row for row":    {strings.Replace(netAndUser, "id: net, plugin: net", "id: web, plugin: other-net", 1), []string{"net", "web"}, []string{"net", "user"}},
		"config as was":  {strings.Replace(netAndUser, "plugin: net", "plugin: net, config: {}", 1), nil, nil},
		"order of lines": {"rows:\n  - {plugin: plain, id: plain}\n  - {id: user, plugin: user}\n  - {id: net, plugin: net}\n", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, netAndUser)
			w.patch(tc.patch)
			if err := w.live.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.started, w.read()); diff != "" {
				t.Errorf("started (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.changed, w.live.Report().Changed); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
			if err := config.Audit(w.graph.Inventory(), w.table); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABadEditLeavesTheLastGoodTreeRunning(t *testing.T) {
	for name, tc := range map[string]struct{ patch, why string }{
		"syntax":         {"rows: [", "patch.yaml:1:"},
		"key":            {strings.Replace(netAndUser, "plugin: net", "plugin: net, config: {sped: 2}", 1), `did you mean "speed"?`},
		"plugin":         {netAndUser + "  - {id: x, plugin: nosuch}\n", `the plugin "nosuch"`},
		"cannot start":   {strings.Replace(netAndUser, "plugin: net", "plugin: net, config: {speed: 13}", 1), "13 is unlucky"},
		"starves a row":  {strings.Replace(netAndUser, "plugin: net", "plugin: net, disabled: true", 1), "user is waiting (waits for test.net)"},
		"second of kind": {netAndUser + "  - {id: second, plugin: other-net}\n", "net already provides test.net"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, netAndUser)
			before := w.live.Report().Tree
			var told []config.Report
			if _, err := w.graph.Root().Plug("listener", graph.Plugin{Name: "listener", Apply: func(f *graph.Fiber, _ any) error {
				config.Reloaded.On(f, func(_ context.Context, r config.Report) { told = append(told, r) })
				return nil
			}}, nil); err != nil {
				t.Fatal(err)
			}
			if err := w.graph.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.patch(tc.patch)
			err := w.live.Reload(t.Context())
			if err == nil || !strings.Contains(fault.Person(err), tc.why) {
				t.Errorf("got  %v\nwant %s", err, tc.why)
			}
			report := w.live.Report()
			if report.Tree != before || report.Failure == nil || len(told) != 1 || told[0].Failure == nil {
				t.Errorf("report %v, told %v", report, told)
			}
			if err := config.Audit(w.graph.Inventory(), w.table); err != nil {
				t.Error(err)
			}
			w.patch(netAndUser)
			if err := w.live.Reload(t.Context()); err != nil || w.live.Report().Failure != nil || len(told) != 2 {
				t.Errorf("after the repair: %v, %v", err, w.live.Report().Failure)
			}
		})
	}
}

func TestWatchReloadsOnceAFileHasComeToRest(t *testing.T) {
	w := newWorld(t, netAndUser)
	ctx, cancel := context.WithCancel(t.Context())
	reloaded := make(chan config.Report, 8)
	if _, err := w.graph.Root().Plug("listener", graph.Plugin{Name: "listener", Apply: func(f *graph.Fiber, _ any) error {
		config.Reloaded.On(f, func(_ context.Context, r config.Report) { reloaded <- r })
		return nil
	}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.graph.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { w.live.Watch(ctx, time.Millisecond); close(done) }()
	w.patch(netAndUser + "  - {id: more, plugin: plain}\n")
	if r := <-reloaded; r.Failure != nil || len(r.Changed) != 1 {
		t.Errorf("got %v", r)
	}
	if err := os.Remove(filepath.Join(w.home, "patch.yaml")); err != nil {
		t.Fatal(err)
	}
	if r := <-reloaded; r.Failure != nil || len(r.Changed) != 4 {
		t.Errorf("after removing the file: %v", r)
	}
	cancel()
	<-done
}

func TestAuditNamesTheServiceAndWhoCouldProvideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := graph.New(graph.Options{})
		defer g.Close(context.Background())
		idle := func(*graph.Fiber, any) error { return nil }
		bad := graph.Plugin{Name: "bad", Provides: []graph.AnyKey{errKey}, Apply: func(*graph.Fiber, any) error { return errors.New("no disk") }}
		needy := graph.Plugin{Name: "needy", Inject: []graph.Dependency{graph.Needs(netKey), graph.Needs(errKey), graph.Needs(noneKey)}, Apply: idle}
		net := graph.Plugin{Name: "net", Provides: []graph.AnyKey{netKey}, Apply: idle}
		table, err := config.NewTable(bad, needy, net)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []graph.Plugin{bad, needy} {
			if _, err := g.Root().Plug(p.Name, p, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		err = config.Audit(g.Inventory(), table)
		want := `bad is failed: bad could not start: no disk
needy is waiting: waits for test.net, test.err, test.none
  test.net could be provided by the plugin net; no enabled row has it
  test.err would come from bad, which is failed
  test.none: no plugin of this build provides it`
		if !fault.Is(err, fault.Unavailable) || fault.CodeOf(err) != "row-failed" {
			t.Errorf("got %v", err)
		}
		if diff := cmp.Diff(want, fault.Person(err)); diff != "" {
			t.Error(diff)
		}
	})
}

var (
	errKey  = graph.NewKey[string]("test.err", "Never there.")
	noneKey = graph.NewKey[string]("test.none", "Never there.")
)
