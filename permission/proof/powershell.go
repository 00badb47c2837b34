package proof

import (
	"embed"
	"strings"
	"sync"
)

//go:embed powershell/*.table
var cmdletTables embed.FS

var cmdlets = sync.OnceValue(func() map[string]*program {
	all, err := readTables(cmdletTables)
	if err != nil {
		panic("proof: " + err.Error()) // the tables are part of the binary
	}
	return all
})

// powershell reads a command line by PowerShell's own rules (about_Parsing,
// about_Quoting_Rules) as far as plain pipelines of commands go. Variables,
// parentheses, script blocks, casts, splats, the backquote and the call operators
// are not read: they ask.
func (j *judgement) powershell(command string) error {
	if i := strings.IndexAny(command, "\u2013\u2014\u2015\u2018\u2019\u201a\u201b\u201c\u201d\u201e"); i >= 0 {
		return doubtf("it contains a dash or a quote that PowerShell takes for the plain one")
	}
	r := psReader{text: command}
	for {
		args, err := r.command()
		if err != nil {
			return err
		}
		if len(args) > 0 {
			if err := j.cmdlet(args); err != nil {
				return err
			}
		}
		if r.at >= len(r.text) {
			return nil
		}
	}
}

// psWord is a word of a command; bare says that no part of it was quoted.
type psWord struct {
	text string
	bare bool
}

type psReader struct {
	text string
	at   int
}

// command reads the words up to the end of a command: a pipe, a semicolon, a new
// line, && or ||.
func (r *psReader) command() ([]psWord, error) {
	var args []psWord
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == ' ' || c == '\t':
			r.at++
		case c == ';' || c == '\n' || c == '|':
			r.at++
			if c == '|' && r.at < len(r.text) && r.text[r.at] == '|' {
				r.at++
			}
			return args, nil
		case strings.HasPrefix(r.text[r.at:], "&&"):
			r.at += 2
			return args, nil
		case c == '#':
			return nil, doubtf("it has a comment")
		case r.discards():
		default:
			w, err := r.word()
			if err != nil {
				return nil, err
			}
			if w.bare && w.text == "," && len(args) > 0 {
				return nil, doubtf("it has a list that is not proved")
			}
			args = append(args, w)
		}
	}
	return args, nil
}

// discards skips a redirect that throws output away or joins the streams.
func (r *psReader) discards() bool {
	for _, form := range []string{"2>$null", "2> $null", ">$null", "> $null", "*>$null", "*> $null", "2>&1"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(r.text[r.at:]), form); ok && (rest == "" || strings.IndexByte(" \t\n;|", rest[0]) >= 0) {
			r.at += len(form)
			return true
		}
	}
	return false
}

// word reads one word: bare text and quoted pieces that touch.
func (r *psReader) word() (psWord, error) {
	var b strings.Builder
	bare := true
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case strings.IndexByte(" \t\n;|", c) >= 0 || strings.HasPrefix(r.text[r.at:], "&&"):
			return psWord{b.String(), bare}, nil
		case c == '\'' || c == '"':
			bare = false
			s, err := r.quoted(c)
			if err != nil {
				return psWord{}, err
			}
			b.WriteString(s)
		case strings.IndexByte("$`(){}@&<>%", c) >= 0 || c == '[' && b.Len() == 0 || c == '=':
			return psWord{}, doubtf("it uses PowerShell syntax that is not proved (%c)", c)
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	return psWord{b.String(), bare}, nil
}

func (r *psReader) quoted(end byte) (string, error) {
	var b strings.Builder
	for r.at++; r.at < len(r.text); r.at++ {
		c := r.text[r.at]
		switch {
		case c == end && r.at+1 < len(r.text) && r.text[r.at+1] == end:
			b.WriteByte(c)
			r.at++
		case c == end:
			r.at++
			return b.String(), nil
		case end == '"' && (c == '$' || c == '`'):
			return "", doubtf("it expands text inside quotes")
		default:
			b.WriteByte(c)
		}
	}
	return "", doubtf("it does not parse as PowerShell")
}

// cmdlet judges one command by its table.
func (j *judgement) cmdlet(args []psWord) error {
	if !args[0].bare || !plain(args[0].text) {
		return doubtf("its program is not known")
	}
	p, ok := cmdlets()[strings.ToLower(args[0].text)]
	if !ok {
		return doubtf("%s is not on the list of commands that only look", args[0].text)
	}
	m := matcher{program: p, j: j, judge: j.psKind, operands: p.operands}
	for i := 1; i < len(args); i++ {
		w := args[i]
		if !w.bare || !strings.HasPrefix(w.text, "-") || len(w.text) < 2 {
			m.found = append(m.found, psList(w)...)
			continue
		}
		name := strings.ToLower(w.text)
		o, ok := p.options[name]
		if !ok {
			return m.unlisted(w.text)
		}
		m.take(name, o)
		if o.kind == "" {
			continue
		}
		if i++; i >= len(args) {
			return doubtf("%s lacks its value", w.text)
		}
		for _, item := range psList(args[i]) {
			if err := j.psKind(o.kind, item); err != nil {
				return err
			}
		}
		m.operands = optionalOperands(m.operands)
	}
	if len(m.found) == 0 {
		m.operands = optionalOperands(m.operands) // the pipeline may bring them
	}
	return m.end()
}

// optionalOperands makes every operand optional: a named option may have given it.
func optionalOperands(list []operand) []operand {
	out := make([]operand, len(list))
	for i, o := range list {
		if o.times == 0 {
			o.times = '?'
		} else if o.times == '+' {
			o.times = '*'
		}
		out[i] = o
	}
	return out
}

// psList splits a bare word at its commas: a, b is two words, 'a,b' is one.
func psList(w psWord) []word {
	if !w.bare {
		return []word{{text: w.text, known: true}}
	}
	var out []word
	for item := range strings.SplitSeq(w.text, ",") {
		if item != "" {
			out = append(out, word{text: item, known: true})
		}
	}
	return out
}

// psKind judges a value; a path is judged with the separators and drives of
// Windows.
func (j *judgement) psKind(kind string, w word) error {
	if kind == "path" || kind == "list" || kind == "sweep" {
		path := strings.ReplaceAll(w.text, `\`, "/")
		switch {
		case strings.HasPrefix(path, "//"):
			return doubtf("%s is on another machine", w.text)
		case strings.Contains(path, "::"):
			return doubtf("%s names a provider", w.text)
		case strings.HasPrefix(path, "~"):
			path = j.at.Home + path[1:]
		}
		if drive, rest, ok := strings.Cut(path, ":"); ok {
			if len(drive) != 1 {
				return doubtf("%s is no folder", w.text)
			}
			path = "/" + drive + "/" + rest
		}
		w.text = path
	}
	return j.kind(kind, w)
}
