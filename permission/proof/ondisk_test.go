package proof_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"fairlead/permission/proof"
)

func TestLinksToSecretsAsk(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for _, folder := range []string{filepath.Join(home, ".ssh"), filepath.Join(dir, "tree"), filepath.Join(dir, "clean")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(home, ".ssh", "config"), filepath.Join(dir, "plain"), filepath.Join(dir, "clean", "a")} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"notes.txt": home + "/.ssh/config", "keys": home + "/.ssh", "zero.txt": "/dev/zero", "fine.txt": "plain",
		"self": "/proc/self", "hop": "notes.txt", "gone.txt": "nowhere", "tree/deep": home + "/.ssh/config"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := proof.Place{Folder: dir, Home: home}
	for command, ask := range map[string]bool{
		"cat notes.txt": true, "cat hop": true, "cat note?.txt": true, "cat keys/config": true, "cd keys && cat config": true, "head zero.txt": true,
		"wc -l < notes.txt": true, "cat self/environ": true, "grep -r x keys": true, "cat pipe": true, "diff -r tree clean": true, "sed -n 1p notes.txt": true, "jq . hop": true,
		"cat fine.txt": false, "cat f*.txt plain missing": false, "ls": false, "cat gone.txt": false, "grep -rn x tree": false, "diff -r clean clean": false, "cat /dev/null": false,
	} {
		v := proof.Bash(command, at)
		if !v.Looks {
			t.Errorf("%s: %s", command, v.Reason)
		} else if err := v.OnDisk(at); (err != nil) != ask {
			t.Errorf("%s: %v, want asking %v", command, err, ask)
		}
	}
	if v := proof.PowerShell("Get-Content notes.txt", at); !v.Looks || v.OnDisk(at) == nil {
		t.Errorf("PowerShell reads through a link unasked: %+v", v)
	}
}
