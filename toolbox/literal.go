package toolbox

import (
	"regexp/syntax"
	"strings"
)

// literal is a text that a match must hold. With fold it is in lower case and may
// stand in any case.
type literal struct {
	text string
	fold bool
}

// mostLiterals is how many literals are looked for at once.
const mostLiterals = 16

// required gives literals of which every match of an expression holds at least
// one; nil where nothing is known. Looking for them first is many times faster than
// matching everywhere.
func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		return []literal{literalOf(re)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if l := required(sub); better(l, best) {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			l := required(sub)
			if l == nil || len(all)+len(l) > mostLiterals {
				return nil
			}
			all = append(all, l...)
		}
		return all
	case syntax.OpCharClass:
		return classLiterals(re.Rune)
	}
	return nil
}

// classLiterals takes a class of a few characters apart, as the parser makes one of
// a|b.
func classLiterals(ranges []rune) []literal {
	var all []literal
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(all) == 4 || r >= 0x80 {
				return nil
			}
			all = append(all, literal{text: string(r)})
		}
	}
	return all
}

func literalOf(re *syntax.Regexp) literal {
	text := string(re.Rune)
	if re.Flags&syntax.FoldCase == 0 {
		return literal{text: text}
	}
	return literal{text: strings.ToLower(text), fold: true}
}

// better compares by the shortest literal, then by how few there are.
func better(a, b []literal) bool {
	if len(a) == 0 {
		return false
	}
	if len(b) == 0 {
		return true
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortest(list []literal) int {
	n := len(list[0].text)
	for _, l := range list[1:] {
		n = min(n, len(l.text))
	}
	return n
}

// foldable reports whether a literal may be looked for in a lower-cased copy of a
// text's ASCII letters: k and s also stand for characters outside ASCII.
func foldable(list []literal) (fold, ok bool) {
	for _, l := range list {
		if !l.fold {
			continue
		}
		fold = true
		for i := range len(l.text) {
			if c := l.text[i]; c >= 0x80 {
				return true, false
			}
		}
	}
	return fold, true
}
