package toolbox

import (
	"strings"
	"unicode/utf8"
)

// matchPath matches a whole path against a pattern of gitignore: * and ? and [ ]
// stay within a component, ** as a whole component spans any number of them; at
// the end it needs one.
func matchPath(pattern, path string) bool {
	// Where a ** was passed, going back to the last one is enough.
	backPattern, backPath := "", ""
	back := false
	for {
		part, rest, more := strings.Cut(pattern, "/")
		if part == "**" {
			if !more {
				return path != ""
			}
			pattern, backPattern, backPath, back = rest, rest, path, true
			continue
		}
		name, below, deeper := strings.Cut(path, "/")
		if path != "" && matchName(part, name) {
			if !more && !deeper {
				return true
			}
			if more && deeper {
				pattern, path = rest, below
				continue
			}
		}
		if !back {
			return false
		}
		_, after, ok := strings.Cut(backPath, "/")
		if !ok {
			return false
		}
		pattern, path, backPath = backPattern, after, after
	}
}

// matchName matches one component.
func matchName(pattern, name string) bool {
	star, at := "", ""
	starred := false
	for {
		if pattern != "" && pattern[0] == '*' {
			pattern = strings.TrimLeft(pattern, "*")
			star, at, starred = pattern, name, true
			continue
		}
		if pattern == "" && name == "" {
			return true
		}
		if n, m, ok := matchOne(pattern, name); ok {
			pattern, name = pattern[n:], name[m:]
			continue
		}
		if !starred || at == "" {
			return false
		}
		at = at[runeLength(at):]
		pattern, name = star, at
	}
}

// matchOne matches one character against the first element of a pattern and gives
// the lengths of both.
func matchOne(pattern, name string) (int, int, bool) {
	if pattern == "" || name == "" {
		return 0, 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, runeLength(name), true
	case '[':
		n, ok := matchClass(pattern, name)
		return n, runeLength(name), ok
	case '\\':
		if len(pattern) > 1 {
			return 2, 1, pattern[1] == name[0]
		}
	}
	return 1, 1, pattern[0] == name[0]
}

func runeLength(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// matchClass matches the first character of name against the bracket expression
// that pattern begins with, and gives the expression's length. An expression that
// is not closed matches nothing.
func matchClass(pattern, name string) (length int, ok bool) {
	r, _ := utf8.DecodeRuneInString(name)
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	matched := false
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0, false
		}
		if pattern[i] == ']' && !first {
			break
		}
		if strings.HasPrefix(pattern[i:], "[:") {
			if end := strings.Index(pattern[i:], ":]"); end > 0 {
				matched = matched || inNamedClass(pattern[i+2:i+end], r)
				i += end + 2
				continue
			}
		}
		low, n := classRune(pattern[i:])
		i += n
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high, n = classRune(pattern[i+1:])
			i += 1 + n
		}
		matched = matched || low <= r && r <= high
	}
	return i + 1, matched != negated
}

// classRune reads one character of a bracket expression, escaped or not.
func classRune(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		r, n := utf8.DecodeRuneInString(s[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(s)
}

func inNamedClass(name string, r rune) bool {
	lower, upper, digit := r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return r == ' ' || r >= '\t' && r <= '\r'
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return r > ' ' && r < 0x7f && !lower && !upper && !digit
	case "xdigit":
		return digit || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
	}
	return false
}
