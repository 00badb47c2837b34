package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/app"
)

// TestExamplesOfConfigurationAreSound holds the examples of configuration.md against
// this build: the patch first, then the preset.
func TestExamplesOfConfigurationAreSound(t *testing.T) {
	page, err := os.ReadFile("configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for i, part := range strings.Split(string(page), "```") {
		if text, isYAML := strings.CutPrefix(part, "yaml\n"); isYAML && i%2 == 1 {
			examples = append(examples, text)
		}
	}
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	home := t.TempDir()
	patch := filepath.Join(home, "patch.yaml")
	for path, text := range map[string]string{patch: examples[0], filepath.Join(home, "presets", "reader.yaml"): examples[1], filepath.Join(home, "presets", "reader.md"): "Be brief."} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checked, err := app.Check(app.Options{Home: home, Profile: "web"})
	if err != nil {
		t.Fatal(err)
	}
	if len(checked.Tree.Warnings) > 0 {
		t.Error(checked.Tree.Warnings)
	}
	for _, p := range checked.Presets {
		if p.Broken != "" {
			t.Errorf("%s: %s", p.ID, p.Broken)
		}
	}
}
