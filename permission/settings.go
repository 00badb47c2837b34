package permission

import (
	"path/filepath"
	"slices"

	"fairlead/graph"
	"fairlead/settings"
)

// Allowances are what the person decided beforehand.
type Allowances struct {
	Web   bool     `yaml:"web" doc:"Search the web and open public pages without asking, in every chat and in scheduled runs."`
	Write []string `yaml:"write" doc:"Absolute folders, besides the workspace, that approved commands may change."`
}

// Section is the part of the settings that holds the [Allowances].
var Section = settings.NewSection("permission", "What is allowed beforehand.", Allowances{})

// follow lets the settings count from here on, as long as f runs.
func (s *Service) follow(f *graph.Fiber, d *settings.Document) {
	d.Declare(f, Section)
	s.allowed = func() Allowances { return settings.Get(d, Section) }
}

// writable are the folders that an approved child may change. They come from the
// person alone; a path that is not absolute says nothing.
func (s *Service) writable(folder string) []string {
	var list []string
	if folder != "" {
		list = append(list, folder)
	}
	list = append(list, s.options.Write...)
	if s.allowed != nil {
		list = append(list, s.allowed().Write...)
	}
	return slices.DeleteFunc(list, func(path string) bool { return !filepath.IsAbs(path) })
}
