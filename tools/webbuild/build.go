package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// options are the one set of bundler options: what is committed, what is watched
// and what is tested come from the same ones.
func options(root string) (api.BuildOptions, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return api.BuildOptions{}, err
	}
	ui := filepath.Join(abs, "ui")
	return api.BuildOptions{
		AbsWorkingDir:     ui,
		EntryPoints:       []string{"src/app.tsx", "src/app.css"},
		Outdir:            filepath.Join(ui, "dist"),
		NodePaths:         []string{filepath.Join(ui, "vendor")},
		Tsconfig:          filepath.Join(ui, "tsconfig.json"),
		Bundle:            true,
		Splitting:         true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		ChunkNames:        "chunks/[name]-[hash]",
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone, // LICENSES.txt carries them whole
		Charset:           api.CharsetUTF8,
		Metafile:          true,
		LogLevel:          api.LogLevelSilent,
	}, nil
}

// bundle gives every file of dist by its slash-separated path.
func bundle(root string) (map[string][]byte, error) {
	opt, err := options(root)
	if err != nil {
		return nil, err
	}
	result := api.Build(opt)
	if err := failure(result.Errors); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		rel, err := filepath.Rel(opt.Outdir, f.Path)
		if err != nil {
			return nil, err
		}
		files[filepath.ToSlash(rel)] = f.Contents
	}
	for _, name := range []string{"index.html", "manifest.webmanifest", "icon.svg"} {
		if files[name], err = os.ReadFile(filepath.Join(root, "ui", "src", name)); err != nil {
			return nil, err
		}
	}
	if files["index.html"], err = withImports(files["index.html"], result.Metafile); err != nil {
		return nil, err
	}
	if files["LICENSES.txt"], err = licences(root, result.Metafile); err != nil {
		return nil, err
	}
	return files, nil
}

// withImports names the files that app.js imports beside it, so that the browser
// asks for all of them at once.
func withImports(page []byte, metafile string) ([]byte, error) {
	var meta struct {
		Outputs map[string]struct {
			Imports []struct{ Path, Kind string }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	const app = `<script type="module" src="/app.js"></script>`
	var tags string
	for _, imp := range meta.Outputs["dist/app.js"].Imports {
		if imp.Kind == "import-statement" {
			tags += `<script type="module" src="/` + strings.TrimPrefix(imp.Path, "dist/") + `"></script>` + "\n"
		}
	}
	if !bytes.Contains(page, []byte(app)) {
		return nil, errors.New("src/index.html does not load /app.js")
	}
	return bytes.Replace(page, []byte(app), []byte(tags+app), 1), nil
}

// failure makes one error of the bundler's messages, each with its place.
func failure(messages []api.Message) error {
	var errs []error
	for _, m := range messages {
		at := ""
		if l := m.Location; l != nil {
			at = fmt.Sprintf("%s:%d:%d: ", l.File, l.Line, l.Column)
		}
		errs = append(errs, errors.New(at+m.Text))
	}
	return errors.Join(errs...)
}

// buildPage writes dist anew; files that are no longer made are removed.
func buildPage(root string) error {
	files, err := bundle(root)
	if err != nil {
		return err
	}
	dist := filepath.Join(root, "ui", "dist")
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		to := filepath.Join(dist, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// watchPage bundles again at every change until the program is ended. Only the
// bundler's own outputs are rewritten; index.html and licences come with a build.
func watchPage(root string) error {
	if err := buildPage(root); err != nil {
		return err
	}
	opt, err := options(root)
	if err != nil {
		return err
	}
	opt.Write, opt.LogLevel = true, api.LogLevelInfo
	ctx, ctxErr := api.Context(opt)
	if ctxErr != nil {
		return failure(ctxErr.Errors)
	}
	defer ctx.Dispose()
	if err := ctx.Watch(api.WatchOptions{}); err != nil {
		return err
	}
	select {}
}

// licences joins the licence texts of the packages that ended up in the bundle.
func licences(root, metafile string) ([]byte, error) {
	packages, err := readLock(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, p := range packages {
		if !strings.Contains(metafile, "vendor/"+p.Name+"/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, "ui", "vendor", filepath.FromSlash(p.Name), "LICENSE"))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s %s\n\n%s\n\n", p.Name, p.Version, bytes.TrimSpace(text))
	}
	return out.Bytes(), nil
}
