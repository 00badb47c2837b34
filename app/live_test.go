package app_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/app"
	"fairlead/command"
	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/settings"
)

// boot starts the headless profile on a fresh home folder.
func boot(t *testing.T, o app.Options) *app.App {
	t.Helper()
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	if o.Profile == "" {
		o.Profile = "headless"
	}
	a, err := app.Boot(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestEveryRowOfEveryProfileCanBeMounted(t *testing.T) {
	for _, profile := range config.Profiles("") {
		checked, err := app.Check(app.Options{Home: t.TempDir(), Profile: profile})
		if err != nil {
			t.Errorf("%s: %v", profile, err)
			continue
		}
		for _, p := range checked.Presets {
			if p.Broken != "" {
				t.Errorf("preset %s: %s", p.ID, p.Broken)
			}
		}
	}
}

// await waits until the graph is as asked.
func await(t *testing.T, a *app.App, what string, is func([]graph.Status) bool) {
	t.Helper()
	for list := range a.Graph().Watch(t.Context()) {
		if is(list) {
			return
		}
	}
	t.Fatal("waited in vain for " + what)
}

func state(list []graph.Status, path string) graph.State {
	for _, s := range list {
		if s.Path == path {
			return s.State
		}
	}
	return ""
}

func TestAnEditedPatchIsAppliedWhileTheProcessRuns(t *testing.T) {
	home := t.TempDir()
	a := boot(t, app.Options{Home: home})
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, "patch.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rows:\n  - id: cut-reply\n    disabled: true\n")
	await(t, a, "the row to leave", func(list []graph.Status) bool { return state(list, "cut-reply") == "" })
	view := func() (v struct{ Text, Failure string }) {
		t.Helper()
		shown, ok := command.FindView(t.Context(), a.Graph().Root().Realm(), "config")
		if !ok {
			t.Fatal("no view of the configuration")
		}
		value, err := shown.Read(t.Context(), command.Query{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	failed := make(chan config.Report, 8)
	if _, err := a.Graph().Root().Plug("listener", graph.Plugin{Name: "listener", Apply: func(f *graph.Fiber, _ any) error {
		config.Reloaded.On(f, func(_ context.Context, r config.Report) { failed <- r })
		return nil
	}}, nil); err != nil {
		t.Fatal(err)
	}
	await(t, a, "the listener", func(list []graph.Status) bool { return state(list, "listener") == graph.Active })
	write("rows:\n  - id: store\n    disabled: true\n")
	if r := <-failed; r.Failure == nil || !strings.Contains(fault.Person(r.Failure), "waits for session.store") {
		t.Errorf("told %v", r.Failure)
	}
	if v := view(); !strings.Contains(v.Failure, "waits for session.store") || !strings.Contains(v.Text, "id: cut-reply  # bundle base\n    plugin: cut-reply  # bundle base\n    disabled: true") {
		t.Errorf("the view says %+v", v)
	}
	if got := state(a.Graph().Inventory(), "agent"); got != graph.Active {
		t.Errorf("the agent is %s after a bad edit", got)
	}
	write("")
	if r := <-failed; r.Failure != nil {
		t.Errorf("told %v", r.Failure)
	}
	await(t, a, "the row to come back", func(list []graph.Status) bool { return state(list, "cut-reply") == graph.Active })
}

func TestAFiberIsRestartedFromTheGraphView(t *testing.T) {
	a := boot(t, app.Options{})
	restart, ok := command.Find(t.Context(), a.Graph().Root().Realm(), "graph.restart")
	if !ok {
		t.Fatal("no such command")
	}
	for args, kind := range map[string]fault.Kind{`{"path":"nosuch"}`: fault.NotFound, `{"path":""}`: fault.NotFound, `[]`: fault.Invalid} {
		if _, err := restart.Run(t.Context(), command.Call{Args: json.RawMessage(args)}); !fault.Is(err, kind) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := restart.Run(t.Context(), command.Call{Args: json.RawMessage(`{"path":"store"}`)}); err != nil {
		t.Fatal(err)
	}
	starts := func(list []graph.Status, path string) int {
		for _, s := range list {
			if s.Path == path && s.State == graph.Active {
				return s.Starts
			}
		}
		return 0
	}
	await(t, a, "the restart", func(list []graph.Status) bool {
		return starts(list, "store") == 2 && starts(list, "sessions") == 2 && starts(list, "agent") == 2 && starts(list, "tools") == 1
	})
}

func logTo(out *strings.Builder) *slog.Logger { return slog.New(slog.NewTextHandler(out, nil)) }

func TestSecretsStayOutOfTheLog(t *testing.T) {
	// The redactor is taught by whoever reads a key; see package settings for its own tests.
	const canary = "canary-91c2-key-of-openai"
	var log strings.Builder
	a := boot(t, app.Options{Log: logTo(&log), Environ: func(name string) string {
		if name == "OPENAI_API_KEY" {
			return canary
		}
		return ""
	}})
	a.Graph().Root().Log().Error("a provider echoed the key", "body", "invalid key "+canary)
	if strings.Contains(log.String(), canary) || !strings.Contains(log.String(), "[redacted OPENAI_API_KEY]") {
		t.Error(log.String())
	}
}

func TestASavedKeyMakesItsConnectionAppear(t *testing.T) {
	home := t.TempDir()
	keys, err := settings.OpenCredentials(settings.CredentialOptions{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Set(t.Context(), "DEEPSEEK_API_KEY", "canary-7f3e-saved"); err != nil {
		t.Fatal(err)
	}
	a := boot(t, app.Options{Home: home})
	if err := a.ModelReady(t.Context(), "deepseek/deepseek-chat"); err != nil {
		t.Error(err)
	}
}

func TestAPersonCopiesAndRemovesPresets(t *testing.T) {
	a := boot(t, app.Options{})
	realm := a.Graph().Root().Realm()
	do := func(name, args string) error {
		t.Helper()
		c, ok := command.Find(t.Context(), realm, name)
		if !ok {
			t.Fatalf("no command %s", name)
		}
		_, err := c.Run(t.Context(), command.Call{Args: json.RawMessage(args)})
		return err
	}
	listed := func() string {
		t.Helper()
		v, ok := command.FindView(t.Context(), realm, "presets")
		if !ok {
			t.Fatal("no view of the presets")
		}
		list, err := v.Read(t.Context(), command.Query{})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, p := range list.([]config.Preset) {
			ids = append(ids, p.ID)
		}
		return strings.Join(ids, " ")
	}
	shipped := listed()
	if err := do("preset.copy", `{"from":"minimal","to":"mine"}`); err != nil {
		t.Fatal(err)
	}
	if got := listed(); got != shipped+" mine" {
		t.Errorf("listed: %s", got)
	}
	if err := do("preset.copy", `{"from":"minimal","to":"mine"}`); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second copy: %v", err)
	}
	if err := do("preset.remove", `{"id":"mine"}`); err != nil {
		t.Fatal(err)
	}
	if err := do("preset.remove", `{"id":"minimal"}`); !fault.Is(err, fault.Denied) {
		t.Errorf("removing a shipped one: %v", err)
	}
	if got := listed(); got != shipped {
		t.Errorf("listed: %s", got)
	}
}

func TestTheViewOfTheConfigurationFollowsIt(t *testing.T) {
	home := t.TempDir()
	a := boot(t, app.Options{Home: home})
	v, ok := command.FindView(t.Context(), a.Graph().Root().Realm(), "config")
	if !ok {
		t.Fatal("no view of the configuration")
	}
	seen := 0
	for value, err := range v.Watch(t.Context(), command.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen == 1 {
			if err := os.WriteFile(filepath.Join(home, "patch.yaml"), []byte("rows: [\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !strings.Contains(string(text), "patch.yaml:1:") {
			t.Errorf("shown: %s", text)
		}
		break
	}
}
