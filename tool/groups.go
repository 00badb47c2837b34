package tool

import (
	"fmt"
	"path"
	"slices"
	"time"

	"fairlead/settings"
)

// Section is what a person decides about tools in general.
var Section = settings.NewSection("tools", "Which groups of tools the model has, and the person's own tools.", Settings{})

// Settings are the switches of groups and the person's own tools, both by name.
type Settings struct {
	Groups map[string]Switch `yaml:"groups" doc:"Groups of tools that are off, by name: web: off. It counts from the next message."`
	Own    map[string]Own    `yaml:"own" doc:"The person's own tools, by name: letters, digits, - and _."`
}

// Own is a tool that a person made in the settings.
type Own struct {
	Description string        `yaml:"description" json:"description" doc:"What it is for, as the model reads it."`
	Kind        string        `yaml:"kind" json:"kind" enum:"instructions,command" doc:"instructions: a text that the model gets by calling it. command: a command line that is run. (A server stands in mcp.servers.)"`
	Text        string        `yaml:"text" json:"text,omitempty" doc:"The text of instructions."`
	Command     string        `yaml:"command" json:"command,omitempty" doc:"The command line, run by bash in the session's folder. What the model gives it is in the variable FAIRLEAD_INPUT alone."`
	Env         []string      `yaml:"env" json:"env,omitempty" doc:"Names of variables or saved keys that the command gets."`
	Workspace   bool          `yaml:"workspace" json:"workspace,omitempty" doc:"Whether the command may change the session's folder."`
	Write       []string      `yaml:"write" json:"write,omitempty" doc:"Further absolute folders that the command may change."`
	Network     bool          `yaml:"network" json:"network,omitempty" doc:"Whether the command may use the network."`
	Limit       time.Duration `yaml:"limit" json:"-" doc:"How long the command may run; 2 minutes where it is not set."`
	Disabled    bool          `yaml:"disabled" json:"-" doc:"Whether it is left alone."`
}

// Switch is "on" or "off".
type Switch string

// The two positions of a switch; one that is not set is on.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// UnmarshalText takes on and off alone.
func (s *Switch) UnmarshalText(text []byte) error {
	to := Switch(text)
	if to != On && to != Off {
		return fmt.Errorf("a switch is on or off, not %q", text)
	}
	*s = to
	return nil
}

// Group is a group of tools under one switch.
type Group struct {
	Name string `json:"name"`
	// Patterns are names of tools, in which * stands for any text.
	Patterns []string `json:"patterns"`
}

// Groups lists the groups. What is in none of them, such as reading files, the list of
// steps and questions to the person, has no switch.
func Groups() []Group {
	return []Group{
		{"changes", []string{"write", "edit", "multi_edit", "apply_patch"}},
		{"shell", []string{"shell", "job_*", "terminal_*"}},
		{"language", []string{"lsp"}},
		{"web", []string{"web_*"}},
		{"servers", []string{"mcp_*"}},
		{"own", []string{OwnPrefix + "*"}},
		{"skills", []string{"skill"}},
		{"programs", []string{"run_code"}},
		{"packages", []string{"package_*", "graph_inspect"}},
		{"helpers", []string{"helper_*", "list_models"}},
		{"agents", []string{"harness_*"}},
		{"goals", []string{"goal*"}},
	}
}

// Holds reports whether a tool of that name is in the group.
func (g Group) Holds(name string) bool {
	return slices.ContainsFunc(g.Patterns, func(p string) bool { ok, err := path.Match(p, name); return ok && err == nil })
}

// OwnPrefix begins the names of the person's own tools, so that none takes the place
// of another tool.
const OwnPrefix = "own__"

// IsOff reports whether the person switched a group off. Slices that offer more than
// tools for a group, such as a command, ask it and say so.
func IsOff(d *settings.Document, group string) bool {
	return settings.Get(d, Section).Groups[group] == Off
}

// SwitchedOff is the filter of what a person switched off; the zero Filter for nothing.
func SwitchedOff(d *settings.Document) Filter {
	var f Filter
	set := settings.Get(d, Section)
	for _, g := range Groups() {
		if set.Groups[g.Name] == Off {
			f.Deny, f.Inner = append(f.Deny, g.Patterns...), true
		}
	}
	return f
}

// Check names groups that there are not.
func (s *Settings) Check() error {
	for name := range s.Groups {
		if !slices.ContainsFunc(Groups(), func(g Group) bool { return g.Name == name }) {
			return fmt.Errorf("there is no group of tools %q", name)
		}
	}
	return nil
}
