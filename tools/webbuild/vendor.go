package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// LOCK has a paragraph a package: `package NAME VERSION`, the globs of the files
// that are kept as `keep GLOB`, and below them `SHA256  PATH` for every kept file.

// locked is one vendored package.
type locked struct {
	Name, Version string
	Keep          []string
	Files         map[string]string // path → SHA-256
}

func lockPath(root string) string { return filepath.Join(root, "ui", "vendor", "LOCK") }

func readLock(root string) ([]locked, error) {
	text, err := os.ReadFile(lockPath(root))
	if err != nil {
		return nil, err
	}
	var packages []locked
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case words[0] == "package" && len(words) == 3:
			packages = append(packages, locked{Name: words[1], Version: words[2], Files: map[string]string{}})
		case len(packages) == 0 || len(words) != 2:
			return nil, fmt.Errorf("%s: cannot read %q", lockPath(root), line)
		case words[0] == "keep":
			p := &packages[len(packages)-1]
			p.Keep = append(p.Keep, words[1])
		default:
			packages[len(packages)-1].Files[words[1]] = words[0]
		}
	}
	return packages, nil
}

func writeLock(root string, packages []locked) error {
	var out bytes.Buffer
	fmt.Fprintln(&out, "# Code of others that the page is bundled from: exact bytes of the published packages.")
	for _, p := range packages {
		fmt.Fprintf(&out, "\npackage %s %s\n", p.Name, p.Version)
		for _, glob := range p.Keep {
			fmt.Fprintf(&out, "keep %s\n", glob)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Files)) {
			fmt.Fprintf(&out, "%s  %s\n", p.Files[name], name)
		}
	}
	return os.WriteFile(lockPath(root), out.Bytes(), 0o644)
}

// checkVendored names every difference between LOCK and what lies in ui/vendor.
func checkVendored(root string) ([]string, error) {
	packages, err := readLock(root)
	if err != nil {
		return nil, err
	}
	want := map[string]string{"LOCK": ""}
	for _, p := range packages {
		for name, sum := range p.Files {
			want[p.Name+"/"+name] = sum
		}
	}
	var wrong []string
	base := filepath.Join(root, "ui", "vendor")
	err = filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(base, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		sum, known := want[name]
		delete(want, name)
		content, err := os.ReadFile(p)
		switch {
		case err != nil:
			return err
		case !known:
			wrong = append(wrong, name+" is not in LOCK")
		case sum != "" && sum != digest(content):
			wrong = append(wrong, name+" was changed")
		}
		return nil
	})
	for name := range want {
		wrong = append(wrong, name+" is missing")
	}
	slices.Sort(wrong)
	return wrong, err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fetchVendored downloads every package of LOCK with the npm client, which checks
// the registry's own digest, and writes the kept files and their digests.
func fetchVendored(root string) error {
	packages, err := readLock(root)
	if err != nil {
		return err
	}
	for i := range packages {
		if err := packages[i].fetch(root); err != nil {
			return fmt.Errorf("%s: %w", packages[i].Name, err)
		}
	}
	return writeLock(root, packages)
}

func (p *locked) fetch(root string) error {
	tmp, err := os.MkdirTemp("", "webbuild")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	out, err := exec.Command("npm", "pack", "--silent", "--pack-destination", tmp, p.Name+"@"+p.Version).Output()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	tarball := ""
	for lines.Scan() {
		tarball = strings.TrimSpace(lines.Text())
	}
	f, err := os.Open(filepath.Join(tmp, tarball))
	if err != nil {
		return err
	}
	defer f.Close()
	home := filepath.Join(root, "ui", "vendor", filepath.FromSlash(p.Name))
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	p.Files = map[string]string{}
	return p.unpack(f, home)
}

func (p *locked) unpack(r io.Reader, home string) error {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(path.Clean(header.Name), "/")
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) || !p.keeps(name) {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		to := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
		p.Files[name] = digest(content)
	}
}

func (p *locked) keeps(name string) bool {
	return slices.ContainsFunc(p.Keep, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return err == nil && ok
	})
}
