package goal

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/session"
)

// What changes a goal.
const (
	opSet       = "set"
	opEdited    = "edited"
	opResumed   = "resumed"
	opPaused    = "paused"
	opBlocked   = "blocked"
	opCompleted = "completed"
	opCleared   = "cleared"
)

// Told is what a use of /goal comes to. Goal is nil where there is none.
type Told struct {
	Text string `json:"text"`
	Goal *View  `json:"goal"`
}

// wish is what a person asks of a goal. Text is that of the slash command, which
// begins with the word of the form; Mode, Model and Effort are for the first round and
// those after it.
type wish struct {
	Text   string `json:"text"`
	Mode   string `json:"mode"`
	Model  string `json:"model"`
	Effort string `json:"effort"`
}

const params = `{"type":"object","properties":{"text":{"type":"string"},"mode":{"type":"string"},"model":{"type":"string"},"effort":{"type":"string"}},"additionalProperties":false}`

// verb is the command /goal. d is nil where the row of goals is off.
func verb(d *driver) command.Command {
	return command.Command{Name: "goal", Slash: "goal", Scope: command.Session, Params: json.RawMessage(params),
		Summary: "Pursue a goal in rounds: show, new, edit, pause, resume, complete, clear.",
		Run: func(ctx context.Context, c command.Call) (any, error) {
			if d == nil {
				return nil, off("Switch the row `goals` on to use them.")
			}
			var w wish
			if len(c.Args) > 0 {
				if err := json.Unmarshal(c.Args, &w); err != nil {
					return nil, fault.Wrap(fault.Invalid, "goal.command", err, "/goal takes other arguments. Nothing was changed.")
				}
			}
			a, err := d.host.Open(ctx, session.ID(c.Session))
			if err != nil {
				return nil, err
			}
			return d.obey(ctx, a, w)
		}}
}

// obey does what a person asks.
func (d *driver) obey(ctx context.Context, a *agent.Agent, w wish) (*Told, error) {
	form, rest := parse(w.Text)
	if form == "show" {
		return d.show(a)
	}
	if form == "new" || form == "resume" {
		if err := d.usable(a); err != nil {
			return nil, err
		}
	}
	s, err := d.change(ctx, a.Log(), 0, 0, func(s State) (ChangedData, error) { return d.asked(s, form, rest) })
	if err != nil {
		return nil, err
	}
	if s.Phase != Active {
		err = d.withdraw(ctx, a)
	} else if a.Status().State == agent.Idle {
		d.mu.Lock()
		err = d.begin(ctx, a, agent.Input{Mode: w.Mode, Model: w.Model, Effort: w.Effort})
		d.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	return d.show(a)
}

// parse reads a form. Words that are no form begin an objective.
func parse(text string) (form, rest string) {
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case text == "":
		return "show", ""
	case word == "new" || word == "edit":
		return word, rest
	case rest != "":
		return "new", text
	}
	switch word {
	case "show", "pause", "resume", "complete", "clear":
		return word, ""
	}
	return "new", text
}

// asked is what a form makes of a goal.
func (d *driver) asked(s State, form, rest string) (ChangedData, error) {
	refuse := func(kind fault.Kind, text string) (ChangedData, error) {
		return ChangedData{}, fault.New(kind, "goal."+form, "%s", text)
	}
	switch {
	case (form == "new" || form == "edit") && rest == "":
		return refuse(fault.Invalid, "Say what is to be reached. Nothing was changed.")
	case len(rest) > longest:
		return refuse(fault.TooLarge, fmt.Sprintf("A goal may be %d bytes long, this one is %d. Nothing was changed; put it into a file and name that.", longest, len(rest)))
	case form == "new" && s.unfinished():
		return refuse(fault.Conflict, "A goal is unfinished, and there is one at a time. Nothing was changed; change it with /goal edit, or end it with /goal complete or /goal clear.")
	case form == "new":
		return ChangedData{ID: fmt.Sprintf("g%d", s.Number+1), Op: opSet, Phase: Active, Objective: rest, Max: d.max, By: "person", Host: d.mark}, nil
	case !s.unfinished():
		return refuse(fault.NotFound, "There is no unfinished goal. Nothing was changed; set one with /goal and what is to be reached.")
	}
	switch form {
	case "edit":
		c := s.ChangedData
		c.Op, c.By, c.Objective = opEdited, "person", rest
		return c, nil
	case "pause":
		if s.Phase != Active {
			return refuse(fault.Conflict, fmt.Sprintf("The goal is %s already. Nothing was changed.", s.Phase))
		}
		return s.becomes(opPaused, Paused, WhyPerson, "person", "You paused the goal. Resume it with /goal resume."), nil
	case "resume":
		if s.armed(d.mark) {
			return refuse(fault.Conflict, "The goal is active already. Nothing was changed.")
		}
		if s.Rounds >= s.Max {
			return refuse(fault.Conflict, fmt.Sprintf("The goal has used all of its %s. Nothing was changed; clear it with /goal clear and set one for what is left.", rounds(s.Max)))
		}
		c := s.becomes(opResumed, Active, "", "person", "")
		c.Host = d.mark
		return c, nil
	case "complete":
		return s.becomes(opCompleted, Complete, WhyPerson, "person", "You marked the goal as complete."), nil
	}
	return s.becomes(opCleared, Cleared, WhyPerson, "person", "You cleared the goal."), nil
}

// off says that goals are switched off, and what switches them on.
func off(next string) error {
	return fault.New(fault.Unavailable, "goal.command", "Goals are switched off. Nothing was changed. %s", next).WithCode("GOALS_OFF")
}

// usable refuses a session whose model could not end a goal.
func (d *driver) usable(a *agent.Agent) error {
	if d.off() {
		return off("Switch the group `goals` on in the settings, under Tools, to use them.")
	}
	if d.tools.Find(a.Realm(), doneName) == nil {
		return fault.New(fault.Unavailable, "goal.command", "The preset of this session leaves out the tools with which the model ends a goal. Nothing was changed; begin a session with another preset.")
	}
	return nil
}

// show says how the goal stands.
func (d *driver) show(a *agent.Agent) (*Told, error) {
	s, err := session.StateOf(a.Log(), d.goal)
	if err != nil {
		return nil, err
	}
	v := s.view(d.mark)
	switch {
	case v == nil && s.Op == opCleared:
		return &Told{Text: s.Text}, nil
	case v == nil:
		return &Told{Text: "There is no goal. Set one with /goal and what is to be reached."}, nil
	}
	text := fmt.Sprintf("The goal is %s, with %d of %s used.", v.Phase, v.Rounds, rounds(v.Max))
	switch {
	case v.Phase == Active && !v.Armed:
		text = "The goal waits since a restart: nothing is begun for it. Resume it with /goal resume."
	case v.Text != "":
		text = v.Text
	}
	text += " Goal: " + v.Objective
	if v.Evidence != "" {
		text += "\nEvidence: " + v.Evidence
	}
	return &Told{Text: text, Goal: v}, nil
}
