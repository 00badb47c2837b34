package extension

import (
	"cmp"
	"context"
	"errors"
	"time"

	"fairlead/fault"
	"fairlead/graph"
)

// PluginsKey names the plugins of a process.
var PluginsKey = graph.NewKey[*Plugins]("extension.plugins", "the plugins that a person keeps, and which of them were reviewed")

// Plugins runs what was reviewed of a folder, for every session of a process.
type Plugins struct {
	*Folder
	shelf *shelf
}

// List gives all files with their states, and how those that run do.
func (p *Plugins) List() ([]KeptPlugin, error) {
	all, err := p.Files()
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

// Approve accepts the bytes with this hash, as [Folder.Accept], and runs them.
func (p *Plugins) Approve(ctx context.Context, name, sum string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, err := p.accept(name, sum)
	if err != nil {
		return err
	}
	return p.start(ctx, k)
}

// Remove ends what runs of a plugin and deletes its file.
func (p *Plugins) Remove(ctx context.Context, name string) error {
	if err := p.end(ctx, name); err != nil {
		return err
	}
	return p.Delete(name)
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
