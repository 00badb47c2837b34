package permission

import (
	"crypto/rand"
	"path/filepath"
	"slices"
	"strings"

	"fairlead/session"
	"fairlead/tool"
)

// Rule is a standing yes that a person gave. It covers one exact command in one
// folder, commands of one pattern in the workspace, or changes of files below one
// folder; what a command is, see [inner]; never a protected path, never a
// program that runs other programs. What a chat was answered about the web is a rule
// of that chat, too, and alone may be a no.
type Rule struct {
	ID string `json:"id" yaml:"id"`
	// Scope is "session" or "project".
	Scope string `json:"scope" yaml:"-"`
	// Folder is the workspace it holds in, absolute.
	Folder string `json:"folder" yaml:"folder"`
	// Command is the exact text of a command and Dir the folder it starts in.
	Command string `json:"command,omitempty" yaml:"command,omitempty"`
	Dir     string `json:"dir,omitempty" yaml:"dir,omitempty"`
	// Pattern is a command with blanks in it, see [pattern].
	Pattern string `json:"pattern,omitempty" yaml:"pattern,omitempty"`
	// Below is the folder below which files may be changed, absolute and resolved.
	Below string `json:"below,omitempty" yaml:"below,omitempty"`
	// Web is "*" for the open web, or a host and port of this machine or its network.
	Web string `json:"web,omitempty" yaml:"-"`
	No  bool   `json:"no,omitempty" yaml:"-"`
}

// Scopes of a rule.
const (
	forSession = "session"
	forProject = "project"
)

// RuleChangedData is a rule that came or went. Op is "added" or "removed".
type RuleChangedData struct {
	Op   string `json:"op"`
	Rule Rule   `json:"rule"`
}

// RuleChanged is logged in the session in which the person gave the rule.
var RuleChanged = session.Kind[RuleChangedData]{Name: "rule/changed", Doc: "a standing permission was given or taken back", Ignorable: true}

// rulesProjection folds the rules of the session alone. A fork begins without any.
var rulesProjection = session.Projection[[]Rule]{
	Name: "rules", Version: 1,
	Fold: func(rules []Rule, e session.Event) []Rule {
		switch {
		case session.Forked.Of(e):
			return nil
		case RuleChanged.Of(e):
			d, err := RuleChanged.Decode(e)
			if err != nil || d.Rule.Scope != forSession {
				return rules
			}
			kept := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r.ID == d.Rule.ID })
			if d.Op == "added" {
				kept = append(kept, d.Rule)
			}
			return kept
		}
		return rules
	},
	View: func(rules []Rule) any { return append([]Rule{}, rules...) },
}

// covers reports whether the rule says yes to a call. What is protected, and what
// only a loud card may allow, never gets here.
func (r Rule) covers(call *tool.Call, f facts) bool {
	if r.Folder != call.Folder || f.grave != "" || f.secret != "" {
		return false
	}
	if r.Command != "" || r.Pattern != "" {
		return f.command && r.coversCommand(f.cmd)
	}
	return r.Below != "" && !f.command && len(f.changes) > 0 && !slices.ContainsFunc(f.changes, func(path string) bool { return !tool.Within(r.Below, path) })
}

func (r Rule) coversCommand(cmd tool.Command) bool {
	in, ok := innerOf(cmd)
	switch {
	case !ok:
		return false
	case r.Command != "":
		return in.text == r.Command && in.dir == r.Dir
	}
	p, ok := readPattern(r.Pattern)
	return ok && in.words != nil && tool.Within(r.Folder, in.dir) && p.covers(in.words) && runsPlainly(in.words)
}

// ruleFor finds a rule that says yes, the session's own first.
func (s *Service) ruleFor(call *tool.Call, f facts) (Rule, bool) {
	own, err := session.StateOf(call.Log, rulesProjection)
	if err != nil {
		return Rule{}, false // what cannot be read allows nothing
	}
	covers := func(r Rule) bool { return r.covers(call, f) }
	if at := slices.IndexFunc(own, covers); at >= 0 {
		return own[at], true
	}
	if s.options.Rules == nil {
		return Rule{}, false
	}
	rules, err := s.options.Rules.List()
	if err != nil {
		s.options.Log.Warn("the standing rules cannot be read, so none counts", "error", err)
		return Rule{}, false
	}
	if at := slices.IndexFunc(rules, covers); at >= 0 {
		return rules[at], true
	}
	return Rule{}, false
}

// offers are the wider permissions that a card may offer for a call, each with the
// rule it would make.
func (s *Service) offers(call *tool.Call, f facts) []offer {
	if call.Folder == "" || f.grave != "" || f.secret != "" {
		return nil
	}
	var choices []offer
	add := func(rule Rule, wider tool.Wider) {
		rule.Folder = call.Folder
		choices = append(choices, offer{wider, rule})
	}
	switch {
	case f.command:
		in, ok := innerOf(f.cmd)
		if !ok {
			return nil
		}
		exact := tool.Wider{Label: "Allow exactly this command", Key: "card.wider-command"}
		if in.text != strings.TrimSpace(f.cmd.Text) {
			exact = tool.Wider{Label: "Allow exactly " + in.text, Key: "card.wider-inner", Values: map[string]any{"command": in.text}}
		}
		add(Rule{Command: in.text, Dir: in.dir}, exact)
		if open := patternOf(in.words); open != "" && tool.Within(call.Folder, in.dir) {
			add(Rule{Pattern: open}, tool.Wider{Label: "Allow " + open, Key: "card.wider-pattern", Values: map[string]any{"pattern": open}})
		}
	case !f.command && len(f.changes) == 1 && tool.Within(call.Folder, f.changes[0]) && filepath.Dir(f.changes[0]) != call.Folder:
		folder := filepath.Dir(f.changes[0])
		below, err := filepath.Rel(call.Folder, folder)
		if err != nil {
			return nil
		}
		add(Rule{Below: folder}, tool.Wider{Label: "Allow changes of files in " + below, Key: "card.wider-below", Values: map[string]any{"path": below}})
	}
	scopes := []string{forSession}
	if s.options.Rules != nil {
		scopes = append(scopes, forProject)
	}
	var list []offer
	for _, scope := range scopes {
		for _, c := range choices {
			list = append(list, newOffer(c.rule, scope, c.wider))
		}
	}
	return list
}

// offer is a wider permission on a card.
type offer struct {
	wider tool.Wider
	rule  Rule
}

func newRuleID() string { return "r" + strings.ToLower(rand.Text()[:8]) }

func newOffer(rule Rule, scope string, wider tool.Wider) offer {
	rule.ID, rule.Scope = newRuleID(), scope
	wider.ID, wider.Scope = rule.ID, scope
	return offer{wider, rule}
}
