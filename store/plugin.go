package store

import (
	"context"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// Config of the plugin.
type Config struct {
	// Dir is the folder that holds the sessions.
	Dir string `yaml:"dir" json:"dir"`
}

// Plugin provides the store of files. Dir is the folder where a row does not name
// another one.
func Plugin(dir string) graph.Plugin {
	return graph.Plugin{
		Name:     "store-files",
		Doc:      "sessions on files, one folder each",
		Provides: []graph.AnyKey{session.StoreKey},
		Config:   func() any { return &Config{Dir: dir} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := cfg.(*Config)
			if c.Dir == "" {
				return fault.New(fault.Invalid, "store.plugin", "The store of sessions has no folder. Set dir in the row store-files.")
			}
			files := New(Options{Dir: c.Dir, Log: f.Log()})
			f.Effect("finish writing", func(context.Context) error { return files.Close() })
			return graph.Provide[session.Store](f, session.StoreKey, files)
		},
	}
}
