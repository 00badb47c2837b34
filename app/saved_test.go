package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/app"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
)

func TestConnectionsFollowTheSettingsAndAMistakeIsLeftOut(t *testing.T) {
	home := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, "settings.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`models:
  default: lab/big
  connections:
    lab: {baseUrl: "http://127.0.0.1:1/v1", models: [{id: big, window: 4096}]}
    broken: {baseUrl: "nowhere"}
    openai: {baseUrl: "http://127.0.0.1:2/v1", default: mine}
`)
	a := boot(t, app.Options{Home: home, Environ: func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-of-the-environment"}[name] }})
	routes, ok := graph.Lookup(a.Graph().Root().Realm(), llm.RoutesKey)
	if !ok {
		t.Fatal("there are no routes")
	}
	rows := func() []string {
		list, err := app.ConnectionsOf(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range list {
			text := r.Name + " " + r.From
			if r.Problem != "" {
				text += " left out"
			}
			texts = append(texts, text)
		}
		return texts
	}
	if diff := cmp.Diff([]string{"lab settings", "openai settings", "broken settings left out"}, rows()); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	route, found := routes.Default()
	if !found || route.Name != "lab/big" || route.Model.Window != 4096 || route.Model.Source != "person" {
		t.Errorf("default = %+v", route)
	}

	write("models:\n  connections:\n    other: {baseUrl: \"http://127.0.0.1:3/v1\", default: small}\n")
	view, ok := command.FindView(t.Context(), a.Graph().Root().Realm(), "connections")
	if !ok {
		t.Fatal("there is no view of the connections")
	}
	for _, err := range view.Watch(t.Context(), command.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(rows(), []string{"other settings"}) {
			break
		}
	}
	if _, err := routes.Resolve(t.Context(), "lab/big"); fault.CodeOf(err) != llm.CodeModelUnavailable {
		t.Errorf("a route that is gone gives %v", err)
	}
	if _, err := routes.Resolve(t.Context(), "other/anything"); err != nil {
		t.Errorf("a model that is not listed cannot be used: %v", err)
	}
}

func TestAConnectionIsChangedOnlyWhereItWasSaved(t *testing.T) {
	a := boot(t, app.Options{Environ: func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-of-the-environment"}[name] }})
	address, key := "http://127.0.0.1:1/v1", "a-key-of-some-length"
	do := func(verb string, c app.ConnectionChange) error {
		_, err := a.Do(t.Context(), "connection."+verb, c)
		return err
	}
	for name, c := range map[string]struct {
		verb string
		app.ConnectionChange
		says string
	}{
		"a name that is taken":         {"add", app.ConnectionChange{Name: "openai", BaseURL: &address}, "There is a connection openai already"},
		"one of the environment":       {"edit", app.ConnectionChange{Name: "openai", BaseURL: &address}, "comes from the environment variable OPENAI_API_KEY"},
		"one that is not there":        {"edit", app.ConnectionChange{Name: "lab", BaseURL: &address}, "There is no saved connection lab"},
		"one that is not there, again": {"remove", app.ConnectionChange{Name: "lab"}, "There is no saved connection lab"},
		"two keys":                     {"add", app.ConnectionChange{Name: "lab", BaseURL: &address, Key: &key, KeyEnv: &key}, "not both"},
		"a name with a slash":          {"add", app.ConnectionChange{Name: "a/b", BaseURL: &address}, "is no name for a connection"},
		"no address":                   {"add", app.ConnectionChange{Name: "lab"}, "is not the address of a server"},
	} {
		if err := do(c.verb, c.ConnectionChange); err == nil || !strings.Contains(fault.Person(err), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	if text, err := os.ReadFile(filepath.Join(string(a.Home()), "credentials.json")); err == nil && strings.Contains(string(text), key) {
		t.Error("the key of a connection that was refused is kept")
	}
	if err := do("add", app.ConnectionChange{Name: "lab", BaseURL: &address, Key: &key}); err != nil {
		t.Fatal(err)
	}
	if err := do("remove", app.ConnectionChange{Name: "lab"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(string(a.Home()), "credentials.json")); err != nil || strings.Contains(string(text), key) {
		t.Errorf("the key outlives its connection: %v", err)
	}
}
