//go:build unix

package settings_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"fairlead/settings"
)

func TestFilesAreThePersonsAloneWhateverTheUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	home := filepath.Join(t.TempDir(), "home")
	d := reopen(t, filepath.Join(home, "settings.yaml"))
	if _, err := d.Patch(t.Context(), d.Revision(), map[string]any{"loop.count": 1.0}); err != nil {
		t.Fatal(err)
	}
	c := credentials(t, settings.CredentialOptions{Home: home})
	if _, err := c.Set(t.Context(), "k", canary); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("home: %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) < 2 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}
