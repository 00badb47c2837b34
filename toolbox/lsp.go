package toolbox

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:embed lsp.md
var lspText string

// LanguageOptions configure [LanguagePlugin].
type LanguageOptions struct {
	// Servers are tried before those that are known already.
	Servers []LanguageServer `yaml:"servers" json:"servers"`
}

// LanguagePlugin registers the tool that asks language servers.
func LanguagePlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "language-servers",
		Doc:    "lets the model ask a language server of the machine for definitions, references and diagnostics",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(sandbox.Key)},
		Config: func() any { return &LanguageOptions{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			registry, err1 := graph.Get(f, tool.RegistryKey)
			box, err2 := graph.Get(f, sandbox.Key)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			s := newServers(f, box, append(append([]LanguageServer{}, cfg.(*LanguageOptions).Servers...), knownServers()...))
			f.Effect("language servers", s.wait) // they end with the fiber's context
			return registry.Register(f, lsp{s})
		},
	}
}

// lsp is the tool of that name.
type lsp struct{ servers *servers }

type lspArgs struct {
	Action string `json:"action"`
	Path   string `json:"path"`
	Symbol string `json:"symbol"`
	Line   int    `json:"line"`
	Query  string `json:"query"`
}

func (lsp) Schema() llm.ToolSchema {
	return schema("lsp", lspText, `{"type":"object","properties":{"action":{"enum":["definition","references","hover","symbols","diagnostics"]},"path":{"type":"string"},"symbol":{"type":"string"},"line":{"type":"integer","minimum":1},"query":{"type":"string"}},"required":["action","path"],"additionalProperties":false}`)
}

func (lsp) args(call *tool.Call) lspArgs {
	var a lspArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

// Rare is what a model reads of it at first.
func (lsp) Rare() string {
	return "definitions, references, types, symbols and errors of code, from a language server"
}

// ReadOnly holds because the server is confined so that it can change nothing.
func (lsp) ReadOnly(*tool.Call) bool { return true }

// lspLimit is how long one question may take, the start of the server included.
const lspLimit = 90 * time.Second

func (lsp) Limit(*tool.Call) time.Duration { return lspLimit }

func (l lsp) Present(call *tool.Call) session.Present {
	a := l.args(call)
	p := presentPath(call, "search", a.Path)
	p.What = strings.TrimSpace(a.Action + " " + a.Symbol + a.Query + " in " + p.What)
	return p
}

func (l lsp) Touches(call *tool.Call) []tool.Touch { return touches(call, l.args(call).Path, false) }

func (l lsp) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := l.args(call)
	if workspace(call) == "" {
		return nil, fault.New(fault.Invalid, "toolbox.lsp", "The session has no folder, so no language server can be asked.")
	}
	path, text, err := a.read(call)
	if err != nil {
		return nil, err
	}
	one, known, err := l.servers.of(ctx, call, path)
	if err != nil {
		return nil, err
	}
	q := question{call: call, server: one, path: path, text: text}
	if err := q.tell(known, a.Action == "diagnostics" && !one.pulls); err != nil {
		return nil, q.failed(err)
	}
	var answer string
	switch a.Action {
	case "symbols":
		answer, err = q.symbols(ctx, a.Query)
	case "diagnostics":
		answer, err = q.diagnostics(ctx)
	default:
		var at position
		if at, err = a.position(text); err != nil {
			return nil, err
		}
		answer, err = q.about(ctx, a.Action, at)
	}
	if err != nil {
		return nil, q.failed(err)
	}
	return tool.Text(answer), nil
}

// read reads the file that a question is about.
func (a lspArgs) read(call *tool.Call) (path, text string, err error) {
	p, err := at(call, a.Path, false)
	if err != nil {
		return "", "", withNeighbours(call, a.Path, err)
	}
	defer p.Close()
	now, err := p.Read()
	if err != nil {
		return "", "", withNeighbours(call, a.Path, err)
	}
	t, ok := file.Decode(now.Raw)
	if !ok {
		return "", "", binary(a.Path, now.Raw, now.About.Size())
	}
	return p.Path, t.Body, nil
}

// position is a place in a text as the protocol counts: from 0, in UTF-16.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// position finds the word that is asked about.
func (a lspArgs) position(text string) (position, error) {
	if a.Symbol == "" {
		return position{}, fault.New(fault.Invalid, "toolbox.lsp", "Say which word of the file is meant, with \"symbol\".")
	}
	n, remark := 0, position{Line: -1}
	for line := range strings.Lines(text) {
		n++
		if a.Line > 0 && n != a.Line {
			continue
		}
		at := wordIn(line, a.Symbol)
		if at < 0 {
			continue
		}
		found := position{n - 1, utf16Len(line[:at])}
		if a.Line > 0 || !isRemark(line) {
			return found, nil
		}
		if remark.Line < 0 {
			remark = found
		}
	}
	if remark.Line >= 0 {
		return remark, nil
	}
	if a.Line > n {
		return position{}, fault.New(fault.Invalid, "toolbox.lsp", "%s has %s; there is no line %d.", a.Path, plural(n, "line"), a.Line).WithCode("PAST_END")
	}
	return position{}, fault.New(fault.NotFound, "toolbox.lsp", "The word %q does not stand %s.", a.Symbol, whereIn(a)).WithCode(codeNoMatch)
}

// isRemark reports whether a line looks like a remark: no server knows what is there.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "/*", "*", "#", "--", ";"}, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

func whereIn(a lspArgs) string {
	if a.Line > 0 {
		return "in line " + grouped(a.Line) + " of " + a.Path
	}
	return "in " + a.Path
}

// wordIn gives where a word begins in a line, as a whole word where it can be; -1 for
// nowhere.
func wordIn(line, word string) int {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		i := strings.Index(line[from:], word)
		if i < 0 {
			return strings.Index(line, word)
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[i+len(word):])
		if !inWord(before) && !inWord(after) {
			return i
		}
		from = i + len(word)
	}
}

func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }
