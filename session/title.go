package session

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleRunes bounds a title, in characters.
const titleRunes = 80

// CleanTitle makes a title of any text: its first line with words in it, without
// control, format and bidirectional characters, cut at a word. It is empty where
// there is nothing to show. Titles of people, models and other products all pass it.
func CleanTitle(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(strings.Map(shown, line)), " ")
		line = strings.TrimSpace(strings.TrimLeft(line, "#>*-`"))
		if line != "" {
			return shorten(line, titleRunes)
		}
	}
	return ""
}

// shown keeps what can be seen, turns what separates into a blank and drops what
// would only change how other characters are shown. The two joiners stay: Persian,
// Indic scripts and emoji are written with them.
func shown(r rune) rune {
	switch {
	case unicode.IsSpace(r) || unicode.Is(unicode.Zs, r):
		return ' '
	case r == '\u200c' || r == '\u200d' || unicode.IsPrint(r):
		return r
	case unicode.IsControl(r):
		return ' '
	}
	return -1
}

// shorten cuts a line to so many characters, at a blank where one is near.
func shorten(line string, most int) string {
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	runes := []rune(line)[:most-1]
	if i := strings.LastIndexFunc(string(runes), unicode.IsSpace); i > most/2 {
		return string(runes)[:i] + "…"
	}
	return string(runes) + "…"
}
