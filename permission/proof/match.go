package proof

import (
	"slices"
	"strings"
)

// judge matches arguments against the table: every option exactly, every value by
// its kind, every operand in its place. What the table does not name asks.
func (p *program) judge(j *judgement, args []word) error {
	if p.git {
		if err := j.discovers(); err != nil {
			return err
		}
	}
	if p.anything {
		return nil
	}
	for _, alternative := range p.only {
		if equal(args, alternative) {
			return nil
		}
	}
	if !p.hasOperands && p.subs == nil {
		return doubtf("%s is proved only where it says its version", p.name)
	}
	m := matcher{program: p, j: j, judge: j.kind, operands: p.operands}
	for m.args = args; len(m.args) > 0; {
		w := m.args[0]
		m.args = m.args[1:]
		if err := m.argument(w); err != nil {
			return err
		}
		if m.done {
			return nil
		}
	}
	return m.end()
}

func equal(args []word, want []string) bool {
	if len(args) != len(want) {
		return false
	}
	for i, w := range args {
		if !w.known || w.glob || w.text != want[i] {
			return false
		}
	}
	return true
}

// matcher walks the arguments of one command.
type matcher struct {
	program  *program
	j        *judgement
	judge    func(kind string, w word) error // how a value of a kind is judged
	args     []word
	operands []operand
	found    []word
	ended    bool // after --
	done     bool // a subcommand took the rest
	given    []string
}

func (m *matcher) argument(w word) error {
	p := m.program
	if p.noAt && (!w.known || strings.HasPrefix(w.text, "@") || w.lead) {
		return doubtf("%s would read more arguments from a file", p.name)
	}
	optionLike := !m.ended && (!w.known || w.lead || strings.HasPrefix(w.text, "-") && w.text != "-")
	switch {
	case !optionLike:
	case !w.known && !(p.posix && len(m.found) > 0):
		if strings.HasPrefix(w.text, "-") || len(p.options) > 0 {
			return doubtf("a word that is not known before it runs could be an option of %s", p.name)
		}
	case w.known && w.lead:
		if !p.leadingGlob {
			return doubtf("a file's name could become an option of %s", p.name)
		}
	case p.posix && len(m.found) > 0:
	case w.glob:
		return doubtf("a file's name could become an option of %s", p.name)
	case p.first && len(m.found) == 0 && len(p.operands) > 0:
		return doubtf("%s is proved only with its verb first", p.name)
	case w.known && w.text == "--":
		if p.noEnd {
			return m.unlisted(w.text)
		}
		m.ended = true
		return nil
	case w.known && strings.HasPrefix(w.text, "--"):
		return m.long(w)
	case w.known:
		return m.short(w)
	}
	if p.subs != nil && len(m.found) == 0 {
		sub, ok := p.subs[w.text]
		if !ok || !w.known || w.glob {
			return doubtf("%s %s is not on the list", p.name, w.text)
		}
		m.done = true
		return sub.judge(m.j, m.args)
	}
	m.found = append(m.found, w)
	return nil
}

func (m *matcher) long(w word) error {
	name, value, attached := strings.Cut(w.text, "=")
	o, ok := m.program.options[name]
	if !ok {
		return m.unlisted(name)
	}
	switch {
	case o.kind == "" && attached:
		return doubtf("%s of %s takes no value", name, m.program.name)
	case o.kind == "" || o.optional && !attached:
	case attached:
		if err := m.judge(o.kind, word{text: value, known: true, glob: w.glob}); err != nil {
			return err
		}
	default:
		if err := m.value(name, o); err != nil {
			return err
		}
	}
	m.take(name, o)
	return nil
}

// short reads -x, a cluster -xyz, a value -n5, or a whole-word option -name.
func (m *matcher) short(w word) error {
	p := m.program
	if o, ok := p.options[w.text]; ok {
		if o.kind != "" && !o.optional {
			if err := m.value(w.text, o); err != nil {
				return err
			}
		}
		m.take(w.text, o)
		return nil
	}
	if p.digits && strings.Trim(w.text[1:], "0123456789") == "" {
		return nil
	}
	letters := w.text[1:]
	if p.whole && len(letters) > 1 && p.options[w.text[:2]].kind == "" {
		return m.unlisted(w.text)
	}
	for i := range len(letters) {
		name := "-" + letters[i:i+1]
		o, ok := p.options[name]
		if !ok {
			return m.unlisted(name)
		}
		m.take(name, o)
		rest := letters[i+1:]
		switch {
		case o.kind == "":
			continue
		case rest != "":
			return m.judge(o.kind, word{text: rest, known: true, glob: w.glob})
		case o.optional:
			return nil
		default:
			return m.value(name, o)
		}
	}
	return nil
}

func (m *matcher) value(name string, o option) error {
	for kind := range strings.SplitSeq(o.kind, "+") {
		if len(m.args) == 0 {
			return doubtf("%s of %s lacks its value", name, m.program.name)
		}
		w := m.args[0]
		m.args = m.args[1:]
		if m.program.noAt && strings.HasPrefix(w.text, "@") {
			return doubtf("%s would read more arguments from a file", m.program.name)
		}
		if w.glob && kind != "any" {
			return doubtf("the value of %s depends on which files there are", name)
		}
		if err := m.judge(kind, w); err != nil {
			return err
		}
	}
	return nil
}

func (m *matcher) take(name string, o option) {
	m.given = append(m.given, name)
	if o.takesFirst && len(m.operands) > 0 {
		m.operands = m.operands[1:]
		if n := len(m.program.operands); n > 0 {
			m.operands = m.program.operands[1:]
		}
	}
	if o.opens != nil {
		m.operands = o.opens
	}
}

func (m *matcher) unlisted(name string) error {
	return doubtf("%s %s is not on the list", m.program.name, name)
}

// end judges the operands, now that the options said which there are.
func (m *matcher) end() error {
	if needs := m.program.needs; len(needs) > 0 && !slices.ContainsFunc(needs, func(o string) bool { return slices.Contains(m.given, o) }) {
		return doubtf("%s without %s does more than look", m.program.name, needs[0])
	}
	if m.program.subs != nil && !m.program.hasOperands {
		return nil // no verb: it prints its usage or version and ends
	}
	found := m.found
	if n := len(m.operands); n > 0 && m.operands[n-1].kind == "sweep" && len(found) < n && m.sweeps() {
		found = append(slices.Clone(found), word{text: ".", known: true})
	}
	for _, o := range m.operands {
		least, most := 1, 1
		switch o.times {
		case '?':
			least = 0
		case '*':
			least, most = 0, len(found)
		case '+':
			most = len(found)
		}
		n := min(most, len(found))
		for _, w := range found[:n] {
			if w.glob && o.kind != "path" && o.kind != "unsigned" && o.kind != "part" && o.kind != "list" && o.kind != "sweep" && o.kind != "any" && o.kind != "git" {
				return doubtf("an operand of %s depends on which files there are", m.program.name)
			}
			if err := m.judge(o.kind, w); err != nil {
				return err
			}
		}
		if n < least {
			return doubtf("%s lacks an operand", m.program.name)
		}
		found = found[n:]
	}
	if len(found) > 0 {
		return doubtf("%s takes no %q", m.program.name, found[0].text)
	}
	return nil
}

// sweeps reports whether a search without a path goes through the working folder.
func (m *matcher) sweeps() bool {
	return m.program.name == "rg" || slices.ContainsFunc(m.given, func(o string) bool {
		return slices.Contains([]string{"-r", "-R", "--recursive", "--dereference-recursive", "-d", "--directories"}, o)
	})
}
