package config

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Dump prints the tree as a bundle file. A comment behind each row and key names
// where it came from. Loading the file as rows gives the same tree, whose dump
// differs in those comments only.
func (t *Tree) Dump() string {
	w := &writer{}
	w.comment("effective configuration of the profile " + t.Profile + "; load it with --rows")
	for _, l := range t.Layers {
		w.comment("layer " + l.Name + ": " + l.File)
	}
	if len(t.Rows) == 0 {
		w.line(0, "rows: []", Origin{})
	} else {
		w.line(0, "rows:", Origin{})
	}
	for _, r := range t.Rows {
		w.line(1, "- id: "+word(r.ID), r.At)
		w.line(2, "plugin: "+word(r.Plugin), r.PluginAt)
		if r.Disabled {
			w.line(2, "disabled: true", r.DisabledAt)
		}
		if r.Config != nil {
			w.entry(2, "", Entry{"config", Origin{}, r.Config})
		}
	}
	return w.b.String()
}

// Render writes a key with its value as YAML lines, indented by depth times two
// spaces. Reading them gives the same value.
func Render(name string, v *Value, depth int) string {
	w := &writer{bare: true}
	w.entry(depth, "", Entry{Name: name, Value: v})
	return w.b.String()
}

type writer struct {
	b    strings.Builder
	bare bool // no comments
}

func (w *writer) comment(text string) { w.b.WriteString("# " + text + "\n") }

func (w *writer) line(depth int, text string, at Origin) {
	w.b.WriteString(strings.Repeat("  ", depth) + text)
	if c := at.comment(); c != "" && !w.bare {
		w.b.WriteString("  # " + c)
	}
	w.b.WriteByte('\n')
}

// entry writes a key with its value; dash is "- " for the first key of a list item.
func (w *writer) entry(depth int, dash string, e Entry) {
	head := dash + word(e.Name) + ":"
	inner := depth + 1 + len(dash)/2
	switch {
	case e.Value.Kind == Map && len(e.Value.Keys) > 0:
		w.line(depth, head, e.At)
		for _, k := range e.Value.Keys {
			w.entry(inner, "", k)
		}
	case e.Value.Kind == List && len(e.Value.Items) > 0:
		w.line(depth, head, e.At)
		for _, item := range e.Value.Items {
			w.item(inner, "", item)
		}
	default:
		w.line(depth, head+" "+leaf(e.Value), e.At)
	}
}

func (w *writer) item(depth int, dash string, v *Value) {
	dash += "- "
	place := func(i int) (int, string) { // only the first line of an item has its dashes
		if i == 0 {
			return depth, dash
		}
		return depth + len(dash)/2, ""
	}
	for i, k := range v.Keys {
		at, dash := place(i)
		w.entry(at, dash, k)
	}
	for i, item := range v.Items {
		at, dash := place(i)
		w.item(at, dash, item)
	}
	if len(v.Keys)+len(v.Items) == 0 {
		w.line(depth, dash+leaf(v), v.At)
	}
}

// leaf writes a scalar, or an empty map or list.
func leaf(v *Value) string {
	switch v.Kind {
	case Map:
		return "{}"
	case List:
		return "[]"
	}
	switch s := v.Scalar.(type) {
	case nil:
		return "null"
	case string:
		return word(s)
	case bool:
		return strconv.FormatBool(s)
	case int64:
		return strconv.FormatInt(s, 10)
	case uint64:
		return strconv.FormatUint(s, 10)
	case float64:
		return decimal(s)
	}
	return "null"
}

// decimal writes a float so that it is read back as one.
func decimal(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// plainWord is text that YAML reads as itself without quotes; readers differ over
// words such as yes and no, so those are quoted.
var (
	plainWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	})
	loaded = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|null|nil|none|inf|nan)$`)
	})
)

func word(s string) string {
	if plainWord().MatchString(s) && !loaded().MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}
