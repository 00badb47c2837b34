package toolbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"fairlead/tool"
)

// runsFiles are programs that run a file they are given.
var runsFiles = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(sh|bash|dash|zsh|ksh|fish|source|\.|python[0-9.]*|perl|ruby|node|deno|bun|php|lua|awk|gawk|sed|make|env|sudo|time|nice|timeout|nohup)$`)
})

// largestScript is the size up to which a file counts as a script, in bytes.
const largestScript = 32 << 20

// commandFiles names the files below the working folder that a command would run:
// programs called by a path, and what interpreters are given. Other words are data.
func commandFiles(cmd tool.Command) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(cmd.Text), "")
	if err != nil {
		return nil // bash will say what is wrong with it
	}
	var paths []string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		program := plainWord(call.Args[0])
		words := call.Args[:1]
		if runsFiles().MatchString(filepath.Base(program)) {
			words = call.Args
		}
		for _, w := range words {
			if path, ok := scriptAt(cmd.Dir, plainWord(w)); ok {
				paths = append(paths, path)
			}
		}
		return true
	})
	return paths
}

// plainWord is a word's text where it is spelled out, else "".
func plainWord(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if len(p.Parts) != 1 {
				return ""
			}
			lit, ok := p.Parts[0].(*syntax.Lit)
			if !ok {
				return ""
			}
			b.WriteString(lit.Value)
		default:
			return ""
		}
	}
	return b.String()
}

// scriptAt gives the file a word means; ok is false where there is none that could
// be a script. The system's own programs do not count: nobody here can change them.
func scriptAt(dir, word string) (string, bool) {
	if word == "" || strings.HasPrefix(word, "-") {
		return "", false
	}
	path := word
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	resolved, err := tool.Resolve(path)
	if err != nil || tool.Within("/usr", resolved) {
		return "", false
	}
	info, err := os.Stat(resolved)
	return resolved, err == nil && info.Mode().IsRegular() && info.Size() <= largestScript
}

// scriptsOf gives the files a command would run as programs or scripts, with the
// identity of their bytes: what runs must be what was approved. What we cannot read
// the command cannot either.
func scriptsOf(cmd tool.Command) map[string]string {
	binds := map[string]string{}
	for _, path := range commandFiles(cmd) {
		if id, err := tool.Identity(path); err == nil {
			binds[path] = id
		}
	}
	return binds
}
