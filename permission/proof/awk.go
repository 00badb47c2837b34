package proof

import (
	"strings"
	"sync"
)

// awkLooks reads an awk program (POSIX awk, GNU additions) as tokens and passes it
// where it can neither write, run, read the environment nor loop without end.
func awkLooks(_ *judgement, source string) error {
	a := awkReader{text: source}
	for {
		token, err := a.next()
		if err != nil {
			return err
		}
		if token == "" {
			return nil
		}
		if err := a.judge(token); err != nil {
			return err
		}
	}
}

// awkCalls are the built-in functions that compute.
var awkCalls = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"length": true, "substr": true, "index": true, "split": true, "sub": true, "gsub": true, "match": true, "sprintf": true, "tolower": true, "toupper": true,
		"int": true, "sqrt": true, "exp": true, "log": true, "sin": true, "cos": true, "atan2": true, "rand": true, "srand": true, "gensub": true, "strftime": true,
		"systime": true, "mktime": true, "asort": true, "asorti": true, "and": true, "or": true, "xor": true, "lshift": true, "rshift": true, "compl": true, "strtonum": true, "patsplit": true, "isarray": true, "typeof": true,
	}
})

// awkForbidden are the words that do more, with what they do.
var awkForbidden = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"system": "runs a command", "getline": "reads another file or command", "ENVIRON": "reads the environment", "PROCINFO": "reads the process",
		"ARGV": "changes which files are read", "ARGC": "changes which files are read", "SYMTAB": "reaches every variable", "FUNCTAB": "reaches every function",
		"while": "may never end", "do": "may never end", "function": "may call itself without end", "func": "may call itself without end",
		"close": "belongs to files and commands", "fflush": "belongs to files and commands", "BEGINFILE": "may read other files", "ENDFILE": "may read other files",
	}
})

type awkReader struct {
	text     string
	at       int
	last     string // the token before
	printing bool   // inside a print or printf statement
	loop     int    // parentheses of a for clause still open
	inLoop   bool
}

func (a *awkReader) judge(token string) error {
	defer func() { a.last = token }()
	if what, ok := awkForbidden()[token]; ok {
		return doubtf("the awk word %s %s", token, what)
	}
	switch token {
	case "print", "printf":
		a.printing = true
	case "\n":
		switch a.last {
		case ",", "&&", "||", "?", ":", "{", "else", "do":
			return nil // the statement goes on
		}
		a.printing = false
	case ";", "}", "{":
		if a.inLoop && token == ";" {
			return doubtf("the awk loop may never end")
		}
		a.printing = false
	case ">", ">>":
		if a.printing || token == ">>" {
			return doubtf("the awk program may write a file")
		}
	case "|", "|&":
		return doubtf("the awk program runs a command")
	case "@":
		return doubtf("the awk program uses @, which loads or calls by name")
	case "for":
		a.inLoop, a.loop = true, 0
	case "(":
		if a.inLoop {
			a.loop++
		}
		if isName(a.last) && !awkCalls()[a.last] && !awkKeyword()[a.last] {
			return doubtf("the awk function %s is not proved", a.last)
		}
	case ")":
		if a.inLoop {
			if a.loop--; a.loop == 0 {
				a.inLoop = false
			}
		}
	}
	return nil
}

var awkKeyword = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"if": true, "for": true, "in": true, "print": true, "printf": true, "delete": true, "return": true, "exit": true, "next": true, "nextfile": true, "else": true, "BEGIN": true, "END": true, "case": true, "switch": true, "default": true, "getline": true}
})

func isName(s string) bool {
	return s != "" && (s[0] == '_' || 'a' <= s[0] && s[0] <= 'z' || 'A' <= s[0] && s[0] <= 'Z')
}

// next gives the next token: a name, a number as "0", a string as `""`, a regular
// expression as "//", or an operator.
func (a *awkReader) next() (string, error) {
	for a.at < len(a.text) && strings.IndexByte(" \t", a.text[a.at]) >= 0 || strings.HasPrefix(a.text[min(a.at, len(a.text)):], "\\\n") {
		a.at++
	}
	if a.at >= len(a.text) {
		return "", nil
	}
	start, c := a.at, a.text[a.at]
	switch {
	case c == '#':
		for a.at < len(a.text) && a.text[a.at] != '\n' {
			a.at++
		}
		return a.next()
	case isName(a.text[a.at : a.at+1]):
		for a.at < len(a.text) && (isName(a.text[a.at:a.at+1]) || a.text[a.at] >= '0' && a.text[a.at] <= '9') {
			a.at++
		}
		return a.text[start:a.at], nil
	case c >= '0' && c <= '9':
		for a.at < len(a.text) && (a.text[a.at] >= '0' && a.text[a.at] <= '9' || a.text[a.at] == '.') {
			a.at++
		}
		return "0", nil
	case c == '"':
		return `""`, a.quoted('"')
	case c == '/':
		regex, err := a.slash()
		if err != nil {
			return "", err
		}
		if regex {
			return "//", a.quoted('/')
		}
	}
	for _, op := range []string{"|&", ">>", "||", "&&", ">=", "<=", "==", "!=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^="} {
		if strings.HasPrefix(a.text[a.at:], op) {
			a.at += 2
			return op, nil
		}
	}
	a.at++
	return a.text[start:a.at], nil
}

// slash tells a regular expression from a division by the token before: after a
// value it divides, after an operator or a keyword it matches. Where both may be
// (after a closing parenthesis, say) it must be a division because no second slash
// follows on its line; otherwise awks could read the text between as either.
func (a *awkReader) slash() (regex bool, err error) {
	switch {
	case a.last == "0" || a.last == `""` || a.last == "]" || isName(a.last) && !awkKeyword()[a.last] && !awkCalls()[a.last]:
		return false, nil
	case a.last == ")" || a.last == "++" || a.last == "--" || a.last == "//" || a.last == "$" || awkCalls()[a.last]:
		line, _, _ := strings.Cut(a.text[a.at+1:], "\n")
		if strings.Contains(line, "/") {
			return false, doubtf("the awk program has a slash that may divide or match")
		}
		return false, nil
	}
	return true, nil
}

func (a *awkReader) quoted(end byte) error {
	class := false
	for a.at++; a.at < len(a.text); a.at++ {
		switch c := a.text[a.at]; {
		case c == '\\':
			a.at++
		case c == '\n':
			return doubtf("the awk program does not parse")
		case end == '/' && c == '[' && class:
			if _, after, ok := strings.Cut(a.text[a.at:], ":]"); ok && strings.HasPrefix(a.text[a.at:], "[:") {
				a.at = len(a.text) - len(after) - 1 // [:alpha:]
			}
		case end == '/' && c == '[':
			class = true
			if strings.HasPrefix(strings.TrimPrefix(a.text[a.at+1:], "^"), "]") {
				return doubtf("the awk program is not proved") // awks differ on a bracket that comes first
			}
		case end == '/' && c == ']':
			class = false
		case c == end:
			if class {
				return doubtf("the awk program is not proved") // awks differ on a slash in brackets
			}
			a.at++
			return nil
		}
	}
	return doubtf("the awk program does not parse")
}
