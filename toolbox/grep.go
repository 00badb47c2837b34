package toolbox

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed grep.md
var grepText string

// grepper is the tool grep.
type grepper struct{}

// Limits of one search.
const (
	mostMatches   = 250     // lines in the answer
	mostFound     = 8 << 20 // bytes of matching lines that are kept
	searchedBytes = 64 << 20
	foundChars    = 400 // of a matching line
)

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	Files      bool   `json:"files"`
}

func (grepper) Schema() llm.ToolSchema {
	return schema("grep", grepText, `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"file or folder"},"glob":{"type":"string","description":"only these files, such as *.go"},"ignore_case":{"type":"boolean"},"context":{"type":"integer","minimum":0,"maximum":20,"description":"lines around each match"},"files":{"type":"boolean"}},"required":["pattern"],"additionalProperties":false}`)
}

func (grepper) args(call *tool.Call) grepArgs {
	var a grepArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (grepper) ReadOnly(*tool.Call) bool { return true }
func (grepper) Parallel(*tool.Call) bool { return true }

func (g grepper) Present(call *tool.Call) session.Present {
	a := g.args(call)
	return session.Present{Verb: "search", What: a.Pattern, Full: a.Pattern + " in " + asked(call, a.Path)}
}

func (g grepper) Touches(call *tool.Call) []tool.Touch {
	return touches(call, g.args(call).Path, false)
}

// searchView is what the page shows of a search.
type searchView struct {
	Kind      string `json:"kind"`
	Matches   int    `json:"matches"`
	Files     int    `json:"files"`
	Truncated bool   `json:"truncated,omitempty"`
}

func (g grepper) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := g.args(call)
	f, err := newFinder(a.Pattern, a.IgnoreCase)
	if err != nil {
		return nil, err
	}
	s := &search{finder: f, args: a, match: func(string) bool { return true }, workers: make([]searcher, walkers())}
	if a.Glob != "" {
		if s.match, err = pathMatcher(filepath.ToSlash(strings.TrimPrefix(a.Glob, "./"))); err != nil {
			return nil, err
		}
	}
	resolved, err := resolve(call, a.Path)
	if err != nil {
		return nil, err
	}
	base := shown(call, resolved)
	s.secretsToo = tool.SecretPath(resolved) || tool.SecretPath(asked(call, a.Path))
	w := &walk{visit: s.visit}
	_, err = walkFrom(ctx, call, a.Path, w)
	switch {
	case fault.CodeOf(err) == codeNotFolder:
		if err := s.one(call, resolved); err != nil {
			return nil, err
		}
		base = "."
	case err != nil:
		return nil, err
	}
	return s.answer(ctx, call, base, int(w.skipped.Load()))
}

// search is one search on its way.
type search struct {
	finder     *finder
	args       grepArgs
	match      func(rel string) bool
	secretsToo bool // a person was asked about this very path
	workers    []searcher

	kept    atomic.Int64 // bytes of lines kept so far
	large   atomic.Int64 // files that are too large
	unread  atomic.Int64
	secrets struct {
		sync.Mutex
		names []string
	}
}

// searcher is what one goroutine has read and found.
type searcher struct {
	buf     []byte
	scratch []byte
	hits    []fileHits
}

// fileHits are the matches of one file.
type fileHits struct {
	rel   string
	count int
	lines []hitLine // fewer matches than count where too much was found
}

func (s *search) visit(worker int, f found) {
	if !f.entry.Type().IsRegular() || !s.match(f.rel) {
		return
	}
	if !s.secretsToo && tool.SecretPath(f.rel) {
		s.secrets.Lock()
		defer s.secrets.Unlock()
		s.secrets.names = append(s.secrets.names, f.rel)
		return
	}
	s.file(&s.workers[worker], f.folder, f.name, f.rel)
}

// one searches a single file.
func (s *search) one(call *tool.Call, resolved string) error {
	p, err := reach(workspace(call), resolved, false)
	if err != nil {
		return err
	}
	defer p.close()
	about, err := p.look()
	if err != nil {
		return err
	}
	if about == nil {
		return unreachable(resolved, fs.ErrNotExist)
	}
	if err := p.regular(about); err != nil {
		return err
	}
	folder, err := newHandle(p.folder)
	if err != nil {
		return unreachable(resolved, err)
	}
	defer folder.close()
	s.file(&s.workers[0], folder, p.name, shown(call, resolved))
	return nil
}

func (s *search) file(w *searcher, folder *handle, name, rel string) {
	text, ok := s.load(w, folder, name)
	if !ok {
		return
	}
	hits := fileHits{rel: rel}
	var marks []mark
	counted, line := 0, 1 // newlines are counted up to here
	w.scratch = s.finder.lines(text, w.scratch, func(at span) bool {
		hits.count++
		if s.args.Files {
			return false
		}
		line += bytes.Count(text[counted:at.from], []byte{'\n'})
		counted = at.from
		if s.kept.Add(int64(min(at.to-at.from, foundChars))) <= mostFound {
			marks = append(marks, mark{at, line})
		}
		return true
	})
	if hits.count > 0 {
		hits.lines = s.render(text, marks)
		w.hits = append(w.hits, hits)
	}
}

// load reads a file's text; false for what is not searched.
func (s *search) load(w *searcher, folder *handle, name string) ([]byte, bool) {
	f, err := folder.file(name)
	if err != nil {
		s.unread.Add(1)
		return nil, false
	}
	defer f.Close()
	if w.buf == nil {
		w.buf = make([]byte, 256<<10)
	}
	n := 0
	for {
		m, err := f.Read(w.buf[n:])
		first := n == 0
		n += m
		if first && m > 0 && bytes.IndexByte(w.buf[:min(n, 8000)], 0) >= 0 && !marked(w.buf[:n]) {
			return nil, false // binary
		}
		if err != nil || m == 0 {
			break
		}
		if n == len(w.buf) {
			if n >= searchedBytes {
				s.large.Add(1)
				return nil, false
			}
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
	}
	text := w.buf[:n]
	if marked(text) || !s.finder.ascii && !utf8.Valid(text) {
		if t, ok := decode(text); ok {
			return []byte(t.body), true
		}
		return nil, false
	}
	return text, true
}

// marked reports whether bytes begin with a mark of UTF-16.
func marked(b []byte) bool {
	return len(b) >= 2 && (b[0] == 0xFF && b[1] == 0xFE || b[0] == 0xFE && b[1] == 0xFF)
}

// mark is a matching line with its number.
type mark struct {
	at   span
	line int
}

// hitLine is a line of an answer: a match, or one around it.
type hitLine struct {
	text  string
	match bool
}

// render writes matching lines with those around them, each once.
func (s *search) render(text []byte, marks []mark) []hitLine {
	var lines []hitLine
	written := 0 // number of the last line
	around := func(number, from int) int {
		at := lineAround(text, from)
		lines = append(lines, hitLine{text: strconv.Itoa(number) + "-" + clip(readable(trimCR(text[at.from:at.to])), foundChars)})
		return at.to + 1
	}
	for i, m := range marks {
		number, from := m.line, m.at.from
		for number > m.line-s.args.Context && number > written+1 && from > 0 {
			from = lineAround(text, from-1).from
			number--
		}
		if s.args.Context > 0 && written > 0 && number > written+1 {
			lines = append(lines, hitLine{text: "--"})
		}
		for ; number < m.line; number++ {
			from = around(number, from)
		}
		lines = append(lines, hitLine{strconv.Itoa(m.line) + "→" + s.excerpt(text[m.at.from:m.at.to]), true})
		written = m.line
		last := m.line + s.args.Context
		if i+1 < len(marks) {
			last = min(last, marks[i+1].line-1)
		}
		for from = m.at.to + 1; written < last && from < len(text); {
			written++
			from = around(written, from)
		}
	}
	return lines
}

// excerpt is a matching line, or of a long one the part around the match.
func (s *search) excerpt(line []byte) string {
	line = trimCR(line)
	if len(line) <= foundChars {
		return readable(line)
	}
	from := 0
	if m := s.finder.line.FindIndex(line); m != nil {
		from = max(0, m[0]-foundChars/4)
	}
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	lead := ""
	if from > 0 {
		lead = "…"
	}
	return lead + clip(readable(line[from:]), foundChars) + fmt.Sprintf(" [line of %s]", byteCount(int64(len(line))))
}

// readable gives a line in UTF-8, decoded where it is something else.
func readable(line []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	if t, ok := decode(line); ok {
		return strings.ToValidUTF8(t.body, "\uFFFD")
	}
	return strings.ToValidUTF8(string(line), "\uFFFD")
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// answer puts together what the searchers found.
func (s *search) answer(ctx context.Context, call *tool.Call, base string, skipped int) (*tool.Result, error) {
	var all []fileHits
	for _, w := range s.workers {
		all = append(all, w.hits...)
	}
	slices.SortFunc(all, func(a, b fileHits) int { return strings.Compare(a.rel, b.rel) })
	matches := 0
	for i := range all {
		matches += all[i].count
		if base != "." {
			all[i].rel = filepath.Join(base, filepath.FromSlash(all[i].rel))
		}
	}
	notes := s.notes(skipped)
	if s.args.Files {
		paths := make([]string, len(all))
		for i, h := range all {
			paths[i] = h.rel
		}
		return listed(ctx, call, paths, mostPaths, notes, "No file has a match")
	}
	if matches == 0 {
		text := "No match."
		if len(notes) > 0 {
			text = "No match. [not searched: " + strings.Join(notes, "; ") + "]"
		}
		return &tool.Result{Content: llm.Text(text), View: searchView{Kind: "search"}}, nil
	}
	result := &tool.Result{View: searchView{Kind: "search", Matches: matches, Files: len(all), Truncated: matches > mostMatches}}
	short, shownMatches := formatHits(all, mostMatches)
	var end []string
	if matches > shownMatches {
		whole, kept := formatHits(all, matches)
		ref, err := call.Keep(ctx, whole)
		if err != nil {
			return nil, err
		}
		result.Spill = &ref
		list := "the whole list"
		if kept < matches {
			list = fmt.Sprintf("the first %s", grouped(kept))
		}
		end = append(end, fmt.Sprintf("%s of %s in %s shown; %s: read with path %s, or narrow the search", grouped(shownMatches), plural(matches, "match"), plural(len(all), "file"), list, tool.Locator(ref)))
	}
	if len(notes) > 0 {
		end = append(end, "not searched: "+strings.Join(notes, "; "))
	}
	if len(end) > 0 {
		short += "[" + strings.Join(end, "; ") + "]"
	}
	result.Content = llm.Text(strings.TrimSuffix(short, "\n"))
	return result, nil
}

// answerBytes bounds the text of one answer.
const answerBytes = 40_000

// formatHits writes matches by file, up to a number of them, and gives how many.
func formatHits(all []fileHits, most int) (string, int) {
	var b strings.Builder
	shown := 0
	for _, h := range all {
		if shown >= most || len(h.lines) == 0 {
			break
		}
		b.WriteString(h.rel)
		b.WriteByte('\n')
		for _, line := range h.lines {
			if line.match && (shown >= most || most == mostMatches && b.Len()+len(line.text) > answerBytes) {
				return b.String(), shown
			}
			b.WriteString(line.text)
			b.WriteByte('\n')
			if line.match {
				shown++
			}
		}
	}
	return b.String(), shown
}

// notes say what was not searched.
func (s *search) notes(skipped int) []string {
	var list []string
	if names := s.secrets.names; len(names) > 0 {
		slices.Sort(names)
		text := strings.Join(names[:min(3, len(names))], ", ")
		if more := len(names) - 3; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text+" (may hold secrets; name one as path to ask for it)")
	}
	if n := int(s.large.Load()); n > 0 {
		list = append(list, plural(n, "file")+" over "+byteCount(searchedBytes))
	}
	if n := int(s.unread.Load()) + skipped; n > 0 {
		list = append(list, plural(n, "unreadable entry"))
	}
	return list
}
