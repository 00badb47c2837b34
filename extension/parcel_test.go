package extension_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/extension"
	"fairlead/fault"
)

// entry is one entry of an archive that a test makes.
type entry struct {
	name, text string
	kind       byte // of tar; 0 is a file
}

func tarOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	w := tar.NewWriter(packed)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: e.kind}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		} else {
			h.Size, h.Linkname = 0, e.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if e.kind == 0 {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.kind == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(e.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var hello = []entry{
	{name: "hello/plugin.ts", text: "import {say} from './say'\nfairlead.tool({name: 'hello', description: 'Says hello.'}, () => say('you'))\n"},
	{name: "hello/say.ts", text: "export const say = (who: string): string => 'hello ' + who\n"},
	{name: "hello/package.json", text: `{"name":"@acme/hello","license":"MIT"}`},
}

func TestArchiveBecomesOneUnreviewedFileThatSaysWhereItIsFrom(t *testing.T) {
	for name, raw := range map[string][]byte{"hello.tgz": tarOf(t, hello...), "hello.zip": zipOf(t, hello...)} {
		t.Run(name, func(t *testing.T) {
			from, folder := filepath.Join(t.TempDir(), name), extension.NewFolder(t.TempDir())
			if err := os.WriteFile(from, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := folder.Bring(from, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := folder.Review("hello")
			if err != nil {
				t.Fatal(err)
			}
			if r.State != extension.New || r.SHA256 != b.SHA256 || b.Licence != "MIT" {
				t.Errorf("it is %s, %s, licence %q", r.State, r.SHA256, b.Licence)
			}
			for _, part := range []string{"// From: " + from + " sha256 ", "// Licence: MIT", "hello", "fairlead.tool("} {
				if !strings.Contains(r.Source, part) {
					t.Errorf("its source does not hold %q:\n%s", part, r.Source)
				}
			}
			if strings.Contains(r.Source, "import") {
				t.Errorf("it imports something:\n%s", r.Source)
			}
		})
	}
}

func TestArchiveThatLeadsOutOrBlowsUpIsRefused(t *testing.T) {
	plugin := entry{name: "plugin.ts", text: "fairlead.section('x')"}
	many := []entry{plugin}
	for i := range 1001 {
		many = append(many, entry{name: "f" + strings.Repeat("x", i%40) + string(rune('a'+i%26)) + strings.Repeat("y", i/40) + ".txt"})
	}
	big := entry{name: "big.txt", text: strings.Repeat("0", 1<<20+1)}
	var bomb []entry
	for _, n := range strings.Split("abcdefghij", "") {
		bomb = append(bomb, entry{name: n, text: strings.Repeat("0", 1<<20)})
	}
	for name, c := range map[string]struct {
		raw []byte
		say string
	}{
		"parent, tar":      {tarOf(t, plugin, entry{name: "../evil.ts", text: "x"}), "leads out"},
		"parent, zip":      {zipOf(t, plugin, entry{name: "a/../../evil.ts", text: "x"}), "leads out"},
		"absolute, tar":    {tarOf(t, plugin, entry{name: "/etc/evil.ts", text: "x"}), "leads out"},
		"absolute, zip":    {zipOf(t, plugin, entry{name: "/etc/evil.ts", text: "x"}), "leads out"},
		"drive":            {zipOf(t, plugin, entry{name: "C:evil.ts", text: "x"}), "leads out"},
		"backslash":        {zipOf(t, plugin, entry{name: `..\evil.ts`, text: "x"}), "leads out"},
		"symbolic link":    {tarOf(t, plugin, entry{"l.ts", "/etc/passwd", tar.TypeSymlink}), "is a link"},
		"symlink in a zip": {zipOf(t, plugin, entry{"l.ts", "/etc/passwd", tar.TypeSymlink}), "is a link"},
		"hard link":        {tarOf(t, plugin, entry{"l.ts", "plugin.ts", tar.TypeLink}), "is a link"},
		"device":           {tarOf(t, plugin, entry{"d", "", tar.TypeChar}), "is a link or no file"},
		"twice":            {tarOf(t, plugin, plugin), "twice"},
		"case":             {zipOf(t, plugin, entry{name: "Plugin.ts", text: "x"}), "twice, or in two spellings"},
		"many":             {tarOf(t, many...), "more than 1000 files"},
		"one big":          {zipOf(t, plugin, big), "more than 1048576 bytes"},
		"all big":          {tarOf(t, bomb...), "more than 8388608 bytes"},
		"no archive":       {[]byte("hello"), "is no zip, tar"},
		"foreign import":   {tarOf(t, entry{name: "plugin.ts", text: "import fs from 'node:fs'\nfs.x()"}), "nothing but its own files"},
		"import outside":   {tarOf(t, entry{name: "plugin.ts", text: "import x from '../../etc/passwd'\nx()"}), "not among its files"},
		"nothing to run":   {tarOf(t, entry{name: "readme.md", text: "x"}), "has no file plugin.ts"},
	} {
		t.Run(name, func(t *testing.T) {
			from, folder := filepath.Join(t.TempDir(), "x.bin"), extension.NewFolder(t.TempDir())
			if err := os.WriteFile(from, c.raw, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := folder.Bring(from, "x")
			if err == nil || !strings.Contains(fault.Person(err), c.say) {
				t.Errorf("it says %v, not %q", err, c.say)
			}
			files, err := folder.Files()
			if diff := cmp.Diff([]extension.KeptPlugin(nil), files, cmp.AllowUnexported(extension.KeptPlugin{})); diff != "" || err != nil {
				t.Errorf("something was kept: %s %v", diff, err)
			}
		})
	}
}

func TestFolderWithALinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plugin.ts"), []byte("fairlead.section('x')"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "secret.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := extension.NewFolder(t.TempDir()).Bring(dir, "x"); err == nil || !strings.Contains(fault.Person(err), "is a link") {
		t.Errorf("it says %v", err)
	}
}
