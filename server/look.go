package server

import (
	"fairlead/graph"
	"fairlead/settings"
	"fairlead/ui"
)

// Appearance is how the page looks before it has asked anything.
type Appearance struct {
	Theme    string `yaml:"theme" enum:"system,light,dark" doc:"Light, dark, or as the system has it."`
	Language string `yaml:"language" doc:"The page's language, such as pt-BR; empty is the browser's."`
}

// Look is the section of the settings that holds the [Appearance].
var Look = settings.NewSection("look", "How the page looks.", Appearance{Theme: "system"})

// look is what is written into the page's shell.
func (o Options) look() ui.Look {
	shown := ui.Look{Version: o.Version}
	if o.Realm == nil {
		return shown
	}
	if d, ok := graph.Lookup(o.Realm, settings.DocumentKey); ok {
		a := settings.Get(d, Look)
		shown.Language = a.Language
		if a.Theme == "light" || a.Theme == "dark" {
			shown.Theme = a.Theme
		}
	}
	return shown
}
