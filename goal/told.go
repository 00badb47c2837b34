package goal

import (
	"context"
	_ "embed" // the texts are files
	"fmt"
	"strings"
	"text/template"

	"fairlead/agent"
	"fairlead/session"
)

//go:embed prompts/active.md
var activeText string

//go:embed prompts/over.md
var overText string

// tell has the model told with the next step what the goal is, where that is not what
// it was told last. What it was told last holds: a compaction carries it word for word.
func (d *driver) tell(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	s, err := session.StateOf(p.Agent.Log(), d.goal)
	if err != nil {
		return agent.Admission{}, err
	}
	text, err := s.tells(d.mark)
	if err != nil {
		return agent.Admission{}, err
	}
	if text != "" && text != s.Told {
		told := session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", origin, p.Turn, p.Step), Source: origin, Text: text})
		p.Messages = append([]session.Draft{told}, p.Messages...)
	}
	return next(ctx, p)
}

// tells is what the model should know of the goal; "" where that is nothing.
func (s State) tells(mark string) (string, error) {
	switch {
	case s.ID == "":
		return "", nil
	case s.armed(mark):
		return render(activeText, map[string]any{"Objective": s.Objective, "Idle": idleRounds, "Tried": triedRounds})
	case s.Told == "":
		return "", nil // it never heard of one
	case s.Phase == Active:
		s.Phase = Paused // until the person resumes it in this process
	}
	return render(overText, s)
}

// render fills in a text of this room.
func render(text string, values any) (string, error) {
	t, err := template.New(origin).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, values)
	return strings.TrimSpace(b.String()), err
}
