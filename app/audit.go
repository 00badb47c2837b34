package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairlead/fault"
	"fairlead/graph"
)

// audit checks that every enabled row is active.
func (a *App) audit() error {
	var lines []string
	for _, s := range a.graph.Inventory() {
		if s.State != graph.Active {
			lines = append(lines, a.plight(s))
		}
	}
	if lines == nil {
		return nil
	}
	return fault.New(fault.Unavailable, "app.audit", "The profile %q cannot start:\n%s\nNothing was started; enable what is missing, or disable the rows named.",
		a.tree.Profile, strings.Join(lines, "\n")).WithCode("row-failed")
}

// plight says of one row what it waits for and who could provide it, or how it failed.
func (a *App) plight(s graph.Status) string {
	var waits []string
	for _, in := range s.Injects {
		if in.Optional || in.Provider != "" {
			continue
		}
		text := in.Key
		if who := a.providers(in.Key); who != nil {
			text += " (the plugin " + strings.Join(who, " or ") + " could provide it)"
		} else {
			text += " (no plugin of this build provides it)"
		}
		waits = append(waits, text)
	}
	if s.State == graph.Failed || waits == nil {
		return fmt.Sprintf("  the row %s is %s: %s", s.Path, s.State, s.Reason)
	}
	return fmt.Sprintf("  the row %s waits for %s", s.Path, strings.Join(waits, " and for "))
}

func (a *App) providers(key string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a.table)) {
		if slices.ContainsFunc(a.table[name].Provides, func(k graph.AnyKey) bool { return k.Name() == key }) {
			names = append(names, name)
		}
	}
	return names
}
