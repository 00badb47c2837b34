package file

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Difference is a unified diff of two texts of one file, with three lines around
// each change, and the lines it adds and removes. A nil text is no file.
func Difference(name string, before, after *string) (unified string, added, removed int) {
	from, old := side(name, before)
	to, replacement := side(name, after)
	unified = udiff.Unified(from, to, old, replacement)
	row := 0
	for line := range strings.Lines(unified) {
		row++
		switch {
		case row <= 2: // the names
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return unified, added, removed
}

func side(name string, text *string) (shown, body string) {
	if text == nil {
		return "/dev/null", ""
	}
	return name, *text
}
