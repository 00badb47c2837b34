package tool

import (
	"strings"
	"unicode/utf8"
)

// Outside cleans a text that somebody else wrote before a model or a person reads it:
// it takes out what steers a terminal or hides text, which is control characters but
// line ends and tabs, marks of direction and invisible characters. What is no UTF-8
// is replaced.
func Outside(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d': // the last two join letters
			return r
		case r < 0x20, r >= 0x7f && r < 0xa0, r == '\u00ad', r == '\u200b', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e',
			r >= '\u2060' && r <= '\u206f', r == '\ufeff', r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// OutsideLine cleans such a text to one line of at most n characters.
func OutsideLine(s string, n int) string {
	s = strings.Join(strings.Fields(Outside(s)), " ")
	if utf8.RuneCountInString(s) > n {
		s = string([]rune(s)[:n-1]) + "…"
	}
	return s
}
