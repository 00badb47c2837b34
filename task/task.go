package task

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairlead/agent"
	"fairlead/fault"
)

// Task is a prompt that is sent by itself. Exactly one of At, Every and Cron is set.
type Task struct {
	Name   string `yaml:"-" json:"name"`
	Prompt string `yaml:"prompt" json:"prompt"`
	// Folder is the workspace, absolute; empty is a run without one.
	Folder string `yaml:"folder,omitempty" json:"folder,omitempty"`

	// At is one moment, RFC 3339 or "2026-03-01 07:00" in Zone.
	At string `yaml:"at,omitempty" json:"at,omitempty"`
	// Every is a duration such as "90m" or "24h", counted from From.
	Every string `yaml:"every,omitempty" json:"every,omitempty"`
	// Cron is five fields (minute, hour, day, month, weekday) or a word such as @daily.
	Cron string `yaml:"cron,omitempty" json:"cron,omitempty"`
	// Zone is an IANA time zone; empty is the one of this machine.
	Zone string `yaml:"zone,omitempty" json:"zone,omitempty"`
	// From is when Every begins to count, RFC 3339.
	From string `yaml:"from,omitempty" json:"from,omitempty"`
	// Missed says what becomes of due times without a host: "once" (also where empty)
	// lets one run catch up, "skip" none.
	Missed string `yaml:"missed,omitempty" json:"missed,omitempty"`

	// Mode is the mode of its runs: "plan" (also where empty), "manual" or "bypass".
	Mode   string `yaml:"mode,omitempty" json:"mode,omitempty"`
	Model  string `yaml:"model,omitempty" json:"model,omitempty"`
	Effort string `yaml:"effort,omitempty" json:"effort,omitempty"`
	Preset string `yaml:"preset,omitempty" json:"preset,omitempty"`
	// Off keeps it from firing.
	Off bool `yaml:"off,omitempty" json:"off,omitempty"`
}

// What becomes of due times that passed without a host.
const (
	CatchUp = "once"
	Skip    = "skip"
)

// named reports whether a word may be the name of a task: it is a file name everywhere.
func named(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsAny(name[:1], "-_") &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// checkName says what is wrong with a name.
func checkName(name string) error {
	if !named(name) {
		return fault.New(fault.Invalid, "task.name", "%q cannot be the name of a task. Nothing was changed; use up to 64 small letters, digits, - and _.", name)
	}
	return nil
}

// Check says what is wrong with a task.
func (t Task) Check() error {
	if err := checkName(t.Name); err != nil {
		return err
	}
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "task.check", format+" The task %s was not saved.", append(args, t.Name)...)
	}
	switch {
	case strings.TrimSpace(t.Prompt) == "":
		return wrong("A task needs a prompt.")
	case t.Folder != "" && !filepath.IsAbs(t.Folder):
		return wrong("The folder %q is not an absolute path.", t.Folder)
	case !slices.Contains([]string{"", agent.Plan, agent.Manual, agent.Bypass}, t.Mode):
		return wrong("There is no mode %q; choose plan, manual or bypass.", t.Mode)
	case !slices.Contains([]string{"", CatchUp, Skip}, t.Missed):
		return wrong("There is no rule %q for missed runs; choose once or skip.", t.Missed)
	}
	if _, err := t.schedule(); err != nil {
		return fault.Wrap(fault.Invalid, "task.check", err, "%s The task %s was not saved.", fault.Person(err), t.Name)
	}
	return nil
}

// mode is the mode of its runs.
func (t Task) mode() string {
	if t.Mode == "" {
		return agent.Plan
	}
	return t.Mode
}

// Next gives its next n due times after a moment; fewer where there are no more, none
// where it is off.
func (t Task) Next(after time.Time, n int) []time.Time {
	s, err := t.schedule()
	if err != nil || t.Off {
		return nil
	}
	var list []time.Time
	for len(list) < n {
		due, ok := s.next(after)
		if !ok {
			break
		}
		list, after = append(list, due), due
	}
	return list
}
