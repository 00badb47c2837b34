package toolbox

import (
	"fmt"
	"math/bits"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// explainMiss says why a text is not in a file: the usual mistakes by name, else
// the nearest place and the first difference there.
func explainMiss(text, old, replacement string) string {
	const nothing = `"old" is not in the file. Nothing was changed. `
	if bare, numbered := withoutNumbers(old); numbered && strings.Contains(text, bare) {
		return nothing + "It begins its lines with the line numbers of read; they are not part of the file. Send the text without them."
	}
	if plain := unescape(old); plain != old && strings.Contains(text, plain) {
		return nothing + `It has line breaks, tabs or quotes written as a backslash and a letter; the file has the characters themselves. Send them unescaped.`
	}
	if norm.NFC.String(old) != old || norm.NFC.String(text) != text {
		if strings.Contains(norm.NFC.String(text), norm.NFC.String(old)) {
			return nothing + "It is written with other Unicode characters for the same letters (composed or decomposed). Copy the text from a fresh read."
		}
	}
	var b strings.Builder
	b.WriteString(nothing)
	if len(replacement) >= 6 && strings.Contains(text, replacement) {
		fmt.Fprintf(&b, "\"new\" stands in line %d already: this change may have been made before. ", lineAt(text, strings.Index(text, replacement)))
	}
	lines, wanted := splitLines(text), splitLines(old)
	at, blanks, ok := nearest(lines, wanted)
	if !ok {
		b.WriteString("Nothing in the file is like it; read the file, or look for the place with grep.")
		return b.String()
	}
	if blanks {
		fmt.Fprintf(&b, "Line %d and what follows differ only in blanks. ", at+1)
	} else {
		fmt.Fprintf(&b, "The nearest place is line %d. ", at+1)
	}
	b.WriteString(firstDifference(lines, wanted, at))
	const shown = 12
	b.WriteString("\nThe file has there:")
	for i := at; i < len(lines) && i < at+min(len(wanted), shown); i++ {
		fmt.Fprintf(&b, "\n%d→%s", i+1, short(lines[i]))
	}
	return b.String()
}

// splitLines gives the lines of a text without their ends.
func splitLines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// withoutNumbers takes the line numbers off that read puts before lines.
func withoutNumbers(s string) (string, bool) {
	lines := strings.Split(s, "\n")
	numbered := regexp.MustCompile(`^\s*\d+(→|\t|: ?|\| ?)`)
	for i, line := range lines {
		if line == "" && i == len(lines)-1 {
			continue
		}
		mark := numbered.FindString(line)
		if mark == "" {
			return s, false
		}
		lines[i] = line[len(mark):]
	}
	return strings.Join(lines, "\n"), true
}

func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(s)
}

// bare takes all blanks out of a line.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// nearest finds where wanted lines stand in lines, but for blanks; else the place
// that has most of them; else the line most like the longest of them.
func nearest(lines, wanted []string) (at int, blanks, ok bool) {
	where := map[string][]int{}
	for i, line := range lines {
		key := bare(line)
		where[key] = append(where[key], i)
	}
	votes := map[int]int{}
	full := 0
	for j, line := range wanted {
		key := bare(line)
		if key == "" {
			continue
		}
		full++
		for n, i := range where[key] {
			if n == 100 {
				break // a line that is everywhere says nothing of the place
			}
			votes[i-j]++
		}
	}
	best := 0
	for start, n := range votes {
		if start >= 0 && (n > best || n == best && start < at) {
			at, best = start, n
		}
	}
	if best > 0 {
		return at, best == full && sameButBlanks(lines, wanted, at), true
	}
	return likest(lines, wanted)
}

func sameButBlanks(lines, wanted []string, at int) bool {
	for j, line := range wanted {
		if at+j >= len(lines) || bare(lines[at+j]) != bare(line) {
			return false
		}
	}
	return true
}

// likest finds the line that shares most pairs of letters with the longest wanted one.
func likest(lines, wanted []string) (at int, blanks, ok bool) {
	longest := 0
	for j, line := range wanted {
		if len(bare(line)) > len(bare(wanted[longest])) {
			longest = j
		}
	}
	pairs := letterPairs(wanted[longest])
	most := 0.5 // less than half the same is not like it
	for i, line := range lines {
		if score := pairs.likeness(letterPairs(line)); score > most && i >= longest {
			at, most, ok = i-longest, score, true
		}
	}
	return at, false, ok
}

// pairSet says which pairs of letters a line has, each as one of 256 bits: two
// pairs may share one, which is near enough to tell lines apart.
type pairSet [4]uint64

func letterPairs(s string) pairSet {
	var set pairSet
	before := rune(-1)
	for _, r := range s {
		if unicode.IsSpace(r) {
			continue
		}
		if before >= 0 {
			bit := uint32(before*31+r) * 2654435761 >> 24 // Fibonacci hashing spreads them
			set[bit/64] |= 1 << (bit % 64)
		}
		before = r
	}
	return set
}

// likeness is 1 for two lines with the same pairs, 0 for lines that share none.
func (s pairSet) likeness(t pairSet) float64 {
	shared, all := 0, 0
	for i := range s {
		shared += bits.OnesCount64(s[i] & t[i])
		all += bits.OnesCount64(s[i]) + bits.OnesCount64(t[i])
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(all)
}

// firstDifference says in which line and column wanted first differs from what
// stands at a place, and how.
func firstDifference(lines, wanted []string, at int) string {
	for j, line := range wanted {
		if at+j >= len(lines) {
			return fmt.Sprintf("The file ends after line %d; \"old\" goes on with %q.", len(lines), short(line))
		}
		there := lines[at+j]
		if there == line {
			continue
		}
		column, i := 1, 0
		if j == 0 && strings.TrimLeft(line, " \t") == line { // the text may begin inside a line
			skip := alignment(there, line)
			column += utf8.RuneCountInString(there[:skip])
			there = there[skip:]
		}
		for i < len(there) && i < len(line) {
			r, n := utf8.DecodeRuneInString(there[i:])
			s, m := utf8.DecodeRuneInString(line[i:])
			if r != s || n != m {
				break
			}
			column, i = column+1, i+n
		}
		return fmt.Sprintf("First difference in line %d, column %d: the file has %s, \"old\" has %s.", at+j+1, column, following(there[i:]), following(line[i:]))
	}
	return "The lines are the same; the difference is in the last line end."
}

// alignment finds where in a line the longest possible beginning of another stands.
func alignment(there, line string) int {
	for n := min(len(line), 200); n > 0; n-- {
		if i := strings.Index(there, line[:n]); i >= 0 && utf8.RuneStart(there[i]) {
			return i
		}
	}
	return 0
}

// following quotes what comes next, with the name of a character that is easily
// taken for another.
func following(s string) string {
	if s == "" {
		return "the end of the line"
	}
	r, _ := utf8.DecodeRuneInString(s)
	const most = 24
	cut := s
	if utf8.RuneCountInString(cut) > most {
		cut = string([]rune(cut)[:most]) + "…"
	}
	if r >= 0x80 && !unicode.IsLetter(r) {
		return fmt.Sprintf("%q (%U)", cut, r)
	}
	return fmt.Sprintf("%q", cut)
}
