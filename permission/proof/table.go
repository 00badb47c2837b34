package proof

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
)

//go:embed programs/*.table
var tables embed.FS

// programs reads the tables on first use: a start that judges nothing pays nothing.
var programs = sync.OnceValue(func() map[string]*program {
	all, err := readTables(tables)
	if err != nil {
		panic("proof: " + err.Error()) // the tables are part of the binary
	}
	return all
})

// program is one table: what a program may be given so that it only looks. A
// table's lines are
//
//	program NAME… :: why it only looks
//	like NAME                 options and operands of another program's table
//	anything                  no word at all can do harm
//	only WORD… | WORD…        the arguments must be exactly one of these
//	leading-glob              a file name that looks like an option does no harm
//	needs OPTION…             one of these must be given
//	posix                     options end at the first operand
//	whole                     one-letter options do not cluster
//	no-end                    -- is no end of options
//	no-at                     @FILE, as any word, would be read for more arguments
//	first                     the first operand comes before any option
//	digits                    -20 is a number
//	operands KIND KIND* …     * any number, ? at most one, + one or more
//	OPTION… :: why            -x --long -x:KIND -x?:KIND --long:KIND --long?:KIND
//	sub NAME… :: why          a table of its own follows, up to the next sub
//
// An option with a kind takes a value, the next word if need be; with ?: the value
// is attached or absent; kinds joined by + take as many values. A kind is a word of
// [kinds] or [scripts], or alternatives (always|never).
// After an option, ! takes the first operand away (grep -e), and >KIND* opens the
// operands (git branch --list).
type program struct {
	name        string
	anything    bool
	leadingGlob bool
	posix       bool
	whole       bool
	noEnd       bool
	noAt        bool
	first       bool
	digits      bool
	git         bool
	only        [][]string
	needs       []string
	options     map[string]option
	operands    []operand
	hasOperands bool
	subs        map[string]*program
}

type option struct {
	kind       string // "" takes no value
	optional   bool   // the value is attached or absent
	takesFirst bool
	opens      []operand
}

type operand struct {
	kind  string
	times byte // 0 once, or one of ? * +
}

func readTables(files fs.FS) (map[string]*program, error) {
	names, err := fs.Glob(files, "*/*.table")
	if err != nil {
		return nil, err
	}
	all := map[string]*program{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var top, now []*program
		for n, line := range strings.Split(string(text), "\n") {
			line, _, _ = strings.Cut(line, "::")
			words := strings.Fields(line)
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			switch words[0] {
			case "program":
				top = nil
				for _, w := range words[1:] {
					if all[w] != nil {
						return nil, fmt.Errorf("%s:%d: program %s has two tables", name, n+1, w)
					}
					all[w] = newProgram(w)
					top = append(top, all[w])
				}
				now = top
			case "sub":
				now = nil
				for _, p := range top {
					if p.subs == nil {
						p.subs = map[string]*program{}
					}
					for _, w := range words[1:] {
						p.subs[w] = newProgram(p.name + " " + w)
						now = append(now, p.subs[w])
					}
				}
			default:
				for _, p := range now {
					if err := p.line(words, all); err != nil {
						return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
					}
				}
			}
		}
	}
	return all, nil
}

func newProgram(name string) *program { return &program{name: name, options: map[string]option{}} }

// line reads one line of a table.
func (p *program) line(words []string, all map[string]*program) error {
	switch words[0] {
	case "like":
		from, ok := all[words[1]]
		if !ok {
			return fmt.Errorf("like %s: no such table above", words[1])
		}
		name := p.name
		*p = *from
		p.name, p.options = name, map[string]option{}
		for k, o := range from.options {
			p.options[k] = o
		}
	case "anything":
		p.anything = true
	case "leading-glob":
		p.leadingGlob = true
	case "needs":
		p.needs = words[1:]
	case "posix":
		p.posix = true
	case "whole":
		p.whole = true
	case "no-end":
		p.noEnd = true
	case "no-at":
		p.noAt = true
	case "first":
		p.first = true
	case "digits":
		p.digits = true
	case "git":
		p.git = true
	case "only":
		for alternative := range strings.SplitSeq(strings.Join(words[1:], " "), " | ") {
			p.only = append(p.only, strings.Fields(alternative))
		}
	case "operands":
		list, err := readOperands(words[1:])
		if err != nil {
			return err
		}
		p.operands, p.hasOperands = list, true
	default:
		for _, w := range words {
			if err := p.addOption(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *program) addOption(w string) error {
	if w[0] != '-' {
		return fmt.Errorf("%q is neither an option nor a word of the table language", w)
	}
	var o option
	w, opens, ok := strings.Cut(w, ">")
	if ok {
		list, err := readOperands([]string{opens})
		if err != nil {
			return err
		}
		o.opens = list
	}
	w, o.takesFirst = strings.CutSuffix(w, "!")
	name, kind, hasKind := strings.Cut(w, ":")
	if hasKind {
		o.kind = kind
		for k := range strings.SplitSeq(kind, "+") {
			if !knownKind(k) {
				return fmt.Errorf("%s: no kind %q", w, k)
			}
		}
	}
	name, o.optional = strings.CutSuffix(name, "?")
	p.options[name] = o
	return nil
}

func readOperands(words []string) ([]operand, error) {
	var list []operand
	for _, w := range words {
		o := operand{kind: w}
		if last := w[len(w)-1]; strings.IndexByte("?*+", last) >= 0 {
			o = operand{w[:len(w)-1], last}
		}
		if !knownKind(o.kind) {
			return nil, fmt.Errorf("no kind %q", o.kind)
		}
		list = append(list, o)
	}
	return list, nil
}

// kinds judge the values of options and operands.
var kinds = sync.OnceValue(func() map[string]func(*judgement, word) error {
	return map[string]func(*judgement, word) error{
		"any":  func(*judgement, word) error { return nil },
		"text": func(_ *judgement, w word) error { return known(w) },
		"num":  matches(`^[+-]?[0-9]+([.][0-9]+)?[a-zA-Z%]*$`, "a number"),
		"nums": matches(`^[0-9a-zA-Z,.:+-]+$`, "a list of numbers"),
		"name": matches(`^[A-Za-z0-9_@.][A-Za-z0-9_@.+:,/=%-]*$`, "a plain name"),
		"path": func(j *judgement, w word) error { return onPath(w, j.readable) },
		// A file whose name is no old option such as +5f of tail.
		"unsigned": func(j *judgement, w word) error {
			if strings.HasPrefix(w.text, "+") {
				return doubtf("%q may be an option of an old form", w.text)
			}
			return onPath(w, j.readable)
		},
		"list":  func(j *judgement, w word) error { return onPath(w, j.listable) },
		"sweep": func(j *judgement, w word) error { return onPath(w, j.sweepable) },
		"part": func(j *judgement, w word) error { // what diff may walk through, links included
			if err := onPath(w, j.sweepable); err != nil {
				return err
			}
			return onPath(w, j.readable)
		},
		"pid":   matches(`^[0-9,]+$`, "a process number"),
		"small": matches(`^[+-]?[0-9]{1,7}([.][0-9]{1,2})?$`, "a small number"),
		"size":  matches(`^[0-9]{1,6}[bkKmM]?$`, "a size of at most some megabytes"),
		"column": func(j *judgement, w word) error { // a property, or a file where the alias is another program
			if err := matches(`^[A-Za-z0-9_.,:=%+-]*$`, "a plain code")(j, w); err != nil {
				return err
			}
			return onPath(w, j.readable)
		},
		"code": matches(`^[A-Za-z0-9_.,:=%+-]*$`, "a plain code"),
		// BSD-style letters of ps without e, which shows the environment of processes.
		"psletters": matches(`^[auxfjlsvwTrhmLSXZ]+$`, "a set of ps letters that shows no environment"),
	}
})

func matches(pattern, what string) func(*judgement, word) error {
	re := regexp.MustCompile(pattern)
	return func(_ *judgement, w word) error {
		if !w.known || w.glob || !re.MatchString(w.text) {
			return doubtf("%q is not %s", w.text, what)
		}
		return nil
	}
}

func known(w word) error {
	if !w.known {
		return doubtf("one of its words is not known before it runs")
	}
	return nil
}

func onPath(w word, judge func(string) error) error {
	if err := known(w); err != nil {
		return err
	}
	return judge(w.text)
}

func knownKind(kind string) bool {
	return strings.Contains(kind, "|") || kinds()[kind] != nil || scripts()[kind] != nil
}

func (j *judgement) kind(kind string, w word) error {
	if f := kinds()[kind]; f != nil {
		return f(j, w)
	}
	if err := known(w); err != nil {
		return err
	}
	if f := scripts()[kind]; f != nil {
		return f(j, w.text)
	}
	for choice := range strings.SplitSeq(kind, "|") {
		if w.text == choice {
			return nil
		}
	}
	return doubtf("%q is not one of %s", w.text, strings.ReplaceAll(kind, "|", ", "))
}

// scripts are the readers of small languages.
var scripts = sync.OnceValue(func() map[string]func(*judgement, string) error {
	return map[string]func(*judgement, string) error{
		"find": findOperand, "sed": sedLooks, "awk": awkLooks, "jq": jqLooks, "git": gitArgument, "gitname": gitConfigName, "plusformat": plusFormat, "pscolumns": psColumns, "awkfile": awkFile,
		"gitline": gitLines, "gitformat": gitFormat, "archive": archive, "printf": printfFormat,
	}
})

// archive passes a local file; tar takes HOST:FILE for one on another machine.
func archive(j *judgement, text string) error {
	if strings.Contains(text, ":") {
		return doubtf("%q names another machine", text)
	}
	return j.readable(text)
}

// printfFormat passes a format without %n, which sets the variable that a word
// names: PATH, for one.
func printfFormat(_ *judgement, text string) error {
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "%")
		if !ok {
			return nil
		}
		if strings.HasPrefix(after, "%") {
			rest = after[1:]
			continue
		}
		after = strings.TrimLeft(after, "-+ #0'123456789.*hlLjzt")
		if after == "" || after[0] == 'n' || after[0] == '\\' {
			return doubtf("the format %q may set a variable", text)
		}
		rest = after[1:]
	}
}

// plusFormat passes date's +FORMAT; any other operand sets the clock.
func plusFormat(_ *judgement, text string) error {
	if strings.HasPrefix(text, "+") {
		return nil
	}
	return doubtf("%q would set the clock", text)
}

// findOperand passes find's grouping words; anything else is a starting point.
func findOperand(j *judgement, text string) error {
	switch text {
	case "(", ")", "!", ",":
		return nil
	}
	return j.readable(text)
}

// awkFile passes a file to read, or an assignment between files.
func awkFile(j *judgement, text string) error {
	if name, value, ok := strings.Cut(text, "="); ok && !strings.Contains(name, "/") {
		if err := j.readable(text); err != nil {
			return err
		}
		return j.readable(value)
	}
	return j.readable(text)
}

// psColumns passes columns of ps but those that show the environment.
func psColumns(_ *judgement, text string) error {
	if strings.Contains(text, "env") {
		return doubtf("the column %s shows the environment", text)
	}
	return nil
}
