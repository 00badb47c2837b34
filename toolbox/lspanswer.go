package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/tool"
	"fairlead/tool/file"
)

// Limits of answers.
const (
	mostAnswers = 100
	mostSymbols = 200
	// diagnosticsWait is how long a server that speaks unasked is waited for.
	diagnosticsWait = 20 * time.Second
)

// question is one call's talk with a server.
type question struct {
	call   *tool.Call
	server *server
	path   string // resolved
	text   string
}

func (q question) document() map[string]any { return map[string]any{"uri": fileURI(q.path)} }

// failed says what went wrong.
func (q question) failed(err error) error {
	switch {
	case errors.Is(err, errServerGone):
		return fault.Wrap(fault.Unavailable, "toolbox.lsp", err, "The language server %s ended while it was asked. Ask again to start it anew, or use grep.", q.server.name).WithCode("SERVER_GONE")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fault.Wrap(fault.Unavailable, "toolbox.lsp", err, "The language server %s answers: %v.", q.server.name, err).WithCode("SERVER_ERROR")
}

// tell brings the server up to date: what calls have changed since, and what the file
// in question holds now. With anew it is told of the file even where it knows it, so
// that a server that speaks unasked speaks again.
func (q question) tell(known LanguageServer, anew bool) error {
	if err := q.tellChanges(); err != nil {
		return err
	}
	language := known.Language
	if language == "" {
		language = strings.TrimPrefix(known.Endings[0], ".")
	}
	o, now := q.server, file.Sum([]byte(q.text))
	o.mu.Lock()
	doc := o.open[q.path]
	fresh := doc == nil
	if fresh {
		doc = &document{}
		o.open[q.path] = doc
	}
	same := doc.sum == now && !anew
	if !same {
		doc.sum = now
		doc.version++
		delete(o.found, fileURI(q.path)) // what was said of it is of another version
	}
	version := doc.version
	o.mu.Unlock()
	switch {
	case fresh:
		return o.wire.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": fileURI(q.path), "languageId": language, "version": version, "text": q.text}})
	case same:
		return nil
	}
	return o.wire.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": fileURI(q.path), "version": version},
		"contentChanges": []any{map[string]any{"text": q.text}}})
}

// tellChanges names the files that calls changed since the server was told last.
func (q question) tellChanges() error {
	o := q.server
	o.mu.Lock()
	from := o.followed
	o.followed = q.call.Log.Seq()
	o.mu.Unlock()
	var events []any
	for e, err := range q.call.Log.Events(from + 1) {
		if err != nil {
			return err
		}
		if !tool.FileChanged.Of(e) {
			continue
		}
		d, err := tool.FileChanged.Decode(e)
		if err != nil {
			return err
		}
		kind := 2 // changed
		switch {
		case d.Before == nil:
			kind = 1 // created
		case d.After == nil:
			kind = 3 // deleted
		}
		if d.Path != q.path {
			if err := o.close(d.Path); err != nil {
				return err
			}
		}
		events = append(events, map[string]any{"uri": fileURI(d.Path), "type": kind})
	}
	if events == nil {
		return nil
	}
	return o.wire.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": events})
}

// close has the server take a file from the disk again.
func (o *server) close(path string) error {
	o.mu.Lock()
	_, open := o.open[path]
	delete(o.open, path)
	delete(o.found, fileURI(path))
	o.mu.Unlock()
	if !open {
		return nil
	}
	return o.wire.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": fileURI(path)}})
}

// span16 is a range as the protocol has it.
type span16 struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// location is a place in some file, in each of the forms that servers use.
type location struct {
	URI         string  `json:"uri"`
	Range       span16  `json:"range"`
	TargetURI   string  `json:"targetUri"`
	TargetRange *span16 `json:"targetSelectionRange"`
}

func (l location) place() (path string, at position, ok bool) {
	if l.TargetURI != "" {
		path, ok = uriPath(l.TargetURI)
		if l.TargetRange != nil {
			at = l.TargetRange.Start
		}
		return path, at, ok
	}
	path, ok = uriPath(l.URI)
	return path, l.Range.Start, ok
}

// about answers what is asked of one word.
func (q question) about(ctx context.Context, action string, at position) (string, error) {
	params := map[string]any{"textDocument": q.document(), "position": at}
	if action == "hover" {
		var answer struct {
			Contents json.RawMessage `json:"contents"`
		}
		if err := q.server.wire.call(ctx, "textDocument/hover", params, &answer); err != nil {
			return "", err
		}
		if text := strings.TrimSpace(hoverText(answer.Contents)); text != "" {
			return text, nil
		}
		return "The language server says nothing of it.", nil
	}
	if action == "references" {
		params["context"] = map[string]any{"includeDeclaration": true}
	}
	var raw json.RawMessage
	if err := q.server.wire.call(ctx, "textDocument/"+action, params, &raw); err != nil {
		return "", err
	}
	list, err := locations(raw)
	if err != nil {
		return "", err
	}
	return q.places(list), nil
}

// locations reads one location, several, or null.
func locations(raw json.RawMessage) (list []location, err error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case raw[0] == '[':
		return list, json.Unmarshal(raw, &list)
	}
	list = make([]location, 1)
	return list, json.Unmarshal(raw, &list[0])
}

// places writes locations with the lines that stand there.
func (q question) places(list []location) string {
	var out []string
	texts := map[string][]string{}
	for _, l := range list {
		path, at, ok := l.place()
		if !ok {
			continue
		}
		if _, read := texts[path]; !read {
			texts[path] = q.linesOf(path)
		}
		line := fmt.Sprintf("%s:%d:%d", shown(q.call, path), at.Line+1, at.Character+1)
		if lines := texts[path]; at.Line < len(lines) {
			line += "  " + clip(strings.TrimSpace(lines[at.Line]), foundChars)
		}
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if out == nil {
		return "The language server knows no place."
	}
	if more := len(out) - mostAnswers; more > 0 {
		out = append(out[:mostAnswers], fmt.Sprintf("[and %d more]", more))
	}
	return strings.Join(out, "\n")
}

// linesOf reads the lines of a file that a server named; nothing where the tools would
// not show it.
func (q question) linesOf(path string) []string {
	if path == q.path {
		return strings.Split(q.text, "\n")
	}
	if tool.SecretPath(path) {
		return nil
	}
	p, err := at(q.call, path, false)
	if err != nil {
		return nil
	}
	defer p.Close()
	now, err := p.Read()
	if err != nil {
		return nil
	}
	t, ok := file.Decode(now.Raw)
	if !ok {
		return nil
	}
	return strings.Split(t.Body, "\n")
}

// hoverText reads the forms that hovers have: a string, marked text, or a list.
func hoverText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var marked struct{ Value string }
	if json.Unmarshal(raw, &marked) == nil && marked.Value != "" {
		return marked.Value
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var parts []string
	for _, one := range list {
		parts = append(parts, hoverText(one))
	}
	return strings.Join(parts, "\n")
}

// symbol is one of a file, or of the project, in both forms.
type symbol struct {
	Name      string   `json:"name"`
	Kind      int      `json:"kind"`
	Detail    string   `json:"detail"`
	Selection *span16  `json:"selectionRange"`
	Location  location `json:"location"`
	Children  []symbol `json:"children"`
}

// symbolKinds are the protocol's, from 1.
var symbolKinds = [...]string{"file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum", "interface", "function", "variable",
	"constant", "string", "number", "boolean", "array", "object", "key", "null", "enum member", "struct", "event", "operator", "type parameter"}

func (s symbol) kind() string {
	if s.Kind >= 1 && s.Kind <= len(symbolKinds) {
		return symbolKinds[s.Kind-1]
	}
	return "symbol"
}

// symbols lists those of the file, or those of the project that are like the query.
func (q question) symbols(ctx context.Context, query string) (string, error) {
	var list []symbol
	var err error
	if query != "" {
		err = q.server.wire.call(ctx, "workspace/symbol", map[string]any{"query": query}, &list)
	} else {
		err = q.server.wire.call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": q.document()}, &list)
	}
	if err != nil {
		return "", err
	}
	var out []string
	var write func(list []symbol, depth int)
	write = func(list []symbol, depth int) {
		for _, s := range list {
			path, at, ok := s.Location.place()
			switch {
			case s.Selection != nil:
				out = append(out, fmt.Sprintf("%s%d: %s %s %s", strings.Repeat("  ", depth), s.Selection.Start.Line+1, s.kind(), s.Name, clip(s.Detail, foundChars)))
			case ok && query == "":
				out = append(out, fmt.Sprintf("%d: %s %s", at.Line+1, s.kind(), s.Name))
			case ok:
				out = append(out, fmt.Sprintf("%s:%d: %s %s", shown(q.call, path), at.Line+1, s.kind(), s.Name))
			}
			write(s.Children, depth+1)
		}
	}
	write(list, 0)
	if out == nil {
		return "The language server knows no symbol there.", nil
	}
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	if more := len(out) - mostSymbols; more > 0 {
		out = append(out[:mostSymbols], fmt.Sprintf("[and %d more]", more))
	}
	return strings.Join(out, "\n"), nil
}

// diagnostic is what a server finds wrong. Severity is 1 for an error to 4 for a hint.
type diagnostic struct {
	Range    span16 `json:"range"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

var severities = [...]string{"error", "warning", "note", "hint"}

// diagnostics asks for them where the server can be asked, else waits until it has
// said what it finds in the file as it is now.
func (q question) diagnostics(ctx context.Context) (string, error) {
	var list []diagnostic
	if q.server.pulls {
		var answer struct {
			Items []diagnostic `json:"items"`
		}
		if err := q.server.wire.call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": q.document()}, &answer); err != nil {
			return "", err
		}
		list = answer.Items
	} else {
		said, ok, err := q.published(ctx)
		if err != nil {
			return "", err
		}
		if !ok {
			return fmt.Sprintf("The language server %s has not said anything of the file within %s.", q.server.name, diagnosticsWait), nil
		}
		list = said
	}
	if len(list) == 0 {
		return "The language server finds nothing wrong in " + shown(q.call, q.path) + ".", nil
	}
	var out []string
	for _, d := range list[:min(len(list), mostAnswers)] {
		severity := "error"
		if d.Severity >= 1 && d.Severity <= len(severities) {
			severity = severities[d.Severity-1]
		}
		out = append(out, fmt.Sprintf("%s:%d:%d: %s: %s", shown(q.call, q.path), d.Range.Start.Line+1, d.Range.Start.Character+1, severity, strings.Join(strings.Fields(d.Message), " ")))
	}
	if more := len(list) - mostAnswers; more > 0 {
		out = append(out, fmt.Sprintf("[and %d more]", more))
	}
	return strings.Join(out, "\n"), nil
}

// published waits for what the server says unasked of the file's present version.
func (q question) published(ctx context.Context) ([]diagnostic, bool, error) {
	o, uri := q.server, fileURI(q.path)
	late := time.NewTimer(diagnosticsWait)
	defer late.Stop()
	for {
		o.mu.Lock()
		p, said := o.found[uri]
		version, changed := o.open[q.path].version, o.changed
		o.mu.Unlock()
		if said && (p.version == nil || *p.version >= version) {
			return p.diagnostics, true, nil
		}
		select {
		case <-changed:
		case <-late.C:
			return nil, false, nil
		case <-o.wire.ended:
			return nil, false, errServerGone
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}
