package external

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fairlead/sandbox"
	"fairlead/tool"
)

// policy is what the program of an agent may do: the network is open, since its model
// is there; its own folders may be changed, but for what decides what it runs; the rest is its access. Where this machine
// confines nothing, the program's own flags are all that holds it.
//
//	read-only        nothing else
//	workspace-write  the folder it works in, without its protected paths
//	full             everything but protected paths and what is ours
func (a *Agents) policy(ad *Adapter, access Access, folder string) (p sandbox.Policy, confined bool) {
	if a.box.Probe().Files == "" {
		return sandbox.Policy{Network: true, Unconfined: true}, false
	}
	own := a.folders(ad)
	p = sandbox.Policy{Network: true, Write: slices.Clone(own)}
	switch access {
	case Full:
		p.Write = []string{"/"}
		p.Deny = slices.Concat(a.options.Own, tool.ProtectedAround(a.options.Personal), tool.ProtectedIn(folder))
	case WorkspaceWrite:
		p.Write = append(p.Write, folder)
		p.Deny = slices.Concat(a.options.Own, tool.ProtectedIn(folder))
	}
	p.Deny = slices.DeleteFunc(p.Deny, func(path string) bool {
		return slices.ContainsFunc(own, func(mine string) bool { return tool.Within(mine, path) }) ||
			!slices.ContainsFunc(p.Write, func(folder string) bool { return tool.Within(folder, path) })
	})
	if home := a.home(ad); home != "" {
		for _, name := range ad.Guarded {
			p.Deny = append(p.Deny, filepath.Join(home, name))
		}
	}
	return p, true
}

// home is the product's own folder.
func (a *Agents) home(ad *Adapter) string {
	if dir := a.options.Environ(ad.HomeVariable); ad.HomeVariable != "" && filepath.IsAbs(dir) {
		return dir
	}
	if len(ad.Folders) == 0 || a.options.Personal == "" {
		return ""
	}
	return filepath.Join(a.options.Personal, ad.Folders[0])
}

// folders are the places that the product keeps its own things in and that are there. A
// folder that is not there is made, where the product would make it itself.
func (a *Agents) folders(ad *Adapter) []string {
	var found []string
	main := a.home(ad)
	if main != "" {
		if err := os.MkdirAll(main, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			a.log.Warn("the folder of an external agent cannot be made", "agent", ad.Name, "error", err)
		}
		found = append(found, main)
	}
	for _, name := range ad.Folders {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(a.options.Personal, name)
		}
		if path != main && filepath.IsAbs(path) {
			found = append(found, path)
		}
	}
	return slices.DeleteFunc(found, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}
