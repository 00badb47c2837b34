package proof

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// word is one argument after brace expansion and quote removal.
type word struct {
	// text is the argument; glob characters stand as written.
	text string
	// known is false where text depends on a variable's value or a command's output.
	known bool
	// glob is true where an unquoted *, ? or [ makes the shell look for files, lead
	// where such a character comes first, so that a file's name could become an option.
	glob, lead bool
}

// mostWords bounds brace expansion; a command with more asks.
const mostWords = 1024

// printable are the variables whose values a command may print: they hold no
// secret, and a child's environment holds few others.
var printable = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"HOME": true, "PATH": true, "PWD": true, "USER": true, "SHELL": true, "TERM": true, "LANG": true,
		"?": true, "#": true, "$": true, "0": true,
	}
})

// words resolves the arguments of a command.
func (j *judgement) words(args []*syntax.Word) ([]word, error) {
	var out []word
	for _, arg := range args {
		if !syntax.SplitBraces(arg) {
			if err := unread(arg); err != nil {
				return nil, err
			}
			w, err := j.word(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, w)
			continue
		}
		count := 0
		for part, err := range expand.BracesSeq(nil, arg) {
			if count++; err != nil || count > mostWords {
				return nil, doubtf("its braces expand to more than %d words", mostWords)
			}
			if err := joined(part); err != nil {
				return nil, err
			}
			w, err := j.word(part)
			if err != nil {
				return nil, err
			}
			out = append(out, w)
		}
	}
	return out, nil
}

var escaped = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\.`) })

// unread asks where braces are left that the shell may still expand: the two agree on
// plain ones, not on those that are odd in their nesting.
func unread(w *syntax.Word) error {
	var b strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	if !strings.Contains(b.String(), "{") {
		return nil
	}
	_, inner, _ := strings.Cut(escaped().ReplaceAllString(b.String(), ""), "{")
	if end := strings.LastIndex(inner, "}"); end >= 0 && (strings.Contains(inner[:end], ",") || strings.Contains(inner[:end], "..")) {
		return doubtf("its braces can be read in two ways")
	}
	return nil
}

// joined asks where a word that braces gave is read otherwise than its parts: the
// shell puts the text together first and only then looks for variables and quotes, and
// drops a word of which nothing is left.
func joined(w *syntax.Word) error {
	if err := unread(w); err != nil {
		return err
	}
	empty := true
	for i, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			empty = false
			continue
		}
		empty = empty && lit.Value == ""
		var before *syntax.ParamExp
		if i > 0 {
			before, _ = w.Parts[i-1].(*syntax.ParamExp)
		}
		if before != nil && before.Short || strings.ContainsAny(lit.Value, "$`") || lit.Value == `\` {
			return doubtf("its braces make a variable's name or a quote")
		}
	}
	if empty {
		return doubtf("its braces make an empty word")
	}
	return nil
}

// word resolves one argument.
func (j *judgement) word(w *syntax.Word) (word, error) {
	r := word{known: true}
	var b strings.Builder
	for _, part := range w.Parts {
		if err := j.part(part, &r, &b, false); err != nil {
			return word{}, err
		}
	}
	r.text = b.String()
	if r.glob && !strings.ContainsAny(r.text, "*?") && !strings.Contains(r.text, "]") {
		r.glob, r.lead = false, false // a lone [ is a program, not a class
	}
	switch front, all := tildePrefix(w); {
	case front == "" && strings.Contains(r.text, "=~"), front == "" && strings.Contains(r.text, ":~"):
		r.known = false // x=~/y and x=a:~/y are expanded as in an assignment
	case front == "":
	case !all || strings.HasPrefix(front, "~+") || strings.HasPrefix(front, "~-") || front > "~0" && front < "~:":
		r.known = false // a quoted part stops the expansion, ~+ and ~1 are other folders
	case front == "~" && j.at.Home == "", front != "~" && front != "~root":
		r.known = false // it stays as it is where there is no such person
	case r.known:
		r.text = j.tilde(r.text)
	}
	return r, nil
}

func (j *judgement) part(part syntax.WordPart, r *word, b *strings.Builder, quoted bool) error {
	switch p := part.(type) {
	case *syntax.Lit:
		return literal(p.Value, quoted, r, b)
	case *syntax.SglQuoted:
		if !p.Dollar {
			b.WriteString(p.Value)
			return nil
		}
		if text := plainEscapes.Replace(p.Value); !strings.Contains(text, `\`) {
			b.WriteString(text)
			return nil
		}
		r.known = false // other escapes of $'…': whatever they spell counts as unknown
	case *syntax.DblQuoted:
		if p.Dollar {
			return doubtf("$\"…\" is translated text")
		}
		for _, inner := range p.Parts {
			if err := j.part(inner, r, b, true); err != nil {
				return err
			}
		}
	case *syntax.ParamExp:
		return j.param(p, r, b, quoted)
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			return doubtf("it uses a substitution of another shell")
		}
		if len(p.Stmts) == 0 {
			return doubtf("it has an empty substitution")
		}
		if p.Backquotes && strings.Contains(j.text[p.Left.Offset():p.Right.Offset()], `\`) {
			return doubtf("it has a backslash inside backquotes, which shells read twice")
		}
		r.known = false
		return j.inside(p.Stmts)
	case *syntax.ArithmExp:
		r.known = false
		return arithmetic(p.X)
	case *syntax.ProcSubst:
		return doubtf("it uses process substitution")
	case *syntax.ExtGlob:
		return doubtf("it uses an extended glob")
	default:
		return doubtf("it uses shell syntax that is not proved")
	}
	return nil
}

// literal removes the quoting of a literal piece.
func literal(value string, quoted bool, r *word, b *strings.Builder) error {
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && i+1 == len(value):
			return doubtf("it ends in a backslash")
		case c == '\\':
			next := value[i+1]
			i++
			if next == '\n' {
				continue
			}
			if quoted && !strings.ContainsRune("$`\"\\", rune(next)) {
				b.WriteByte('\\')
			}
			b.WriteByte(next)
		case !quoted && (c == '*' || c == '?' || c == '['):
			r.glob = true
			if b.Len() == 0 {
				r.lead = true
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	if !quoted && imitates(value) {
		return doubtf("it contains characters that look like others")
	}
	return nil
}

// plainEscapes are the escapes of $'…' that are read; another one leaves its
// backslash, and so the word unknown.
var plainEscapes = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\'`, "'")

// param resolves a plain variable. Everything else about variables asks: their
// values may be secrets, and most forms of ${…} set or run something.
func (j *judgement) param(p *syntax.ParamExp, r *word, b *strings.Builder, quoted bool) error {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		return doubtf("it expands a variable in a way that is not proved")
	}
	name := p.Param.Value
	if !printable()[name] {
		return doubtf("the value of $%s is not known and may be a secret", name)
	}
	value := ""
	switch {
	case name == "HOME":
		value = j.at.Home
	case name == "PWD" && !j.moved:
		value = j.at.Folder
	}
	if value == "" || !quoted && strings.ContainsAny(value, " \t\n*?[\\") {
		r.known = false
	}
	b.WriteString(value)
	return nil
}

// tilde expands ~, ~root and what follows.
func (j *judgement) tilde(text string) string {
	name, _, _ := strings.Cut(text[1:], "/")
	home := j.at.Home
	if name == "root" {
		home = "/root"
	}
	return home + text[1+len(name):]
}

// tildePrefix gives the unquoted text before the first slash of a word that starts
// with ~, and whether that is all that stands there.
func tildePrefix(w *syntax.Word) (front string, all bool) {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(lit.Value, "~") {
		return "", true
	}
	front, _, slash := strings.Cut(lit.Value, "/")
	return front, (slash || len(w.Parts) == 1) && !strings.Contains(front, "\\")
}

// arithmetic passes numbers and operators only: a name in it is evaluated, and
// evaluating runs what an index holds.
func arithmetic(x syntax.ArithmExpr) error {
	switch e := x.(type) {
	case nil:
		return nil
	case *syntax.BinaryArithm:
		switch e.Op {
		case syntax.Add, syntax.Sub, syntax.Mul, syntax.Quo, syntax.Rem, syntax.Pow:
		default:
			return doubtf("its arithmetic is not proved")
		}
		if err := arithmetic(e.X); err != nil {
			return err
		}
		return arithmetic(e.Y)
	case *syntax.ParenArithm:
		return arithmetic(e.X)
	case *syntax.Word:
		lit := e.Lit()
		if lit == "" || strings.Trim(lit, "0123456789") != "" {
			return doubtf("its arithmetic depends on a variable")
		}
		return nil
	}
	return doubtf("its arithmetic is not proved")
}
