package toolbox

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// LanguageServer is a program that knows a language.
type LanguageServer struct {
	// Command is the program with its arguments, looked up on PATH.
	Command []string `yaml:"command" json:"command"`
	// Endings are those of the files it is for, with the dot; Language is their id in
	// the protocol, the ending without its dot where it is empty.
	Endings  []string `yaml:"endings" json:"endings"`
	Language string   `yaml:"language" json:"language"`
	// Options are told to the server at its start, as it documents them.
	Options map[string]any `yaml:"options" json:"options"`
}

// knownServers are those that are tried; the first on the machine for an ending counts.
func knownServers() []LanguageServer {
	gopls := LanguageServer{Command: []string{"gopls"}, Endings: []string{".go"}, Language: "go", Options: map[string]any{"pullDiagnostics": true}}
	list := []LanguageServer{gopls}
	for _, s := range []struct {
		command  string
		endings  string
		language string
	}{
		{"typescript-language-server --stdio", ".ts .mts .cts", "typescript"},
		{"typescript-language-server --stdio", ".tsx", "typescriptreact"},
		{"typescript-language-server --stdio", ".js .mjs .cjs", "javascript"},
		{"typescript-language-server --stdio", ".jsx", "javascriptreact"},
		{"pyright-langserver --stdio", ".py .pyi", "python"},
		{"pylsp", ".py .pyi", "python"},
		{"rust-analyzer", ".rs", "rust"},
		{"clangd", ".c .h", "c"},
		{"clangd", ".cc .cpp .cxx .hh .hpp", "cpp"},
		{"jdtls", ".java", "java"},
		{"lua-language-server", ".lua", "lua"},
		{"ruby-lsp", ".rb", "ruby"},
		{"zls", ".zig", "zig"},
		{"bash-language-server start", ".sh .bash", "shellscript"},
	} {
		list = append(list, LanguageServer{Command: strings.Fields(s.command), Endings: strings.Fields(s.endings), Language: s.language})
	}
	return list
}

// Times of language servers.
const (
	serverStart = 60 * time.Second
	serverQuiet = 15 * time.Minute // without a question, after which one is ended
	serverGrace = 2 * time.Second
)

// servers are the language servers that run, in all sessions. Each ends with its
// session, when it was not asked for a while, and with the process.
type servers struct {
	box   sandbox.Sandbox
	known []LanguageServer
	ctx   context.Context // of the fiber

	mu       sync.Mutex
	running  map[serverKey]*server
	watching sync.WaitGroup
}

type serverKey struct {
	session session.ID
	command string
}

func newServers(f *graph.Fiber, box sandbox.Sandbox, known []LanguageServer) *servers {
	return &servers{box: box, known: known, ctx: f.Context(), running: map[serverKey]*server{}}
}

func (s *servers) wait(context.Context) error {
	s.watching.Wait()
	return nil
}

// server is one that runs for one session.
type server struct {
	name    string
	wire    *wire
	process *sandbox.Process
	stdin   io.Closer
	ready   chan struct{} // closed once it was initialised, or could not be
	failure error         // why it could not
	used    chan struct{} // a token: it was asked

	mu       sync.Mutex
	pulls    bool // it answers questions for diagnostics
	open     map[string]*document
	found    map[string]publication // diagnostics by URI, as they were published last
	changed  chan struct{}          // closed and replaced when found changes
	followed int64                  // the event up to which changes of files were told
}

// document is a file as the server was told.
type document struct {
	version int
	sum     string
}

// publication is what a server said of a file unasked.
type publication struct {
	version     *int
	diagnostics []diagnostic
}

// of gives the server for a file, started where it does not run yet.
func (s *servers) of(ctx context.Context, call *tool.Call, path string) (*server, LanguageServer, error) {
	ending := strings.ToLower(filepath.Ext(path))
	var missing []string
	for _, known := range s.known {
		for _, e := range known.Endings {
			if e != ending {
				continue
			}
			one, err := s.start(ctx, call, known)
			if fault.CodeOf(err) == "no-program" {
				missing = append(missing, known.Command[0])
				continue
			}
			return one, known, err
		}
	}
	if missing != nil {
		return nil, LanguageServer{}, fault.New(fault.Unavailable, "toolbox.lsp", "No language server for %s files is on this machine (looked for %s). Use grep and read instead.", ending, strings.Join(missing, ", ")).WithCode("NO_SERVER")
	}
	return nil, LanguageServer{}, fault.New(fault.Invalid, "toolbox.lsp", "No language server is known for %q files. Use grep and read instead.", ending).WithCode("NO_SERVER")
}

// start gives the running server of a session, or starts it.
func (s *servers) start(ctx context.Context, call *tool.Call, known LanguageServer) (*server, error) {
	key := serverKey{call.Log.ID(), strings.Join(known.Command, " ")}
	s.mu.Lock()
	one := s.running[key]
	if one == nil {
		var err error
		if one, err = s.spawn(call, known); err != nil {
			s.mu.Unlock()
			return nil, err
		}
		s.running[key] = one
		s.watching.Go(func() { s.attend(key, one, call.Log) })
		go one.initialise(s.ctx, workspace(call), known.Options)
	}
	s.mu.Unlock()
	one.touch()
	select {
	case <-one.ready:
		return one, one.failure
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// spawn starts the child: it may change nothing but its own temporary folder, where
// its caches are put, and has no network.
func (s *servers) spawn(call *tool.Call, known LanguageServer) (*server, error) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	one := &server{name: known.Command[0], stdin: stdin, ready: make(chan struct{}), used: make(chan struct{}, 1),
		open: map[string]*document{}, found: map[string]publication{}, changed: make(chan struct{}), followed: call.Log.Seq()}
	one.wire = newWire(stdin)
	one.wire.heard, one.wire.asked = one.heard, answerServer
	spec := sandbox.Spec{
		Argv: known.Command, Dir: workspace(call), Stdin: in, Stdout: out, Stderr: io.Discard, Grace: serverGrace,
		Temp: "language-servers", Label: known.Command[0],
		Env: []string{"GOTELEMETRY=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=readonly"},
	}
	spec.Argv = append([]string{"sh", "-c", cachesInTemp, "sh"}, spec.Argv...)
	p, err := s.box.Start(s.ctx, spec)
	if err != nil {
		return nil, err
	}
	one.process = p
	go func() {
		one.wire.listen(stdout)
		stdout.Close() // nothing more is read: who still writes is told so
	}()
	go func() {
		<-p.Done()
		err := fault.New(fault.Unavailable, "toolbox.lsp", "The language server %s ended.", one.name)
		out.CloseWithError(err)
		in.CloseWithError(err)
	}()
	return one, nil
}

// cachesInTemp runs a server whose caches are in the temporary folder: all it may
// change. One that is not there ends with the code that shells have for that.
const cachesInTemp = `command -v "$1" >/dev/null || exit 127
export XDG_CACHE_HOME="$TMPDIR/cache" GOCACHE="$TMPDIR/go-build"
exec "$@"`

// noProgram is the exit code of a shell that finds no program.
const noProgram = 127

// initialise opens the conversation with the server.
func (o *server) initialise(ctx context.Context, folder string, options map[string]any) {
	defer close(o.ready)
	ctx, cancel := context.WithTimeout(ctx, serverStart)
	defer cancel()
	root := fileURI(folder)
	var answer struct {
		Capabilities struct {
			DiagnosticProvider json.RawMessage `json:"diagnosticProvider"`
		} `json:"capabilities"`
	}
	err := o.wire.call(ctx, "initialize", map[string]any{
		"processId": nil, "clientInfo": map[string]any{"name": "fairlead"}, "rootUri": root,
		"workspaceFolders":      []any{map[string]any{"uri": root, "name": filepath.Base(folder)}},
		"initializationOptions": options,
		"capabilities": map[string]any{
			"workspace": map[string]any{"workspaceFolders": true, "configuration": true},
			"textDocument": map[string]any{
				"hover":              map[string]any{"contentFormat": []string{"plaintext", "markdown"}},
				"definition":         map[string]any{"linkSupport": true},
				"documentSymbol":     map[string]any{"hierarchicalDocumentSymbolSupport": true},
				"diagnostic":         struct{}{},
				"publishDiagnostics": map[string]any{"versionSupport": true},
			},
		},
	}, &answer)
	if err == nil {
		err = o.wire.notify("initialized", struct{}{})
	}
	if err == nil {
		given := strings.TrimSpace(string(answer.Capabilities.DiagnosticProvider))
		o.pulls = given != "" && given != "null" && given != "false"
		return
	}
	o.end()
	if exit, waited := o.process.Wait(ctx); waited == nil && exit.Code == noProgram {
		o.failure = fault.New(fault.Unavailable, "toolbox.lsp", "%s is not on this machine.", o.name).WithCode("no-program")
		return
	}
	o.failure = fault.Wrap(fault.Unavailable, "toolbox.lsp", err, "The language server %s could not be started: %v. Use grep and read instead.", o.name, err).WithCode("NO_SERVER")
}

// answerServer answers what servers ask of an editor.
func answerServer(method string, params json.RawMessage) (any, bool) {
	switch method {
	case "workspace/configuration":
		var asked struct{ Items []any }
		if json.Unmarshal(params, &asked) != nil {
			return nil, false
		}
		return make([]any, len(asked.Items)), true
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest":
		return nil, true
	}
	return nil, false
}

// heard takes in what a server says unasked.
func (o *server) heard(method string, params json.RawMessage) {
	if method != "textDocument/publishDiagnostics" {
		return
	}
	var p struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.found[p.URI] = publication{p.Version, p.Diagnostics}
	close(o.changed)
	o.changed = make(chan struct{})
}

func (o *server) touch() {
	select {
	case o.used <- struct{}{}:
	default:
	}
}

// attend ends a server with its session, when it fell quiet, and with the process.
func (s *servers) attend(key serverKey, one *server, log *session.Log) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	left := make(chan struct{})
	go func() {
		defer close(left)
		for frame, err := range log.Watch(ctx, log.Seq()) {
			if err != nil {
				return
			}
			if frame.Event != nil && session.Archived.Of(*frame.Event) {
				if d, err := session.Archived.Decode(*frame.Event); err == nil && d.Archived {
					return
				}
			}
		}
	}()
	quiet := time.NewTimer(serverQuiet)
	defer quiet.Stop()
	for asked := true; asked; {
		select {
		case <-one.used:
			quiet.Reset(serverQuiet)
		case <-quiet.C:
			asked = false
		case <-left:
			asked = false
		case <-one.process.Done():
			asked = false
		}
	}
	s.mu.Lock()
	if s.running[key] == one {
		delete(s.running, key)
	}
	s.mu.Unlock()
	one.end()
	cancel()
	<-left
}

// end ends the server. Its own way of ending is not asked for: it has nothing to save.
func (o *server) end() {
	o.stdin.Close()
	o.process.End(serverGrace)
}

// fileURI writes a path as a URI.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// uriPath is the way back; false for what is no file.
func uriPath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}
