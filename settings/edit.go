package settings

import (
	"bytes"
	"slices"
	"strings"

	"fairlead/config"
	"fairlead/fault"
)

// edit sets the value at a path of a YAML document, or takes it out where the value
// is nil, and leaves every line that is not about it as it is. What it made is read
// back and compared: it is exactly that change, or an error and nothing.
func edit(text []byte, path []string, value *config.Value) ([]byte, error) {
	layer := &config.Layer{Name: "settings"}
	before, problems := config.Parse(text, layer)
	if problems != nil {
		return nil, fault.New(fault.Invalid, "settings.edit", "%s", problems)
	}
	want := before.With(path, value)
	lines := splitLines(text)
	if before != nil && (before.Kind != config.Map || before.Flow) {
		lines = render(want, 0) // brackets have no lines of their own
	} else {
		lines = editIn(lines, before, 0, len(lines), 1, path, value)
	}
	made := join(lines, text)
	after, problems := config.Parse(made, layer)
	if problems != nil || !after.Equal(want) && !(isEmpty(after) && isEmpty(want)) {
		return nil, fault.New(fault.Internal, "settings.edit", "The line of %s could not be changed by itself. Nothing was written; change it by hand.", strings.Join(path, "."))
	}
	return made, nil
}

func isEmpty(v *config.Value) bool { return v == nil || v.Scalar == nil && len(v.Keys) == 0 }

// editIn edits the block map m, whose keys stand in the given column of
// lines[from:to].
func editIn(lines []string, m *config.Value, from, to, column int, path []string, value *config.Value) []string {
	name := path[0]
	var entries []config.Entry
	if m != nil {
		entries = m.Keys
	}
	i := slices.IndexFunc(entries, func(e config.Entry) bool { return e.Name == name })
	if i < 0 {
		if value.IsNull() {
			return lines
		}
		end := to
		if len(entries) > 0 {
			end = blockEnd(lines, from, to, column)
		}
		fresh := (&config.Value{Kind: config.Map}).With(path, value)
		return slices.Concat(lines[:end], indent(render(fresh, 0), column-1), lines[end:])
	}
	e := entries[i]
	start := e.At.Line - 1
	next := to
	if i+1 < len(entries) {
		next = entries[i+1].At.Line - 1
	}
	end := blockEnd(lines, start, next, column)
	inner := e.Value
	if len(path) > 1 && inner.Kind == config.Map && !inner.Flow && len(inner.Keys) > 0 && inner.At.Line > e.At.Line {
		if rest := inner.With(path[1:], value); len(rest.Keys) > 0 {
			return editIn(lines, inner, start+1, end, inner.At.Column, path[1:], value)
		}
	}
	var block []string
	if rest := inner.With(path[1:], value); !isEmpty(rest) || rest.Kind == config.List || rest.Kind == config.Map && len(path) == 1 {
		block = indent(strings.SplitAfter(config.Render(name, rest, 0), "\n"), column-1)
	}
	return slices.Concat(lines[:start], block, lines[end:])
}

// blockEnd is where the lines of a key end: behind lines[start:to] without the blank
// lines and comments at their end that belong to what follows.
func blockEnd(lines []string, start, to, column int) int {
	for to > start+1 {
		trimmed := strings.TrimSpace(lines[to-1])
		margin := len(lines[to-1]) - len(strings.TrimLeft(lines[to-1], " "))
		if trimmed != "" && !(strings.HasPrefix(trimmed, "#") && margin < column) {
			break
		}
		to--
	}
	return to
}

// render writes a map as lines.
func render(v *config.Value, depth int) []string {
	var b strings.Builder
	if v != nil {
		for _, e := range v.Keys {
			b.WriteString(config.Render(e.Name, e.Value, depth))
		}
	}
	return splitLines([]byte(b.String()))
}

func indent(lines []string, columns int) []string {
	margin := strings.Repeat(" ", columns)
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, margin+l)
		}
	}
	return out
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

// join puts lines together again, with the line ends that the text had.
func join(lines []string, like []byte) []byte {
	crlf := bytes.Contains(like, []byte("\r\n"))
	var b bytes.Buffer
	for _, l := range lines {
		l = strings.TrimRight(l, "\r\n")
		b.WriteString(l)
		if crlf {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
