package testkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"fairlead/session"
)

// Stable makes texts of different runs comparable. What differs from run to run
// gets a name in the order in which it first comes: sessions s1, s2…, other ids
// u1…, hashes h1…. Folders and addresses get the names given. One Stable serves one
// run, so that a thing keeps its name in all its texts.
type Stable struct {
	// Replace maps texts to names, such as a temporary folder to "$WORK". Longer
	// texts are replaced first.
	Replace map[string]string
	// Sessions names session ids before any text is read.
	Sessions []session.ID

	names  map[string]string
	counts map[string]int
}

var (
	uuid   = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	hash   = regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b`)
	port   = regexp.MustCompile(`\b(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b`)
	spent  = regexp.MustCompile(`("(?:ms|firstMs|thinkMs|waitMs|at|createdAt|since|until|bytes|size|before|after|plain|room|left)"): ?-?\d+`)
	filled = regexp.MustCompile(`"parts": ?\{[^}]*\}`)
)

// Text gives a text with everything that differs named.
func (s *Stable) Text(text string) string {
	if s.names == nil {
		s.names, s.counts = map[string]string{}, map[string]int{}
		for _, id := range s.Sessions {
			s.name("s", string(id))
		}
	}
	longestFirst := slices.SortedFunc(maps.Keys(s.Replace), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, from := range longestFirst {
		text = strings.ReplaceAll(text, from, s.Replace[from])
	}
	text = uuid.ReplaceAllStringFunc(text, func(id string) string { return s.name("u", id) })
	text = hash.ReplaceAllStringFunc(text, func(h string) string { return s.name("h", h) })
	text = port.ReplaceAllString(text, "$1:PORT")
	return filled.ReplaceAllString(spent.ReplaceAllString(text, "$1:0"), `"parts":{}`)
}

func (s *Stable) name(kind, what string) string {
	if name, ok := s.names[what]; ok {
		return name
	}
	s.counts[kind]++
	s.names[what] = fmt.Sprint(kind, s.counts[kind])
	return s.names[what]
}

// Log gives the events of a log as text, one a line: number, type, turn and step,
// payload. Kinds in leave are left out; numbers then count what is left.
func (s *Stable) Log(events iter.Seq2[session.Event, error], leave ...string) (string, error) {
	var b strings.Builder
	n := 0
	for e, err := range events {
		if err != nil {
			return b.String(), err
		}
		if slices.Contains(leave, e.Type) {
			continue
		}
		n++
		fmt.Fprintf(&b, "%d %s", n, e.Type)
		if e.Turn > 0 {
			fmt.Fprintf(&b, " %d.%d", e.Turn, e.Step)
		}
		data, err := sorted(e.Data)
		if err != nil {
			return b.String(), fmt.Errorf("event %d: %w", e.Seq, err)
		}
		if data != "" && data != "{}" {
			b.WriteString(" " + s.Text(data))
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// sorted gives JSON with the keys in order, so that a new field changes one place.
func sorted(data json.RawMessage) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
