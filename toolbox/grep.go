package toolbox

import (
	"bytes"
	"context"
	_ "embed"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
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
	if tool.Within("/proc", resolved) || tool.Within("/etc", resolved) || resolved == "/" {
		s.above = strings.TrimSuffix(resolved, "/") + "/"
	}
	w := &walk{visit: s.visit}
	_, err = walkFrom(ctx, call, a.Path, w)
	switch {
	case fault.CodeOf(err) == file.CodeNotFolder:
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
	secretsToo bool   // a person was asked about this very path
	above      string // what leads to the searched folder, where that tells secrets
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
	if !s.secretsToo && tool.SecretPath(s.above+f.rel) {
		s.secrets.Lock()
		defer s.secrets.Unlock()
		s.secrets.names = append(s.secrets.names, f.rel)
		return
	}
	s.file(&s.workers[worker], f.folder, f.name, f.rel)
}

// one searches a single file.
func (s *search) one(call *tool.Call, resolved string) error {
	p, err := file.Reach(workspace(call), resolved, false)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.Regular(); err != nil {
		return err
	}
	folder, err := newHandle(p.Folder)
	if err != nil {
		return file.Unreachable(resolved, err)
	}
	defer folder.close()
	s.file(&s.workers[0], folder, p.Name, shown(call, resolved))
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
		if t, ok := file.Decode(text); ok {
			return []byte(t.Body), true
		}
		return nil, false
	}
	return text, true
}

// marked reports whether bytes begin with a mark of UTF-16.
func marked(b []byte) bool {
	return len(b) >= 2 && (b[0] == 0xFF && b[1] == 0xFE || b[0] == 0xFE && b[1] == 0xFF)
}
