package skill

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The events at which hooks run: those that Claude Code and Codex share.
const (
	sessionStart     = "SessionStart"
	userPromptSubmit = "UserPromptSubmit"
	preToolUse       = "PreToolUse"
	postToolUse      = "PostToolUse"
	stopEvent        = "Stop"
)

func knownEvent(name string) bool {
	return slices.Contains([]string{sessionStart, userPromptSubmit, preToolUse, postToolUse, stopEvent}, name)
}

// Time limits of a hook.
const (
	usualHookTime = 60 * time.Second
	mostHookTime  = 600 * time.Second
)

// hook is one command that runs at an event.
type hook struct {
	event   string
	matcher matcher
	command string
	limit   time.Duration
	source  string // "home" or "folder"
	file    string // that it stands in, as shown
}

// hookFile is a settings file of Claude Code or a hooks.json of Codex; what else
// stands in it is not ours.
type hookFile struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Type    string  `json:"type"`
			Command string  `json:"command"`
			Timeout float64 `json:"timeout"` // seconds
		} `json:"hooks"`
	} `json:"hooks"`
}

// parseHooks reads a file of hooks. Problems are what in it does not run, in words; an
// unreadable file has no hooks and one problem.
func parseHooks(text []byte, source, file string) (hooks []hook, problems []string) {
	var f hookFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, []string{fmt.Sprintf("%s is not readable as JSON of the known form: %v", file, err)}
	}
	for _, event := range sortedKeys(f.Hooks) {
		if !knownEvent(event) {
			problems = append(problems, fmt.Sprintf("%s: hooks at %s do not run here", file, event))
			continue
		}
		for _, group := range f.Hooks[event] {
			m, err := newMatcher(group.Matcher)
			if err != nil {
				// A guard that is off without a word is worse than one that runs too often.
				problems = append(problems, fmt.Sprintf("%s: the matcher %q is taken for every tool: %v", file, group.Matcher, err))
			}
			for _, h := range group.Hooks {
				if h.Type != "command" || strings.TrimSpace(h.Command) == "" {
					problems = append(problems, fmt.Sprintf("%s: a hook of the type %q at %s does not run here", file, h.Type, event))
					continue
				}
				limit := usualHookTime
				if h.Timeout > 0 {
					limit = min(time.Duration(h.Timeout*float64(time.Second)), mostHookTime)
				}
				hooks = append(hooks, hook{event: event, matcher: m, command: h.Command, limit: limit, source: source, file: file})
			}
		}
	}
	return hooks, problems
}

// hasHooks reports whether a file has hooks that would run: a settings file of another
// product may have none.
func hasHooks(text []byte) bool {
	hooks, _ := parseHooks(text, "", "")
	return len(hooks) > 0
}

// matcher says for which tools, or for which kind of start, a hook runs. Words with |
// between them are names; anything else is a regular expression that is found
// anywhere in the name. The zero matcher is for all.
type matcher struct {
	names      []string
	expression *regexp.Regexp
}

func newMatcher(text string) (matcher, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "*" {
		return matcher{}, nil
	}
	if !strings.ContainsFunc(text, func(r rune) bool {
		return r != '|' && r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return matcher{names: strings.Split(text, "|")}, nil
	}
	re, err := regexp.Compile(text)
	return matcher{expression: re}, err
}

func (m matcher) fits(name string) bool {
	switch {
	case m.names != nil:
		return slices.Contains(m.names, name)
	case m.expression != nil:
		return m.expression.MatchString(name)
	}
	return true
}

// same reports whether two hooks do the same at the same.
func (h hook) same(o hook) bool {
	return h.event == o.event && h.command == o.command && h.matcher.String() == o.matcher.String()
}
