package proof

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// deepest bounds nesting of blocks and substitutions; deeper asks.
const deepest = 32

// bash walks the command's syntax tree. Whatever node it does not name asks.
func (j *judgement) bash(command string) error {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil {
		return doubtf("it does not parse as bash")
	}
	if strings.Contains(command, "\r") {
		return doubtf("it contains a carriage return")
	}
	if FoldedComment(command) {
		return doubtf("it has a comment with a backslash at the end of its line")
	}
	return j.stmts(file.Stmts)
}

// FoldedComment reports whether a comment ends in a backslash: the parser goes on with
// it in the next line, bash runs that line. Other
// commands are spared the second reading.
func FoldedComment(command string) bool {
	if !strings.Contains(command, "\\\n") || !strings.Contains(command, "#") {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil {
		return true
	}
	folded := false
	syntax.Walk(file, func(node syntax.Node) bool {
		if c, ok := node.(*syntax.Comment); ok {
			line, _, _ := strings.Cut(command[c.Hash.Offset():], "\n")
			folded = folded || strings.HasSuffix(line, `\`)
		}
		return !folded
	})
	return folded
}

// inside judges statements of a substitution or block, one level deeper.
func (j *judgement) inside(stmts []*syntax.Stmt) error {
	if j.depth++; j.depth > deepest {
		return doubtf("it is nested too deeply")
	}
	defer func() { j.depth-- }()
	return j.stmts(stmts)
}

func (j *judgement) stmts(stmts []*syntax.Stmt) error {
	for _, s := range stmts {
		if err := j.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

func (j *judgement) stmt(s *syntax.Stmt) error {
	switch {
	case s.Background:
		return doubtf("it leaves something running in the background")
	case s.Coprocess || s.Disown:
		return doubtf("it starts a coprocess")
	}
	for _, r := range s.Redirs {
		if err := j.redirect(r); err != nil {
			return err
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
		if len(s.Redirs) > 0 {
			return doubtf("it has a redirect without a command")
		}
		return nil
	case *syntax.CallExpr:
		return j.call(c)
	case *syntax.BinaryCmd:
		return j.binary(c)
	case *syntax.Block:
		return j.inside(c.Stmts)
	case *syntax.Subshell:
		return j.inside(c.Stmts)
	case *syntax.IfClause:
		return j.ifClause(c)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return doubtf("it times nothing")
		}
		return j.stmt(c.Stmt)
	case *syntax.TestClause:
		return j.test(c.X)
	}
	return doubtf("it uses shell syntax that is not proved")
}

// binary walks a chain such as a && b | c without recursion on its left, so that
// ten thousand parts cost ten thousand steps and no stack.
func (j *judgement) binary(c *syntax.BinaryCmd) error {
	var rights []*syntax.Stmt
	for {
		if _, timed := c.Y.Cmd.(*syntax.TimeClause); timed && c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			return doubtf("time behind a pipe is another program")
		}
		rights = append(rights, c.Y)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || c.X.Background || c.X.Coprocess || c.X.Disown {
			break
		}
		c = left
	}
	if err := j.stmt(c.X); err != nil {
		return err
	}
	for i := len(rights) - 1; i >= 0; i-- {
		if err := j.stmt(rights[i]); err != nil {
			return err
		}
	}
	return nil
}

func (j *judgement) ifClause(c *syntax.IfClause) error {
	for ; c != nil; c = c.Else {
		if err := j.inside(c.Cond); err != nil {
			return err
		}
		if err := j.inside(c.Then); err != nil {
			return err
		}
	}
	return nil
}

// test passes [[ … ]] for its file and string tests; the number tests evaluate
// arithmetic, which runs what an index holds.
func (j *judgement) test(x syntax.TestExpr) error {
	switch e := x.(type) {
	case *syntax.Word:
		_, err := j.word(e)
		return err
	case *syntax.ParenTest:
		return j.test(e.X)
	case *syntax.UnaryTest:
		switch e.Op {
		case syntax.TsVarSet, syntax.TsRefVar, syntax.TsOptSet:
			return doubtf("it tests a variable")
		}
		return j.test(e.X)
	case *syntax.BinaryTest:
		switch e.Op {
		case syntax.AndTest, syntax.OrTest, syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsBefore, syntax.TsAfter, syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		default:
			return doubtf("it compares numbers inside [[ ]], which evaluates them")
		}
		if err := j.test(e.X); err != nil {
			return err
		}
		return j.test(e.Y)
	}
	return doubtf("it uses a test that is not proved")
}

// redirect passes what reads a named file, joins the two outputs, or throws
// output away.
func (j *judgement) redirect(r *syntax.Redirect) error {
	if r.N != nil && r.N.Value != "0" && r.N.Value != "1" && r.N.Value != "2" {
		return doubtf("it opens another file descriptor")
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return doubtf("it has a here-document")
	}
	if end := int(r.Word.End().Offset()); strings.Trim(r.Word.Lit(), "0123456789") == "" && end < len(j.text) && strings.IndexByte("<>", j.text[end]) >= 0 {
		return doubtf("a number stands between two redirects")
	}
	if err := unread(r.Word); err != nil {
		return err
	}
	w, err := j.word(r.Word)
	if err != nil {
		return err
	}
	if !w.known || w.glob {
		return doubtf("it redirects to a file that is not known")
	}
	switch r.Op {
	case syntax.RdrIn:
		return j.readable(w.text)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		if w.text == "/dev/null" {
			return nil
		}
		return doubtf("it writes to %s", w.text)
	case syntax.DplOut:
		if w.text == "1" || w.text == "2" {
			return nil
		}
		return doubtf("it writes to %s", w.text)
	}
	return doubtf("it uses a redirect that is not proved")
}

// call judges one simple command.
func (j *judgement) call(c *syntax.CallExpr) error {
	for _, a := range c.Assigns {
		if len(c.Args) == 0 || !localePrefix(a) {
			return doubtf("it sets a variable")
		}
	}
	if len(c.Args) == 0 {
		return nil
	}
	args, err := j.words(c.Args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return doubtf("its program is not known")
	}
	return j.command(args)
}

// localePrefix passes LC_ALL=C and its like before a command: they choose how text
// is sorted and shown, and the values are names of locales.
func localePrefix(a *syntax.Assign) bool {
	if a.Append || a.Naked || a.Array != nil || a.Index != nil || a.Name == nil || a.Value == nil {
		return false
	}
	if a.Name.Value != "LANG" && !strings.HasPrefix(a.Name.Value, "LC_") {
		return false
	}
	// Other character sets have characters that end in the byte of a backslash.
	return locale().MatchString(a.Value.Lit())
}

var locale = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(C|POSIX|(C|[A-Za-z_]+)[.](UTF-8|utf8|utf-8))$`)
})

// binFolders are where the system keeps its own programs.
var binFolders = []string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}

// command judges a program with its arguments.
func (j *judgement) command(args []word) error {
	name := args[0]
	if !name.known || name.glob || name.text == "" || !plain(name.text) {
		return doubtf("its program is not known")
	}
	program := name.text
	for _, folder := range binFolders {
		if rest, ok := strings.CutPrefix(program, folder); ok && !strings.Contains(rest, "/") {
			program = rest
			break
		}
	}
	if strings.Contains(program, "/") {
		return doubtf("%s is not a program of the system", program)
	}
	switch program {
	case "cd":
		return j.changeFolder(args[1:])
	case "command", "type":
		return j.lookUp(program, args[1:])
	}
	p, ok := programs()[program]
	if !ok {
		return doubtf("%s is not on the list of programs that only look", program)
	}
	return p.judge(j, args[1:])
}

// lookUp passes command -v NAME and type NAME, which say what a name is.
func (j *judgement) lookUp(program string, args []word) error {
	if program == "command" {
		if len(args) == 0 || !args[0].known || args[0].text != "-v" && args[0].text != "-V" {
			return doubtf("command runs another program")
		}
		args = args[1:]
	}
	for _, a := range args {
		if !a.known || program == "command" && strings.HasPrefix(a.text, "-") {
			return doubtf("%s is used in a way that is not proved", program)
		}
	}
	return nil
}

// changeFolder follows a cd. The folder it may lead to is added to those that the
// parts after it are judged in: whether it succeeds is not known.
func (j *judgement) changeFolder(args []word) error {
	if len(args) == 2 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) != 1 || !args[0].known || args[0].glob || args[0].text == "" || args[0].text[0] == '-' {
		return doubtf("cd leads to a folder that is not known")
	}
	for _, folder := range j.folders {
		to := absolute(folder, args[0].text)
		if err := j.enterable(to); err != nil {
			return err
		}
	}
	known := map[string]bool{}
	for _, folder := range j.folders {
		known[folder] = true
	}
	for _, folder := range j.folders {
		if to := absolute(folder, args[0].text); !known[to] {
			known[to] = true
			j.folders = append(j.folders, to)
		}
	}
	if len(j.folders) > 64 {
		return doubtf("it changes folders too often")
	}
	j.moved = true
	return nil
}

func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}
