package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const root = "../.."

func TestDistIsWhatTheSourcesMake(t *testing.T) {
	want, err := bundle(root)
	if err != nil {
		t.Fatal(err)
	}
	dist := os.DirFS(filepath.Join(root, "ui", "dist"))
	err = fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		got, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		if made, ok := want[name]; !ok || !bytes.Equal(made, got) {
			t.Errorf("ui/dist/%s is stale; run `make ui`", name)
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("ui/dist/%s is missing; run `make ui`", name)
	}
}

func TestVendoredCodeIsUnchanged(t *testing.T) {
	wrong, err := checkVendored(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error("ui/vendor: " + w)
	}
}
