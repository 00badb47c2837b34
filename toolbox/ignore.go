package toolbox

import (
	"path"
	"strings"
)

// ignoreRules are the rules of one ignore file, see gitignore(5), and of those
// further up.
type ignoreRules struct {
	up *ignoreRules
	// cut is how many bytes of a path from the walk's root lead to the rules' folder;
	// lead is what leads from the rules' folder down to the walk's root.
	cut   int
	lead  string
	rules []ignoreRule
}

type ignoreRule struct {
	pattern  string
	negated  bool // it takes back what an earlier rule ignored
	folders  bool // it is about folders only
	anchored bool // it is matched against the path from its folder, not the name
	form     ruleForm
}

// ruleForm says how a pattern can be matched quickly.
type ruleForm uint8

const (
	formGlob   ruleForm = iota
	formExact           // no wildcards
	formSuffix          // *text
	formPrefix          // text*
)

// parseIgnore reads an ignore file.
func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		if r, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	var r ignoreRule
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.negated, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.folders, line = true, rest
	}
	if line == "" {
		return r, false
	}
	if rest, ok := strings.CutPrefix(line, "/"); ok {
		r.anchored, line = true, rest
	} else if rest, ok := strings.CutPrefix(line, "**/"); ok && !strings.Contains(rest, "/") {
		line = rest // a name at any depth
	} else {
		r.anchored = strings.Contains(line, "/")
	}
	r.pattern = line
	switch {
	case !strings.ContainsAny(line, `*?[\`):
		r.form = formExact
	case line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\/`) && !r.anchored:
		r.form, r.pattern = formSuffix, line[1:]
	case strings.HasSuffix(line, "*") && !strings.ContainsAny(line[:len(line)-1], `*?[\/`) && !r.anchored:
		r.form, r.pattern = formPrefix, line[:len(line)-1]
	}
	return r, line != ""
}

func (r *ignoreRule) matches(rel, name string) bool {
	subject := name
	if r.anchored {
		subject = rel
	}
	switch r.form {
	case formExact:
		return subject == r.pattern
	case formSuffix:
		return strings.HasSuffix(subject, r.pattern)
	case formPrefix:
		return strings.HasPrefix(subject, r.pattern)
	}
	return matchPath(r.pattern, subject)
}

// ignored reports whether a path, from the walk's root down, is to be left out. It
// looks at this one entry: what lies below an ignored folder is never asked for.
func (s *ignoreRules) ignored(rel string, folder bool) bool {
	name := path.Base(rel)
	for ; s != nil; s = s.up {
		own := rel
		if s.lead != "" {
			own = s.lead + rel
		} else {
			own = rel[s.cut:]
		}
		for i := len(s.rules) - 1; i >= 0; i-- {
			if r := &s.rules[i]; (!r.folders || folder) && r.matches(own, name) {
				return !r.negated
			}
		}
	}
	return false
}
