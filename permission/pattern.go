package permission

import (
	"path"
	"slices"
	"strings"
)

// pattern is a command with blanks in it: words, of which * stands for any one
// operand, and a last * for any number of them. Inside a word * stands for any text.
// The program and its options stand as they are: whoever may add an option to a
// program may often have it run another one.
type pattern []string

// readPattern reads the words of a pattern; ok is false for what is none.
func readPattern(text string) (p pattern, ok bool) {
	p = strings.Fields(text)
	if len(p) < 2 || strings.ContainsAny(text, "\\'\"`$&|;<>(){}[]?~#!\n") || strings.Contains(p[0], "*") || strings.Contains(p[0], "/") {
		return nil, false
	}
	return p, runsPlainly(p) && !runsOperand[p[1]] && slices.ContainsFunc(p, func(w string) bool { return strings.Contains(w, "*") })
}

// runsOperand are verbs whose operand is the program that they run.
var runsOperand = map[string]bool{"run": true, "exec": true, "x": true, "dlx": true, "tool": true, "create": true, "init": true, "run-script": true, "rundir": true, "start": true, "*": true}

// runsPlainly reports whether a command of these words runs no other programs, as far
// as words say.
func runsPlainly(words []string) bool {
	if len(words) == 0 || runsOthers().MatchString(path.Base(words[0])) {
		return false
	}
	return words[0] != "git" || !slices.ContainsFunc(words[1:], gitSettings().MatchString)
}

// covers reports whether a command of these words is one of the pattern.
func (p pattern) covers(words []string) bool {
	for i, want := range p {
		if want == "*" && i == len(p)-1 {
			return !slices.ContainsFunc(words[min(i, len(words)):], steers)
		}
		if i >= len(words) || !fitsWord(want, words[i]) {
			return false
		}
	}
	return len(words) == len(p)
}

// within reports whether every command of p is one of outer.
func (p pattern) within(outer pattern) bool {
	for i, want := range outer {
		last := i == len(outer)-1
		switch {
		case want == "*" && last:
			return !slices.ContainsFunc(p[min(i, len(p)):], steers)
		case i >= len(p), p[i] == "*" && (i == len(p)-1 || want != "*"), strings.Contains(p[i], "*") && p[i] != want && want != "*", !strings.Contains(p[i], "*") && !fitsWord(want, p[i]):
			return false
		}
	}
	return len(p) == len(outer)
}

func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// steers reports whether a word is more than an operand to some program: an option, a
// variable (make CC=…), a file of options (@file), a choice of version (+nightly).
func steers(word string) bool {
	if word == "" || strings.ContainsAny(word[:1], "-+@") {
		return true
	}
	name, _, set := strings.Cut(word, "=")
	return set && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:") == ""
}

// fitsWord matches one word; * stands for any text, and where it begins a word for an
// operand alone.
func fitsWord(want, word string) bool {
	if strings.HasPrefix(want, "*") && steers(word) {
		return false
	}
	parts := strings.Split(want, "*")
	rest, ok := strings.CutPrefix(word, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// haveVerbs are programs whose first word says what they do, so that what follows can
// be left open: the same said of rm would be a yes to removing anything.
var haveVerbs = map[string]bool{"go": true, "git": true, "npm": true, "pnpm": true, "yarn": true, "cargo": true, "pip": true, "pip3": true, "poetry": true, "dotnet": true,
	"gradle": true, "mvn": true, "bazel": true, "gh": true, "mix": true, "bundle": true, "composer": true, "dart": true, "flutter": true}

// patternOf gives the pattern that a card may offer for a command: the program, its
// verb, and every option as they are; everything behind may differ. "" where there is
// nothing to leave open.
func patternOf(words []string) string {
	if len(words) < 3 || !haveVerbs[words[0]] || strings.Trim(words[1], "abcdefghijklmnopqrstuvwxyz-") != "" || isOption(words[1]) {
		return ""
	}
	last := 1
	for i, w := range words {
		if isOption(w) {
			last = i
		}
	}
	if last == len(words)-1 {
		return ""
	}
	text := strings.Join(append(slices.Clone(words[:last+1]), "*"), " ")
	if p, ok := readPattern(text); !ok || !p.covers(words) {
		return ""
	}
	return text
}
