package toolbox

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"fairlead/fault"
)

// filePatch is what a patch says of one file.
type filePatch struct {
	path   string
	moveTo string // "" where it stays
	create bool
	remove bool
	hunks  []hunk // of a new file one, whose new lines are all of it
}

// hunk is one place to change: old lines and what comes instead.
type hunk struct {
	anchors  []string // lines that stand somewhere before
	line     int      // of the first old line as the patch says, 0 where it says none
	old, put []string
	atEnd    bool // the old lines are the last of the file
	// What is said of the end of the file's last line: "\ No newline at end of file".
	oldOpen, newOpen bool
}

// badPatch makes the error of a patch that cannot be read.
func badPatch(line int, format string, args ...any) error {
	return fault.New(fault.Invalid, "toolbox.patch", "The patch cannot be read at its line %d: %s. Nothing was changed.", line, fmt.Sprintf(format, args...)).WithCode("INVALID_PATCH")
}

// parsePatch reads a patch in either form: between "*** Begin Patch" and "*** End
// Patch", or a unified diff.
func parsePatch(text string) ([]filePatch, error) {
	p := &patchReader{lines: splitLines(strings.ReplaceAll(text, "\r\n", "\n"))}
	var err error
	if p.find(beginPatch) {
		err = p.marked()
	} else {
		err = p.unified()
	}
	if err != nil {
		return nil, err
	}
	if len(p.files) == 0 {
		return nil, badPatch(1, "it names no file; begin with %q or with the --- and +++ lines of a unified diff", beginPatch)
	}
	seen := map[string]bool{}
	for _, f := range p.files {
		for _, name := range []string{f.path, f.moveTo} {
			if name != "" && seen[path.Clean(name)] {
				return nil, badPatch(1, "%s is in it twice; put all changes of a file together", name)
			}
			seen[path.Clean(name)] = true
		}
	}
	return p.files, nil
}

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	endOfFile  = "*** End of File"
	openEnd    = `\ No newline at end of file`
)

type patchReader struct {
	lines []string
	at    int
	files []filePatch
}

// find moves behind the first line that is the text.
func (p *patchReader) find(text string) bool {
	for i, line := range p.lines {
		if strings.TrimSpace(line) == text {
			p.at = i + 1
			return true
		}
	}
	return false
}

func (p *patchReader) more() bool   { return p.at < len(p.lines) }
func (p *patchReader) line() string { return p.lines[p.at] }

// marked reads the form with *** lines.
func (p *patchReader) marked() error {
	for p.more() {
		line := strings.TrimRight(p.line(), " \t")
		p.at++
		switch {
		case line == endPatch:
			return nil
		case line == "":
		case strings.HasPrefix(line, "*** Add File: "):
			p.files = append(p.files, filePatch{path: strings.TrimSpace(line[14:]), create: true, hunks: []hunk{{put: p.added()}}})
		case strings.HasPrefix(line, "*** Delete File: "):
			p.files = append(p.files, filePatch{path: strings.TrimSpace(line[17:]), remove: true})
		case strings.HasPrefix(line, "*** Update File: "):
			f := filePatch{path: strings.TrimSpace(line[17:])}
			if p.more() && strings.HasPrefix(p.line(), "*** Move to: ") {
				f.moveTo = strings.TrimSpace(p.line()[13:])
				p.at++
			}
			if err := p.hunks(&f); err != nil {
				return err
			}
			if len(f.hunks) == 0 && f.moveTo == "" {
				return badPatch(p.at, "nothing is said to change in %s", f.path)
			}
			p.files = append(p.files, f)
		default:
			return badPatch(p.at, "%q is not a line that can stand here", short(line))
		}
	}
	return badPatch(p.at, "%q is missing at its end, so it may be cut off", endPatch)
}

// added reads the + lines of a new file.
func (p *patchReader) added() []string {
	var lines []string
	for ; p.more() && strings.HasPrefix(p.line(), "+"); p.at++ {
		lines = append(lines, p.line()[1:])
	}
	return lines
}

// hunks reads the hunks of a marked file.
func (p *patchReader) hunks(f *filePatch) error {
	var h hunk
	flush := func() {
		if len(h.old)+len(h.put) > 0 {
			f.hunks = append(f.hunks, h)
			h = hunk{}
		}
	}
	for p.more() {
		line := p.line()
		switch {
		case strings.HasPrefix(line, endOfFile):
			h.atEnd = true
		case strings.HasPrefix(line, "*** "):
			flush()
			return nil
		case line == "@@" || strings.HasPrefix(line, "@@ "):
			flush()
			if m := hunkHead().FindStringSubmatch(line); m != nil {
				h.line, _ = strconv.Atoi(m[1]) // the pattern holds digits
			} else if anchor := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(line, "@@"), "@@")); anchor != "" {
				h.anchors = append(h.anchors, anchor)
			}
		default:
			if err := h.body(line, p.at+1); err != nil {
				return err
			}
		}
		p.at++
	}
	flush()
	return nil
}

// body adds one line to a hunk. A line with nothing on it stands for an empty one
// that lost its blank.
func (h *hunk) body(line string, number int) error {
	if line == "" {
		line = " "
	}
	switch line[0] {
	case ' ':
		h.old, h.put = append(h.old, line[1:]), append(h.put, line[1:])
	case '-':
		h.old = append(h.old, line[1:])
	case '+':
		h.put = append(h.put, line[1:])
	case '\\':
	default:
		return badPatch(number, "%q begins with neither a blank, + nor -", short(line))
	}
	return nil
}

var hunkHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)
})

// unified reads a unified diff, of git or of diff.
func (p *patchReader) unified() error {
	moved := filePatch{}
	for p.more() {
		line := p.line()
		p.at++
		switch {
		case strings.HasPrefix(line, "rename from "):
			moved.path = strings.TrimSpace(line[12:])
		case strings.HasPrefix(line, "rename to "):
			moved.moveTo = strings.TrimSpace(line[10:])
			p.files = append(p.files, moved)
		case strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "GIT binary patch"):
			return badPatch(p.at, "it changes binary data, which the file tools do not")
		case strings.HasPrefix(line, "--- ") && p.more() && strings.HasPrefix(p.line(), "+++ "):
			from, to := patchName(line[4:], "a/"), patchName(p.line()[4:], "b/")
			p.at++
			f := filePatch{path: from, create: from == "/dev/null", remove: to == "/dev/null"}
			if f.create {
				f.path = to
			} else if !f.remove && to != from {
				f.moveTo = to
			}
			if n := len(p.files); n > 0 && p.files[n-1].hunks == nil && p.files[n-1].path == f.path && p.files[n-1].moveTo == f.moveTo {
				p.files = p.files[:n-1] // the same rename was announced before
			}
			if err := p.unifiedHunks(&f); err != nil {
				return err
			}
			p.files = append(p.files, f)
		}
	}
	return nil
}

// patchName is a file's name without the letter that git puts before it and the
// time that diff puts behind it.
func patchName(s, letter string) string {
	name, _, _ := strings.Cut(s, "\t")
	return strings.TrimPrefix(strings.TrimSpace(name), letter)
}

func (p *patchReader) unifiedHunks(f *filePatch) error {
	for p.more() {
		m := hunkHead().FindStringSubmatch(p.line())
		if m == nil {
			break
		}
		count := func(s string) int {
			if s == "" {
				return 1
			}
			n, _ := strconv.Atoi(s) // the pattern holds digits
			return n
		}
		h := hunk{}
		h.line, _ = strconv.Atoi(m[1])
		olds, news := count(m[2]), count(m[4])
		head := p.at + 1
		p.at++
		for p.more() && (len(h.old) < olds || len(h.put) < news || strings.HasPrefix(p.line(), `\`)) {
			line := p.line()
			if strings.HasPrefix(line, `\`) {
				h.oldOpen = h.oldOpen || len(h.old) == olds && !strings.HasPrefix(p.lines[p.at-1], "+")
				h.newOpen = h.newOpen || len(h.put) == news && !strings.HasPrefix(p.lines[p.at-1], "-")
			} else if err := h.body(line, p.at+1); err != nil {
				return err
			}
			p.at++
		}
		if len(h.old) != olds || len(h.put) != news {
			return badPatch(head, "the hunk says %d old and %d new lines and has %d and %d", olds, news, len(h.old), len(h.put))
		}
		f.hunks = append(f.hunks, h)
	}
	if len(f.hunks) == 0 && !f.create && !f.remove && f.moveTo == "" {
		return badPatch(p.at, "nothing is said to change in %s", f.path)
	}
	return nil
}
