package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairlead/fault"
	"fairlead/graph"
)

// Audit checks that every fiber is active. The error, of kind Unavailable, has a line
// for each that is not: why it failed, or which service it waits for and which
// plugin of the table could provide it.
func Audit(fibers []graph.Status, table Table) error {
	var lines []string
	for _, s := range fibers {
		if s.State == graph.Active {
			continue
		}
		line := fmt.Sprintf("%s is %s: %s", s.Path, s.State, s.Reason)
		for _, key := range s.Missing {
			line += "\n  " + table.remedy(key, fibers)
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return nil
	}
	return fault.New(fault.Unavailable, "config.audit", "%s", strings.Join(lines, "\n")).WithCode("row-failed")
}

// remedy says who could provide a service.
func (t Table) remedy(key string, fibers []graph.Status) string {
	var who []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if !slices.ContainsFunc(t[name].Provides, func(k graph.AnyKey) bool { return k.Name() == key }) {
			continue
		}
		if i := slices.IndexFunc(fibers, func(s graph.Status) bool { return s.Plugin == name }); i >= 0 {
			return fmt.Sprintf("%s would come from %s, which is %s", key, fibers[i].Path, fibers[i].State)
		}
		who = append(who, name)
	}
	if who == nil {
		return key + ": no plugin of this build provides it"
	}
	return fmt.Sprintf("%s could be provided by the plugin %s; no enabled row has it", key, strings.Join(who, " or "))
}
