package tool_test

import (
	"os"
	"path/filepath"
	"testing"

	"fairlead/tool"
)

func TestResolveGivesThePlaceAWriteWouldReach(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{base}, parts...)...) }
	for _, dir := range []string{at("work", "sub"), at("outside")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		at("work", "out"):   at("outside"),
		at("work", "dang"):  at("not-there", "x"),
		at("work", "up"):    "../outside",
		at("work", "loop"):  "loop",
		at("work", "chain"): "out",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for given, want := range map[string]string{
		at("work", "a.txt"):           at("work", "a.txt"),
		at("work", "out", "a.txt"):    at("outside", "a.txt"),
		at("work", "dang"):            at("not-there", "x"),
		at("work", "up", "new", "b"):  at("outside", "new", "b"),
		at("work", "chain", "c"):      at("outside", "c"),
		at("work", "sub", "..", "x"):  at("work", "x"),
		at("work", "none", "..", "y"): at("work", "y"),
		at("work") + "/out/../z":      at("z"), // as the kernel does: the parent of the link's target
	} {
		got, err := tool.Resolve(given)
		if err != nil || got != want {
			t.Errorf("Resolve(%s) = %s, %v; want %s", given, got, err, want)
		}
	}
	if got, err := tool.Resolve(at("work", "loop")); err == nil {
		t.Errorf("a link to itself resolves to %s", got)
	}
	if _, err := tool.Resolve("work/a"); err == nil {
		t.Error("a relative path resolves; it has no place of its own")
	}
}

func TestIdentityTellsStatesApart(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file:                      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		dir:                       tool.Folder,
		filepath.Join(dir, "no"):  tool.Absent,
		"/dev/null":               tool.Special,
		filepath.Join(file, "in"): "",
	} {
		got, err := tool.Identity(path)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("Identity(%s) = %q, %v; want %q", path, got, err, want)
		}
	}
}
