package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairlead/graph"
	"fairlead/settings"
)

func TestSettingsAreChangedByRevision(t *testing.T) {
	at := newHomes(t)
	section := settings.NewSection("ui", "How the page looks.", struct {
		Theme string `yaml:"theme"`
	}{"system"})
	h := newHouse(t, at, "reply\n  say Hello.\n", settings.Plugin(settings.CredentialOptions{Home: at.data}), graph.Plugin{
		Name: "looks", Inject: []graph.Dependency{graph.Needs(settings.DocumentKey)}, Apply: func(f *graph.Fiber, _ any) error {
			d, err := graph.Get(f, settings.DocumentKey)
			if err != nil {
				return err
			}
			d.Declare(f, section)
			return nil
		},
	})
	var snap settings.Snapshot
	h.do("GET", "/api/v1/settings", nil, &snap)
	if !slices.ContainsFunc(snap.Sections, func(p settings.Part) bool { return p.Name == "ui" }) {
		t.Fatalf("got %+v", snap)
	}
	first := snap.Revision
	h.do("PATCH", "/api/v1/settings", settings.Write{Revision: first, Changes: map[string]any{"ui.theme": "dark"}}, &snap)
	if snap.Revision == first {
		t.Error("the revision stays the same")
	}
	text, err := os.ReadFile(filepath.Join(at.data, "settings.yaml"))
	if err != nil || string(text) != "ui:\n  theme: dark\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if status, problem := h.try("PATCH", "/api/v1/settings", settings.Write{Revision: first, Changes: map[string]any{"ui.theme": "light"}}, nil); status != http.StatusConflict || !strings.Contains(problem, "settings-changed") {
		t.Errorf("a stale revision: %d %s", status, problem)
	}
	const canary = "canary-33d1-secret"
	h.do("POST", "/api/v1/commands", map[string]any{"name": "credential.save", "args": map[string]any{"name": "K", "value": canary}}, nil)
	for _, path := range []string{"/api/v1/settings", "/api/v1/views/credentials", "/api/v1/views/settings", "/api/v1/status"} {
		var body json.RawMessage
		if h.do("GET", path, nil, &body); strings.Contains(string(body), canary) {
			t.Errorf("%s shows the key: %s", path, body)
		}
	}
}

func TestThePageStartsInTheLookOfTheSettings(t *testing.T) {
	at := newHomes(t)
	if err := os.WriteFile(filepath.Join(at.data, "settings.yaml"), []byte("look: {theme: dark, language: ja}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, at, "reply\n  say Hello.\n", settings.Plugin(settings.CredentialOptions{Home: at.data}))
	res, err := h.client.Get(h.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(page), `data-theme="dark" data-language="ja" data-version="1.2.3"`) {
		t.Errorf("%v in %s", err, page)
	}
}
