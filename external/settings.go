package external

import (
	"fairlead/fault"
	"fairlead/settings"
)

// Settings are the person's choices for agents.
type Settings struct {
	Agents map[string]Choice `yaml:"agents" doc:"External agents by name: claude, codex, grok."`
}

// Choice is what holds for one agent, whatever a model asks for.
type Choice struct {
	Access   string `yaml:"access" json:"access,omitempty" enum:"model,read-only,workspace-write,full" doc:"What it may do; with model the call says it, and where that says nothing it may only read."`
	Effort   string `yaml:"effort" json:"effort,omitempty" enum:"model,low,medium,high,xhigh" doc:"How much it is to think; with model the call says it."`
	Disabled bool   `yaml:"disabled" json:"disabled,omitempty" doc:"Whether it is left alone."`
}

// Section is the part of the settings that holds them.
var Section = settings.NewSection("external", "Other products' agents.", Settings{})

const byModel = "model"

// access settles what the agent may do: the person's choice counts before what was asked
// for, and nobody's word means that it may only read.
func (c Choice) access(asked Access) (Access, error) {
	if c.Access != "" && c.Access != byModel {
		asked = Access(c.Access)
	}
	if asked == "" {
		return ReadOnly, nil
	}
	if asked.rank() == 0 {
		return "", fault.New(fault.Invalid, "external.access", "There is no access %q; it is read-only, workspace-write or full. Nothing was started.", asked)
	}
	return asked, nil
}

// effort settles how much it is to think; "" leaves it to the agent.
func (c Choice) effort(asked Effort) (Effort, error) {
	if c.Effort != "" && c.Effort != byModel {
		asked = Effort(c.Effort)
	}
	switch asked {
	case "", Low, Medium, High, XHigh:
		return asked, nil
	}
	return "", fault.New(fault.Invalid, "external.effort", "There is no effort %q; it is low, medium, high or xhigh. Nothing was started.", asked)
}
