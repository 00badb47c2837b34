package extension

import (
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
)

// Folder is a person's plugin folder. A file is run only where exactly its bytes were
// reviewed; anything else is listed and never run.
type Folder struct {
	dir string
	mu  sync.Mutex // held while the folder is changed or looked at
}

// NewFolder is the folder at a path; it need not be there.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

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

func (p *Folder) file(name string) string { return filepath.Join(p.dir, name+pluginEnding) }

// list looks at the folder. p.mu is held.
func (p *Folder) list() ([]KeptPlugin, error) {
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
func (p *Folder) look(name string, known approval) KeptPlugin {
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

func (p *Folder) manifest() (map[string]approval, error) {
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
func (p *Folder) write(name string, text []byte) error {
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
func (p *Folder) find(name string) (KeptPlugin, error) {
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

// Review gives the whole source, and the difference to what was reviewed last.
func (p *Folder) Review(name string) (Review, error) {
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

// Accept takes the bytes with this hash for reviewed. Where the file has other bytes by
// now, nothing is accepted. A process that runs takes no notice of it before it is
// started again; see [Plugins.Approve].
func (p *Folder) Accept(name, sum string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.accept(name, sum)
	return err
}

// accept gives the plugin as it was accepted, with the bytes that were hashed.
func (p *Folder) accept(name, sum string) (KeptPlugin, error) {
	k, err := p.find(name)
	if err != nil {
		return k, err
	}
	if k.State == Refused || k.SHA256 != sum {
		return k, fault.New(fault.Conflict, "extension.approve", "%s is not what you have read. Nothing was approved; read it again. %s", name, k.Reason)
	}
	manifest, err := p.manifest()
	if err != nil {
		return k, err
	}
	manifest[name] = approval{SHA256: sum, At: time.Now().UnixMilli()}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err == nil {
		err = errors.Join(p.write(filepath.Join(copiesDir, sum), k.code), p.write(manifestFile, text))
	}
	if err != nil {
		return k, fault.Wrap(fault.Unavailable, "extension.approve", err, "The approval of %s could not be written. It was not approved.", name)
	}
	return k, nil
}

// Delete removes a plugin's file.
func (p *Folder) Delete(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.find(name); err != nil {
		return err
	}
	if err := os.Remove(p.file(name)); err != nil {
		return fault.Wrap(fault.Unavailable, "extension.remove", err, "The file of %s could not be removed.", name)
	}
	return nil
}

// Files gives all files with their states, by name.
func (p *Folder) Files() ([]KeptPlugin, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list()
}

// Keep puts code into the folder. It arrives unreviewed: it is not run.
func (p *Folder) Keep(name string, code []byte) error {
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
