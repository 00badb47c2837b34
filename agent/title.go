package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fairlead/llm"
	"fairlead/session"
)

// titleRunes bounds a title made from a prompt.
const titleRunes = 60

// titleOf makes a title of a prompt at once: its first line with words in it, cut
// at a word.
func titleOf(content []llm.Part) string {
	for line := range strings.Lines(llm.Plain(content)) {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
		line = strings.TrimSpace(strings.TrimLeft(line, "#>*-`"))
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) <= titleRunes {
			return line
		}
		runes := []rune(line)[:titleRunes-1]
		if i := strings.LastIndexFunc(string(runes), unicode.IsSpace); i > titleRunes/2 {
			return string(runes)[:i] + "…"
		}
		return string(runes) + "…"
	}
	return ""
}

// title drafts the session's title where it has none yet.
func title(t *turn, p Progress, entering []session.Queued) []session.Draft {
	if p.Titled {
		return nil
	}
	for _, m := range entering {
		if m.Delivery == Inject {
			continue
		}
		if text := titleOf(m.Content); text != "" {
			return []session.Draft{session.Titled.New(t.number, 0, session.TitledData{Title: text, By: "prompt"})}
		}
	}
	return nil
}
