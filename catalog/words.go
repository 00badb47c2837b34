package catalog

import (
	"strings"
	"unicode"
)

// segment prepares text for the index. Words of scripts that are written without
// blanks become one word a character, so that any part of them is found as a phrase;
// everything else is left to the tokenizer.
func segment(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	apart := false
	for _, r := range text {
		if !together(r) {
			b.WriteRune(r)
			apart = false
			continue
		}
		if !apart {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		b.WriteByte(' ')
		apart = true
	}
	return b.String()
}

// together reports whether words of r's script run into each other.
func together(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Bopomofo)
}

// expression turns what a person typed into a query of FTS5: all words, in any
// order, the last one as a beginning; "quoted words" stand together. It is empty
// where there is nothing to look for.
func expression(typed string) string {
	var terms []string
	for i, piece := range strings.Split(typed, `"`) {
		if i%2 == 1 {
			if t := phrase(piece); t != "" {
				terms = append(terms, t)
			}
			continue
		}
		for word := range strings.FieldsSeq(piece) {
			if t := phrase(word); t != "" {
				terms = append(terms, t)
			}
		}
	}
	if len(terms) == 0 {
		return ""
	}
	last := terms[len(terms)-1]
	if !strings.HasSuffix(typed, `"`) && endsInLetter(last) {
		terms[len(terms)-1] = last + " *"
	}
	return strings.Join(terms, " AND ")
}

// phrase quotes words that stand together; "" where there is no word in it.
func phrase(text string) string {
	var words []string
	for word := range strings.FieldsFuncSeq(segment(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
		words = append(words, word)
	}
	if len(words) == 0 {
		return ""
	}
	return `"` + strings.Join(words, " ") + `"`
}

// endsInLetter reports whether a phrase ends in a word that may go on: a character
// that stands for itself does not.
func endsInLetter(phrase string) bool {
	runes := []rune(strings.TrimSuffix(phrase, `"`))
	return len(runes) > 0 && !together(runes[len(runes)-1])
}
