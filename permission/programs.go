package permission

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"fairlead/tool"

	"mvdan.cc/sh/v3/syntax"
)

// runsOthers are programs whose arguments are programs or program text, so that a
// standing yes to one would be a yes to anything.
var runsOthers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + strings.Join([]string{
		// shells
		`sh|bash|rbash|dash|ash|zsh|fish|ksh|mksh|csh|tcsh|elvish|nu|xonsh|pwsh|powershell|cmd|busybox|toybox`,
		// interpreters
		`python[0-9.]*|pypy[0-9.]*|perl[0-9.]*|ruby[0-9.]*|node|nodejs|deno|bun|tsx|ts-node|php[0-9.]*|lua[0-9.]*|luajit|tclsh|wish|expect|guile|racket|julia|Rscript|R`,
		`java|jshell|kotlin|scala|groovy|erl|elixir|iex|ghci|runghc|ocaml|swift|osascript|[gmn]?awk|sed|ed|ex|vim?|nvim|emacs|gdb|lldb|jq|sqlite3|psql|mysql`,
		// wrappers
		`env|sudo|doas|su|runuser|pkexec|xargs|parallel|nohup|nice|ionice|chrt|taskset|timeout|time|setsid|stdbuf|unbuffer|script|watch|entr|find|fd|fdfind`,
		`chroot|unshare|nsenter|bwrap|firejail|systemd-run|ssh|scp|rsync|docker|podman|kubectl|tmux|screen|at|batch|crontab|strace|ltrace|perf|flock|npx|bunx|uvx|pipx|uv`,
		// of the shell itself
		`eval|exec|source|\.|command|builtin|trap|alias|enable|coproc|hash|mapfile|readarray`,
	}, "|") + `)$`)
})

// gitSettings are options of git that bring settings or programs from elsewhere.
var gitSettings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-c|--config-env.*|--exec-path.*|--git-dir.*|--work-tree.*|-C|config|filter-branch|bisect|rebase|submodule|difftool|mergetool|hook|daemon|fast-import)$`)
})

// runsNothingElse reports whether a command may get a standing yes: every program
// in it is named plainly, none runs other programs or text, and no variable is set
// for one. It does not say that the command is harmless.
func runsNothingElse(cmd tool.Command) bool {
	if cmd.Shell != "bash" {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(cmd.Text), "")
	if err != nil {
		return false
	}
	plain, calls := true, 0
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			calls++
			plain = plain && plainCall(n)
		case *syntax.DeclClause, *syntax.FuncDecl, *syntax.CoprocClause, *syntax.TimeClause, *syntax.ProcSubst, *syntax.CmdSubst, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause:
			plain = false
		}
		return plain
	})
	return plain && calls > 0
}

func plainCall(c *syntax.CallExpr) bool {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		return false
	}
	name, ok := literal(c.Args[0])
	program := path.Base(name)
	if !ok || name == "" || runsOthers().MatchString(program) {
		return false
	}
	if program == "git" {
		for _, arg := range c.Args[1:] {
			if word, ok := literal(arg); !ok || gitSettings().MatchString(word) {
				return false
			}
		}
	}
	return true
}

// literal is a word's text where it stands in the command as it is, quotes aside.
func literal(w *syntax.Word) (string, bool) {
	var text strings.Builder
	for _, part := range w.Parts {
		parts := []syntax.WordPart{part}
		if quoted, ok := part.(*syntax.DblQuoted); ok {
			parts = quoted.Parts
		}
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				if strings.ContainsRune(p.Value, '\\') {
					return "", false
				}
				text.WriteString(p.Value)
			case *syntax.SglQuoted:
				if p.Dollar {
					return "", false
				}
				text.WriteString(p.Value)
			default:
				return "", false
			}
		}
	}
	return text.String(), true
}
