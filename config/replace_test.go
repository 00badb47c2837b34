package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"fairlead/config"
)

func TestReplaceLeavesTheOwnersFileAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "rules.yaml")
	for _, text := range []string{"one", "two"} {
		if err := config.Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("the file holds %q (%v), want %q", got, err, text)
		}
	}
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), want 0600", about.Mode(), err)
	}
	if folder, err := os.Stat(filepath.Dir(path)); err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v (%v), want 0700", folder.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left (%v), want the one", len(left), err)
	}
	if err := config.Replace(filepath.Join(path, "below-a-file"), nil); err == nil {
		t.Error("a file became a folder")
	}
}
