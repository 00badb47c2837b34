package proof

import (
	"slices"
	"strings"
	"testing"
)

// Every letter that a table does not list, and every proper prefix of a long option
// that is no option itself, must ask: options match exactly.
func TestUnlistedOptionsAsk(t *testing.T) {
	for name, p := range programs() {
		if p.anything || strings.Contains(name, "/") {
			continue
		}
		unlistedAsk(t, []word{known1(name)}, p)
		for verb, sub := range p.subs {
			unlistedAsk(t, []word{known1(name), known1(verb)}, sub)
		}
	}
}

func known1(s string) word { return word{text: s, known: true} }

func unlistedAsk(t *testing.T, front []word, p *program) {
	t.Helper()
	ask := func(option string) {
		for _, args := range [][]word{{known1(option)}, {known1("a"), known1(option)}} {
			if p.posix && len(args) > 1 {
				continue // past the first operand it is an operand
			}
			if isOnly(p, args) {
				continue
			}
			j := &judgement{at: Place{Folder: "/w"}, folders: []string{"/w"}}
			if err := j.command(slices.Concat(front, args)); err == nil {
				t.Errorf("%s %s passes and is not listed", front[len(front)-1].text, option)
			}
		}
	}
	for c := byte('!'); c < 0x7f; c++ {
		option := "-" + string(c)
		_, listed := p.options[option]
		if listed || c == '-' || p.digits && c >= '0' && c <= '9' {
			continue
		}
		ask(option)
	}
	for long := range p.options {
		if !strings.HasPrefix(long, "--") {
			continue
		}
		for n := 3; n < len(long); n++ {
			if _, listed := p.options[long[:n]]; !listed {
				ask(long[:n])
				ask(long[:n] + "=x")
			}
		}
		ask(long + "x")
	}
}

func isOnly(p *program, args []word) bool {
	return slices.ContainsFunc(p.only, func(want []string) bool { return equal(args, want) })
}

func TestEveryProgramSaysWhy(t *testing.T) {
	for _, name := range []string{"programs/shell.table", "programs/read.table", "programs/list.table", "programs/search.table", "programs/text.table", "programs/system.table", "programs/git.table"} {
		text, err := tables.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if (strings.HasPrefix(line, "program ") || strings.HasPrefix(line, "sub ")) && !strings.Contains(line, "::") && strings.TrimSpace(line) != "program git" {
				t.Errorf("%s: %q gives no reason", name, strings.TrimSpace(line))
			}
		}
	}
}

func TestBuiltinsWithoutAnEntryAsk(t *testing.T) {
	for _, builtin := range strings.Fields(". [ alias bg bind break builtin caller compgen complete compopt continue declare dirs disown enable eval exec export fc fg getopts hash help history jobs kill let local logout mapfile popd pushd read readarray readonly return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait") {
		if builtin == "[" {
			continue
		}
		if v := Bash(builtin+" x", Place{Folder: "/w"}); v.Looks {
			t.Errorf("%s passes", builtin)
		}
	}
}
