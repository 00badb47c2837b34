package extension

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"fairlead/fault"
	"fairlead/graph"
)

// PluginsKey names the plugins of a process.
var PluginsKey = graph.NewKey[*Plugins]("extension.plugins", "the plugins that a person keeps, and which of them were reviewed")

// Plugins are the files of a person's plugin folder. A file is run only where exactly its
// bytes were reviewed; anything else is listed and never run.
type Plugins struct {
	dir   string
	shelf *shelf

	mu sync.Mutex // held while the folder is changed or looked at
}

// The states of a plugin's file.
const (
	Reviewed = "reviewed" // its bytes are those that a person has approved
	New      = "new"      // nobody has reviewed it
	Changed  = "changed"  // it is not what was reviewed
	Refused  = "refused"  // it is a link, not a file, or too large: it can never be run
)

// KeptPlugin is a file of the folder as it is now.
type KeptPlugin struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	SHA256 string `json:"sha256,omitempty"`
	Bytes  int    `json:"bytes"`
	// ReviewedAt is when its last approved bytes were approved, Unix milliseconds.
	ReviewedAt int64 `json:"reviewedAt,omitempty"`
	// Running says how it runs, as a fiber's state; "" where it does not.
	Running string   `json:"running,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Offers  []string `json:"offers,omitempty"`

	code     []byte // the very bytes that SHA256 is of
	approved string
}

// Review is what a person reads before an approval.
type Review struct {
	KeptPlugin
	Source string `json:"source"`
	// Diff is unified, from the last reviewed bytes; "" for a new file.
	Diff string `json:"diff,omitempty"`
	// Asks says in a list which parts of the interface its source names.
	Asks []string `json:"asks,omitempty"`
}

// approval is an entry of the manifest.
type approval struct {
	SHA256 string `json:"sha256"`
	At     int64  `json:"at"`
}

const (
	manifestFile = "reviewed.json"
	copiesDir    = ".reviewed" // the approved bytes, by their hash, for the difference
	pluginEnding = ".ts"
)

func (p *Plugins) file(name string) string { return filepath.Join(p.dir, name+pluginEnding) }

// list looks at the folder. p.mu is held.
func (p *Plugins) list() ([]KeptPlugin, error) {
	entries, err := os.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "extension.plugins", err, "The plugin folder %s cannot be read. No plugin was started.", p.dir)
	}
	manifest, err := p.manifest()
	if err != nil {
		return nil, err
	}
	var all []KeptPlugin
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), pluginEnding); ok && validName().MatchString(name) {
			all = append(all, p.look(name, manifest[name]))
		}
	}
	return all, nil
}

// look reads a file once: what is hashed is what would be run.
func (p *Plugins) look(name string, known approval) KeptPlugin {
	k := KeptPlugin{Name: name, State: Refused, ReviewedAt: known.At, approved: known.SHA256}
	path := p.file(name)
	before, err := os.Lstat(path)
	if err != nil || !before.Mode().IsRegular() {
		k.Reason = "It is a link or no file."
		return k
	}
	f, err := os.Open(path)
	if err != nil {
		k.Reason = err.Error()
		return k
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(before, opened) {
		k.Reason = "It was changed while it was read."
		return k
	}
	code, err := io.ReadAll(io.LimitReader(f, mostCode+1))
	if err != nil || len(code) > mostCode {
		k.Reason = "It cannot be read, or is too large."
		return k
	}
	sum := sha256.Sum256(code)
	k.SHA256, k.Bytes, k.code = hex.EncodeToString(sum[:]), len(code), code
	switch known.SHA256 {
	case k.SHA256:
		k.State = Reviewed
	case "":
		k.State = New
	default:
		k.State = Changed
	}
	return k
}

func (p *Plugins) manifest() (map[string]approval, error) {
	m := map[string]approval{}
	text, err := os.ReadFile(filepath.Join(p.dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "extension.plugins", err, "The list of reviewed plugins, %s, cannot be read. No plugin was started; restore it, or remove it and review again.", filepath.Join(p.dir, manifestFile))
	}
	return m, nil
}

// write puts a file in place as a whole, readable by its owner alone.
func (p *Plugins) write(name string, text []byte) error {
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// find gives one file as it is now. p.mu is held.
func (p *Plugins) find(name string) (KeptPlugin, error) {
	all, err := p.list()
	if err != nil {
		return KeptPlugin{}, err
	}
	for _, k := range all {
		if k.Name == name {
			return k, nil
		}
	}
	return KeptPlugin{}, fault.New(fault.NotFound, "extension.plugins", "There is no plugin %q in %s. Nothing was changed.", name, p.dir)
}

// List gives all files with their states, and how those that run do.
func (p *Plugins) List() ([]KeptPlugin, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, err := p.list()
	for i := range all {
		p.shelf.mu.Lock()
		if pack := p.shelf.packages[all[i].Name]; pack != nil && pack.running != nil {
			r := pack.running
			all[i].Running, all[i].Offers = string(r.fiber.State()), r.offered().list()
			if err := r.fiber.Err(); err != nil {
				all[i].Reason = fault.Person(err)
			}
		}
		p.shelf.mu.Unlock()
	}
	return all, err
}

// Review gives the whole source, and the difference to what was reviewed last.
func (p *Plugins) Review(name string) (Review, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, err := p.find(name)
	if err != nil {
		return Review{}, err
	}
	r := Review{KeptPlugin: k, Source: string(k.code)}
	for _, part := range []string{"tool", "section", "service", "use", "on", "guard", "command", "panel"} {
		if strings.Contains(r.Source, "fairlead."+part) {
			r.Asks = append(r.Asks, part)
		}
	}
	if strings.Contains(r.Source, "tools.") {
		r.Asks = append(r.Asks, "tools")
	}
	if k.State == Changed {
		old, err := os.ReadFile(filepath.Join(p.dir, copiesDir, k.approved))
		if err != nil {
			return r, fault.Wrap(fault.Unavailable, "extension.plugins", err, "The bytes of %s that were reviewed last are gone, so the difference cannot be shown. Read the whole source.", name)
		}
		r.Diff = udiff.Unified(name+pluginEnding+" (reviewed)", name+pluginEnding, string(old), r.Source)
	}
	return r, nil
}

// Approve takes the bytes with this hash for reviewed, and runs them. Where the file has
// other bytes by now, nothing is approved.
func (p *Plugins) Approve(ctx context.Context, name, sum string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, err := p.find(name)
	if err != nil {
		return err
	}
	if k.State == Refused || k.SHA256 != sum {
		return fault.New(fault.Conflict, "extension.approve", "%s is not what you have read. Nothing was approved; read it again. %s", name, k.Reason)
	}
	manifest, err := p.manifest()
	if err != nil {
		return err
	}
	manifest[name] = approval{SHA256: sum, At: time.Now().UnixMilli()}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err == nil {
		err = errors.Join(p.write(filepath.Join(copiesDir, sum), k.code), p.write(manifestFile, text))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "extension.approve", err, "The approval of %s could not be written. It was not approved.", name)
	}
	return p.start(ctx, k)
}

// Remove deletes a plugin's file and ends what runs of it.
func (p *Plugins) Remove(ctx context.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.find(name); err != nil {
		return err
	}
	if err := p.end(ctx, name); err != nil {
		return err
	}
	if err := os.Remove(p.file(name)); err != nil {
		return fault.Wrap(fault.Unavailable, "extension.remove", err, "The file of %s could not be removed. It does not run any more.", name)
	}
	return nil
}

// Keep puts code into the folder. It arrives unreviewed: it is not run.
func (p *Plugins) Keep(name string, code []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !validName().MatchString(name) {
		return fault.New(fault.Invalid, "extension.keep", "%q cannot be a plugin's name. Nothing was written.", name)
	}
	if err := p.write(name+pluginEnding, code); err != nil {
		return fault.Wrap(fault.Unavailable, "extension.keep", err, "%s could not be written to %s. Nothing was kept.", name, p.dir)
	}
	return nil
}

// load starts every reviewed file. It is called once the process is up.
func (p *Plugins) load(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, err := p.list()
	for _, k := range all {
		if k.State == Reviewed && ctx.Err() == nil {
			err = errors.Join(err, p.start(ctx, k))
		}
	}
	return err
}

// start runs the very bytes that were hashed in the place of what runs of the plugin.
func (p *Plugins) start(ctx context.Context, k KeptPlugin) error {
	s := p.shelf
	s.changing.Lock()
	defer s.changing.Unlock()
	v := version{number: 1, purpose: "plugin", code: string(k.code), sum: k.SHA256, at: time.Now()}
	s.mu.Lock()
	one := cmp.Or(s.packages[k.Name], &pack{name: k.Name})
	one.versions = []version{v}
	s.packages[k.Name] = one
	s.mu.Unlock()
	_, err := s.activate(ctx, one, &running{shelf: s, name: k.Name, version: v})
	return err
}

// end stops what runs of a plugin.
func (p *Plugins) end(ctx context.Context, name string) error {
	s := p.shelf
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	one := s.packages[name]
	delete(s.packages, name)
	s.mu.Unlock()
	if one == nil || one.running == nil {
		return nil
	}
	return one.running.fiber.Dispose(ctx)
}
