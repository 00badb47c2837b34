package extension

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"fairlead/fault"
	"fairlead/script"
	"fairlead/tool"
)

// Brought is a plugin that was brought in and is not run yet.
type Brought struct {
	Name    string
	Origin  string // the folder or the archive, the latter with its hash
	Licence string // as its package file or licence file says it
	SHA256  string // of the one file that it became
}

// Bring makes one file of a plugin's folder or archive and keeps it unreviewed. name
// is "" for that of its package file, or of the folder. The file begins with where it
// is from and its licence, so a review shows them and an approval is bound to them.
func (p *Folder) Bring(from, name string) (Brought, error) {
	files, err := readParcel(from)
	if err != nil {
		return Brought{}, err
	}
	files.unwrap()
	about, err := files.about()
	if err != nil {
		return Brought{}, err
	}
	if name == "" {
		name = plainName(about.Name, from)
	}
	b := Brought{Name: name, Origin: files.origin, Licence: files.licence(about.License)}
	entry := files.find("plugin.ts", about.Main, "index.ts", "index.js", "src/index.ts", "main.ts")
	if entry == "" {
		return Brought{}, refusedParcel("%s has no file plugin.ts or index.ts to begin with.", from)
	}
	head := fmt.Sprintf("// From: %s\n// Licence: %s", tool.OutsideLine(b.Origin, 500), b.Licence)
	code, err := files.bundle(entry, head)
	if err == nil {
		err = script.Check(name+pluginEnding, string(code))
	}
	switch {
	case err != nil:
		return Brought{}, err
	case len(code) > mostCode:
		return Brought{}, fault.New(fault.TooLarge, "extension.add", "As one file the plugin has %d bytes; %d are the most. Nothing was added.", len(code), mostCode)
	}
	if err := p.Keep(name, code); err != nil {
		return Brought{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, err := p.find(name)
	b.SHA256 = kept.SHA256
	return b, err
}

// aboutFile is what counts of a package.json.
type aboutFile struct {
	Name, Main string
	License    any
}

func (p *parcel) about() (a aboutFile, err error) {
	if text, ok := p.files["package.json"]; ok {
		if err := json.Unmarshal(text, &a); err != nil {
			return a, fault.Wrap(fault.Invalid, "extension.add", err, "Its package.json cannot be read. Nothing was added.")
		}
	}
	return a, nil
}

// licence words what the plugin says of its licence; nothing is guessed.
func (p *parcel) licence(named any) string {
	words := "not said"
	if text, ok := named.(string); ok && text != "" {
		words = text
	}
	if file := p.find("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING"); file != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(string(p.files[file])), "\n")
		words += "; " + file + ": " + first
	}
	return tool.OutsideLine(words, 200)
}

// plainName makes the name of a plugin of its package's, or of the folder's or archive's.
func plainName(name, from string) string {
	if name == "" {
		name = path.Base(strings.TrimRight(strings.ReplaceAll(from, "\\", "/"), "/"))
		for _, ending := range []string{".gz", ".tgz", ".tar", ".zip"} {
			name = strings.TrimSuffix(name, ending)
		}
	}
	return strings.ToLower(path.Base(name))
}

// inParcel is the namespace of files that are in memory.
const inParcel = "plugin"

// bundle makes one file. Imports are found in the parcel alone: neither the disk nor
// the network is looked at.
func (p *parcel) bundle(entry, head string) ([]byte, error) {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{entry}, Bundle: true, Write: false, Format: api.FormatESModule, Target: api.ESNext, Platform: api.PlatformNeutral,
		LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsInline, TreeShaking: api.TreeShakingFalse,
		Banner: map[string]string{"js": head}, TsconfigRaw: `{}`, Outfile: "plugin.js", AbsWorkingDir: "/",
		Plugins: []api.Plugin{{Name: inParcel, Setup: func(b api.PluginBuild) {
			b.OnResolve(api.OnResolveOptions{Filter: ".*"}, p.resolve)
			b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: inParcel}, p.load)
		}}},
	})
	if len(r.Errors) > 0 {
		m, at := r.Errors[0], ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d: ", strings.TrimPrefix(m.Location.File, inParcel+":"), m.Location.Line)
		}
		return nil, refusedParcel("The plugin cannot be made into one file: %s%s.", at, m.Text)
	}
	return r.OutputFiles[0].Contents, nil
}

func (p *parcel) resolve(a api.OnResolveArgs) (api.OnResolveResult, error) {
	name := a.Path
	if a.Kind != api.ResolveEntryPoint {
		if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
			return api.OnResolveResult{}, fmt.Errorf("it imports %q, and a plugin has nothing but its own files", name)
		}
		name = path.Join(path.Dir(a.Importer), name)
	}
	bare := strings.TrimSuffix(name, path.Ext(name))
	found := p.find(name, name+".ts", name+".js", name+".json", bare+".ts", name+"/index.ts", name+"/index.js")
	if found == "" {
		return api.OnResolveResult{}, fmt.Errorf("it imports %q, which is not among its files", a.Path)
	}
	return api.OnResolveResult{Path: found, Namespace: inParcel}, nil
}

func (p *parcel) load(a api.OnLoadArgs) (api.OnLoadResult, error) {
	loader := api.LoaderJS
	switch path.Ext(a.Path) {
	case ".ts", ".mts":
		loader = api.LoaderTS
	case ".json":
		loader = api.LoaderJSON
	case ".txt", ".md":
		loader = api.LoaderText
	}
	text := string(p.files[a.Path])
	return api.OnLoadResult{Contents: &text, Loader: loader}, nil
}
