package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
)

// Options of a document.
type Options struct {
	// File is the path of settings.yaml. It need not exist.
	File string
	// Secret reports whether a text is a secret, which is then refused; nil means that
	// none is.
	Secret func(string) bool
	// Changed is told after the document changed, by us or by others; nil is fine.
	Changed func(Change)
	// Log hears of outside edits and mistakes; nil discards.
	Log *slog.Logger
}

// Change says what became different.
type Change struct {
	Revision string
	// Sections that differ from before, sorted.
	Sections []string
}

// Document is settings.yaml.
type Document struct {
	file    *file
	secret  func(string) bool
	changed func(Change)
	log     *slog.Logger

	mu       sync.Mutex
	declared []*section
	revision string
	top      *config.Value // the last content without mistakes in its YAML; nil for none
	broken   config.Problems
	cache    map[*section]cached
	told     graph.Bell
}

// Open reads the document. A missing file is an empty document. A file that is no
// YAML opens too: with defaults, with the mistake among the problems of its snapshot,
// and not to be written until it is repaired.
func Open(o Options) (*Document, error) {
	d := &Document{file: &file{path: o.File}, secret: o.Secret, changed: o.Changed, log: o.Log, cache: map[*section]cached{}}
	if d.secret == nil {
		d.secret = func(string) bool { return false }
	}
	if d.changed == nil {
		d.changed = func(Change) {}
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	text, err := d.file.read()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "settings.open", err, "The settings %s could not be read. Nothing was changed; make the file readable.", o.File)
	}
	d.take(text)
	return d, nil
}

// Revision names the present content.
func (d *Document) Revision() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.revision
}

func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// take makes text the present content and tells who listens if it is another one.
func (d *Document) take(text []byte) {
	top, problems := d.parse(text)
	d.mu.Lock()
	first := d.revision == ""
	revision := revisionOf(text)
	if revision == d.revision {
		d.mu.Unlock()
		return
	}
	change := Change{Revision: revision}
	d.revision, d.broken = revision, problems
	if problems == nil {
		change.Sections = different(d.top, top)
		d.top = top
		clear(d.cache)
	}
	d.mu.Unlock()
	d.told.Ring()
	if problems != nil {
		d.log.Error("settings not understood; what held before goes on", "error", problems)
	}
	if !first {
		d.changed(change)
	}
}

func (d *Document) parse(text []byte) (*config.Value, config.Problems) {
	top, problems := config.Parse(text, &config.Layer{Name: "settings", File: d.file.path})
	if problems == nil && top != nil && top.Kind != config.Map && !top.IsNull() {
		problems = config.Problems{{At: top.At, Text: "the settings are a map of sections"}}
	}
	return top, problems
}

// different names the sections that do not say the same.
func different(a, b *config.Value) []string {
	names := map[string]bool{}
	for _, v := range []*config.Value{a, b} {
		if v == nil {
			continue
		}
		for _, e := range v.Keys {
			names[e.Name] = !a.Get(e.Name).Equal(b.Get(e.Name))
		}
	}
	maps.DeleteFunc(names, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(names))
}

// Refresh reads the file if it changed outside.
func (d *Document) Refresh() error {
	text, err := d.file.read()
	if err != nil {
		return fault.Wrap(fault.Unavailable, "settings.refresh", err, "The settings %s could not be read; what held before goes on.", d.file.path)
	}
	d.take(text)
	return nil
}

// Follow refreshes the document until ctx ends, looking every so often whether
// somebody edited the file.
func (d *Document) Follow(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	seen := "not read by us"
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := d.file.stamp()
		if now == seen {
			continue
		}
		seen = now
		if err := d.Refresh(); err != nil {
			d.log.Error("settings not read", "error", err)
		}
	}
}

// Watch yields the snapshot, at once and after each change, until ctx ends.
func (d *Document) Watch(ctx context.Context) iter.Seq[Snapshot] {
	return graph.Watch(ctx, &d.told, d.Snapshot)
}

// Patch writes some keys: a map from "section.key" (or deeper) to a value as
// encoding/json gives it, where nil takes the key out so that its default holds. It
// is one write, all or nothing, and only if the document still has the revision;
// otherwise it is a Conflict with code "settings-changed" and nothing is written. A
// key no declared section has, a value of the wrong kind or a secret is Invalid.
func (d *Document) Patch(ctx context.Context, revision string, changes map[string]any) (Snapshot, error) {
	text, err := d.write(ctx, revision, changes)
	if err != nil {
		return Snapshot{}, err
	}
	d.take(text)
	return d.Snapshot(), nil
}

func (d *Document) write(ctx context.Context, revision string, changes map[string]any) ([]byte, error) {
	unlock, err := d.file.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	seen := d.file.stamp()
	text, err := d.file.read()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "settings.write", err, "The settings %s could not be read. Nothing was written.", d.file.path)
	}
	if revision != revisionOf(text) {
		return nil, changedMeanwhile()
	}
	if text, err = d.edited(text, changes); err != nil {
		return nil, err
	}
	if d.file.stamp() != seen { // an editor takes no lock
		return nil, changedMeanwhile()
	}
	if err := config.Replace(d.file.path, text); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "settings.write", err, "The settings could not be written. The old ones are intact; check that the disk has room.").WithCode(full(err))
	}
	return text, nil
}

func changedMeanwhile() error {
	return fault.New(fault.Conflict, "settings.write", "The settings were changed meanwhile, so nothing was written; look at them again and repeat your change.").WithCode("settings-changed")
}

// edited gives the text with the changes made, each checked against its section.
// Mistakes that were there before stay, and stay the person's.
func (d *Document) edited(text []byte, changes map[string]any) ([]byte, error) {
	top, problems := d.parse(text)
	if problems != nil {
		return nil, fault.New(fault.Invalid, "settings.write", "The settings file has a mistake, so nothing was written; repair it first.\n%s", problems)
	}
	d.mu.Lock()
	declared := slices.Clone(d.declared)
	d.mu.Unlock()
	values := map[*section]any{}
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		value, err := config.ValueOf(changes[path])
		if err != nil {
			return nil, err
		}
		keys := strings.Split(path, ".")
		i := slices.IndexFunc(declared, func(s *section) bool { return s.name == keys[0] })
		if i < 0 || len(keys) == 1 {
			return nil, fault.New(fault.Invalid, "settings.write", "There is no setting %q. Nothing was written.", path)
		}
		if value.Any(func(v any) bool { s, isText := v.(string); return isText && d.secret(s) }) {
			return nil, fault.New(fault.Invalid, "settings.write", "The value of %s is a key or password, and those are not kept in the settings. Nothing was written; save it as a credential.", path).WithCode("secret")
		}
		s := declared[i]
		if values[s] == nil {
			values[s] = s.fresh()
			if written := top.Get(s.name); written != nil {
				_ = written.Decode(values[s], s.name) // its own mistakes are in the snapshot
			}
		}
		change := (&config.Value{Kind: config.Map}).With(keys[1:], value)
		problems = append(problems, change.Decode(values[s], s.name)...)
		if text, err = edit(text, keys, value); err != nil {
			return nil, err
		}
	}
	if problems != nil {
		texts := make([]string, len(problems))
		for i := range problems {
			texts[i] = problems[i].Text
		}
		return nil, fault.New(fault.Invalid, "settings.write", "Nothing was written: %s.", strings.Join(texts, "; "))
	}
	return text, nil
}

func full(err error) string {
	if errors.Is(err, errNoSpace) {
		return "disk-full"
	}
	return ""
}
