package undo

import (
	"context"
	_ "embed" // the text is a file
	"fmt"
	"slices"
	"strings"
	"text/template"

	"fairlead/agent"
	"fairlead/session"
)

// source names this room in what it tells the model.
const source = "undo"

//go:embed told.md
var toldText string

// tell has the model told with the next step what was taken back since its last one.
// Who took it back, in this process or in another, makes no difference: the log says it.
func tell(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	log := p.Agent.Log()
	l, err := session.StateOf(log, changes)
	if err != nil {
		return agent.Admission{}, err
	}
	if len(l.Untold) > 0 {
		text, err := l.untold(anchorOf(log))
		if err != nil {
			return agent.Admission{}, err
		}
		told := session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", source, p.Turn, p.Step), Source: source, Text: text})
		p.Messages = append([]session.Draft{told}, p.Messages...)
	}
	return next(ctx, p)
}

// untold says what the model has not heard of: a line a file, with what was done to
// it last.
func (l ledger) untold(anchor string) (string, error) {
	var paths, lines []string
	for _, id := range slices.Backward(l.Untold) {
		at := l.find(id)
		if at < 0 {
			continue
		}
		for _, f := range l.Deeds[at].Files {
			if !slices.Contains(paths, f.Path) {
				paths = append(paths, f.Path)
				lines = append(lines, fmt.Sprintf("%s, of turn %d: %s", shown(anchor, f.Path), l.turnOf(id), f.became()))
			}
		}
	}
	slices.Sort(lines)
	tmpl, err := template.New(source).Parse(toldText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = tmpl.Execute(&b, lines)
	return strings.TrimSpace(b.String()), err
}

// turnOf is the turn that a deed, or what it took back, goes back to; 0 where unknown.
func (l ledger) turnOf(id string) int {
	for at := l.find(id); at >= 0; at = l.find(l.Deeds[at].Of) {
		if d := l.Deeds[at]; d.Of == "" {
			return d.Turn
		}
	}
	return 0
}

// became says what a taking back did to a file.
func (f entry) became() string {
	switch {
	case same(f.Before, f.After):
		return "somebody else had changed it back before"
	case f.After == nil:
		return "deleted"
	case f.Before == nil:
		return "there again"
	case f.Merged:
		return "changed back, other changes in it were kept"
	}
	return "changed back"
}
