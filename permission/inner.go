package permission

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"fairlead/permission/proof"
	"fairlead/tool"

	"mvdan.cc/sh/v3/syntax"
)

// inner is what a command comes to without what only says where and for how long:
// cd before it, timeout and nice around it.
type inner struct {
	text string // as it is written
	dir  string // where it starts, absolute and resolved
	// words are those of the one simple command that it is; nil where it is more, or
	// where a word is not written out.
	words []string
}

// innerOf strips a command. ok is false where nothing may be allowed for good: the
// command cannot be read, or it runs other programs or text.
func innerOf(cmd tool.Command) (in inner, ok bool) {
	if cmd.Shell != "bash" {
		return in, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(cmd.Text), "")
	if err != nil || proof.FoldedComment(cmd.Text) {
		return in, false
	}
	if in.dir, err = tool.Resolve(cmd.Dir); err != nil {
		return in, false
	}
	start := uint(0)
	var left *syntax.Stmt // what stands alone behind the folder, nil for a list
	if len(file.Stmts) == 1 {
		left, start = in.afterFolder(file.Stmts[0])
	}
	in.text = strings.TrimSpace(cmd.Text[start:])
	if left != nil {
		if call, words := plainWords(left); call != nil {
			words, skipped := unwrapped(words)
			if skipped > 0 && !slices.ContainsFunc(left.Redirs, func(r *syntax.Redirect) bool { return r.Pos().Offset() < call.Args[skipped].Pos().Offset() }) {
				in.text = strings.TrimSpace(cmd.Text[call.Args[skipped].Pos().Offset():])
			}
			if harmlessRedirects(left) {
				in.words = words
			}
		}
	}
	return in, runsNothingElse(tool.Command{Shell: "bash", Text: in.text})
}

// afterFolder follows the cd at the beginning of a chain. It gives the statement
// behind it where that is one, and where in the text it begins.
func (in *inner) afterFolder(s *syntax.Stmt) (rest *syntax.Stmt, start uint) {
	chain, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || s.Negated || s.Background || s.Coprocess || len(s.Redirs) > 0 {
		return s, s.Pos().Offset()
	}
	if chain.Op != syntax.AndStmt {
		return nil, s.Pos().Offset()
	}
	// a && b && c is (a && b) && c: the folder is at the far left.
	if deeper, isChain := chain.X.Cmd.(*syntax.BinaryCmd); isChain && deeper.Op == syntax.AndStmt {
		if _, after := in.afterFolder(chain.X); after > s.Pos().Offset() {
			return nil, after
		}
		return nil, s.Pos().Offset()
	}
	call, words := plainWords(chain.X)
	if call == nil || len(words) != 2 || words[0] != "cd" || len(chain.X.Redirs) > 0 || words[1] == "" || strings.ContainsAny(words[1][:1], "-~") {
		return nil, s.Pos().Offset()
	}
	dir := words[1]
	if !filepath.IsAbs(dir) {
		dir = in.dir + string(filepath.Separator) + dir
	}
	resolved, err := tool.Resolve(dir)
	if err != nil {
		return nil, s.Pos().Offset()
	}
	in.dir = resolved
	rest, start = in.afterFolder(chain.Y)
	if rest == nil {
		return nil, chain.Y.Pos().Offset()
	}
	return rest, start
}

// plainWords gives the words of a simple command where each is written out, without
// anything that the shell would replace.
func plainWords(s *syntax.Stmt) (*syntax.CallExpr, []string) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || s.Coprocess || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, nil
	}
	var words []string
	for _, arg := range call.Args {
		word, ok := literal(arg)
		if !ok || !quoted(arg) && strings.ContainsAny(word, "*?[{~") {
			return nil, nil
		}
		words = append(words, word)
	}
	return call, words
}

// quoted reports whether nothing of a word stands bare.
func quoted(w *syntax.Word) bool {
	return !slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool { _, bare := p.(*syntax.Lit); return bare })
}

// harmlessRedirects reports whether output goes nowhere else than to the caller.
func harmlessRedirects(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		target := r.Word.Lit()
		switch {
		case r.Op == syntax.DplOut && (target == "1" || target == "2"):
		case (r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrAll) && target == "/dev/null":
		default:
			return false
		}
	}
	return true
}

// limits are the options of the programs that are looked through: those that take a
// value in the next word are true.
var limits = map[string]map[string]bool{
	"timeout": {"-k": true, "--kill-after": true, "-s": true, "--signal": true, "--foreground": false, "--preserve-status": false, "-v": false, "--verbose": false},
	"nice":    {"-n": true, "--adjustment": true},
}

var duration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[smhd]?$`) })
var niceness = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?[0-9]{1,3}$`) })

// unwrapped looks through timeout and nice, with exactly the options that are known,
// and says how many words it skipped.
func unwrapped(words []string) (rest []string, skipped int) {
	rest = words
	for len(rest) > 1 {
		options, ok := limits[rest[0]]
		if !ok {
			break
		}
		at := 1
		for at < len(rest) && strings.HasPrefix(rest[at], "-") {
			name, _, joined := strings.Cut(rest[at], "=")
			takes, known := options[name]
			switch {
			case rest[0] == "nice" && niceness().MatchString(rest[at]):
			case !known, joined && (!takes || !strings.HasPrefix(name, "--")):
				return words, 0
			case takes && !joined:
				at++
			}
			at++
		}
		if rest[0] == "timeout" {
			if at >= len(rest) || !duration().MatchString(rest[at]) {
				return words, 0
			}
			at++
		}
		if at >= len(rest) {
			return words, 0
		}
		rest, skipped = rest[at:], skipped+at
	}
	return rest, skipped
}
