package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The function that code is the body of; its first line is the code's line 0.
const (
	bodyHead = "(async()=>{\n"
	bodyTail = "\n})()"
)

// mostCode bounds a program's text, in bytes.
const mostCode = 1 << 20

// stripped is code without types.
type stripped struct {
	js     string
	lines  lineMap
	length int // of the source, in lines
}

// strip takes the types out of a program. The error names the place.
func strip(name, code string) (stripped, error) {
	if len(code) > mostCode {
		return stripped{}, failure(CodeSyntax, "The program has %d bytes; %d are the most. Nothing was run.", len(code), mostCode)
	}
	r := api.Transform(bodyHead+code+bodyTail, api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ESNext, Sourcefile: name, Sourcemap: api.SourceMapExternal, LogLevel: api.LogLevelSilent,
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true}}`,
	})
	if len(r.Errors) > 0 {
		return stripped{}, unreadable(name, r.Errors)
	}
	var m struct{ Mappings string }
	if err := json.Unmarshal(r.Map, &m); err != nil {
		return stripped{}, fmt.Errorf("script.strip: the map of places cannot be read: %w", err)
	}
	return stripped{string(r.Code), readLines(m.Mappings), strings.Count(code, "\n") + 1}, nil
}

// Check reads code without running it; an error has [CodeSyntax] and names the place.
func Check(name, code string) error {
	_, err := strip(orProgram(name), code)
	return err
}

func orProgram(name string) string {
	if name == "" {
		return "program.ts"
	}
	return name
}

func unreadable(name string, messages []api.Message) error {
	var b strings.Builder
	for i, m := range messages[:min(len(messages), 3)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		if l := m.Location; l != nil {
			fmt.Fprintf(&b, "%s:%d:%d: %s\n    %s", name, l.Line-1, l.Column+1, m.Text, strings.TrimSpace(l.LineText))
		} else {
			b.WriteString(m.Text)
		}
	}
	return failure(CodeSyntax, "The program cannot be read, so nothing of it was run.\n%s", b.String())
}

// lineMap gives for a line of the code that runs the line of the source, both from 0.
type lineMap []int

// readLines reads the lines out of a source map's mappings: groups a line, of
// segments of base64 VLQ numbers [column, source, source line, source column],
// each relative to the one before it.
func readLines(mappings string) lineMap {
	var m lineMap
	line := 0
	for group := range strings.SplitSeq(mappings, ";") {
		first := -1
		for segment := range strings.SplitSeq(group, ",") {
			numbers := readVLQ(segment)
			if len(numbers) >= 4 {
				line += numbers[2]
				if first < 0 {
					first = line
				}
			}
		}
		if first < 0 {
			first = line
		}
		m = append(m, first)
	}
	return m
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func readVLQ(segment string) []int {
	var numbers []int
	value, shift := 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(base64Digits, segment[i])
		value |= digit & 31 << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		if n := value >> 1; value&1 != 0 {
			numbers = append(numbers, -n)
		} else {
			numbers = append(numbers, n)
		}
		value, shift = 0, 0
	}
	return numbers
}

// places rewrites the lines of a stack to those of the source and drops what is not
// the code's own.
func (s stripped) places(name, stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		line = strings.TrimRight(line, "\n")
		head, rest, ok := strings.Cut(line, evalName+":")
		if !ok {
			continue
		}
		n := 0
		for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			n, rest = n*10+int(rest[0]-'0'), rest[1:]
		}
		if n < 1 || n > len(s.lines) || s.lines[n-1] < 1 || s.lines[n-1] > s.length {
			continue
		}
		closing := ""
		if strings.HasSuffix(rest, ")") {
			closing = ")"
		}
		fmt.Fprintf(&b, "%s%s:%d%s\n", head, name, s.lines[n-1], closing)
	}
	return strings.TrimRight(b.String(), "\n")
}

// evalName is what the engine calls the code; [stripped.places] gives it its name.
const evalName = "<code>"
