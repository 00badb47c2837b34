package proof_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairlead/permission/proof"
)

func TestProgramsAreNotFoundWhereAModelMayHaveWrittenThem(t *testing.T) {
	top := t.TempDir()
	work, tools, link := filepath.Join(top, "work"), filepath.Join(top, "tools"), filepath.Join(top, "link")
	for _, dir := range []string{filepath.Join(work, "bin"), tools} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(work, "bin"), link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/usr/bin:/bin":                   "/usr/bin:/bin",
		".::bin:/usr/bin:":                "/usr/bin",
		work + "/bin:" + tools + ":/bin/": tools + ":/bin/",
		work + ":" + link + ":/usr/bin":   "/usr/bin",
		top + "/tools/../work/bin:/bin":   "/bin",
		top + "/missing:/bin":             "/bin",
		work + "/bin":                     "/bin:/usr/bin:/usr/local/bin:/sbin:/usr/sbin",
	} {
		if !slices.Contains(proof.UnaskedEnv(path, work), "PATH="+want) {
			t.Errorf("%s: want %s, got %s", path, want, proof.UnaskedEnv(path, work))
		}
	}
	alias := filepath.Join(top, "alias")
	if err := os.Symlink(work, alias); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(proof.UnaskedEnv(work+"/bin:/bin", alias), "PATH=/bin") {
		t.Error("a workspace that is named by a link has programs")
	}
	if all := strings.Join(proof.UnaskedEnv("/usr/bin:"+tools, "/"), " "); !strings.HasSuffix(all, "PATH=/usr/bin") {
		t.Errorf("in a workspace that is everything: %s", all)
	}
}
