package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/permission"
	"fairlead/server"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// house is the real rooms behind a real listener, with a scripted model.
type house struct {
	t      *testing.T
	graph  *graph.Graph
	server *server.Server
	lib    *session.Library
	url    string
	work   string
	data   string
	client *http.Client
	token  string
}

// homes are where a house keeps things; two houses on the same ones are a restart.
type homes struct{ data, work string }

func newHomes(t *testing.T) homes {
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return homes{data: t.TempDir(), work: work}
}

func newHouse(t *testing.T, at homes, script string, more ...graph.Plugin) *house {
	t.Helper()
	parsed, err := scripted.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, graph: graph.New(graph.Options{Log: slog.New(slog.DiscardHandler)}), work: at.work, data: at.data, client: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() { h.stop() })
	mark := permission.NewMark()
	h.lib = session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: filepath.Join(at.data, "sessions")}),
		Kinds:       session.NewKindTable(session.Kinds(), tool.Kinds(), permission.Kinds()),
		Projections: slices.Concat(agent.Projections(), tool.Projections(), permission.Projections(mark))})
	h.plug("library", graph.Plugin{Name: "library", Provides: []graph.AnyKey{session.LibraryKey}, Apply: func(f *graph.Fiber, _ any) error {
		return graph.Provide(f, session.LibraryKey, h.lib)
	}}, nil)
	h.plug("tools", tool.Plugin(), nil)
	h.plug("permission", permission.Plugin(permission.Options{Mark: mark, Own: []string{at.data}}), nil)
	h.plug("routes", llm.Plugin(), nil)
	for _, p := range agent.Plugins() {
		h.plug(p.Name, p, nil)
	}
	h.plug("model", graph.Plugin{Name: "model", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)}, Apply: func(f *graph.Fiber, _ any) error {
		routes, err := graph.Get(f, llm.RoutesKey)
		if err != nil {
			return err
		}
		return routes.Register(f, llm.Route{Name: "test/scripted", Model: llm.Model{ID: "scripted"}, Adapter: scripted.New(parsed), Wire: "scripted"})
	}}, nil)
	h.plug("test tools", graph.Plugin{Name: "test tools", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)}, Apply: func(f *graph.Fiber, _ any) error {
		tools, err := graph.Get(f, tool.RegistryKey)
		if err != nil {
			return err
		}
		return errors.Join(tools.Register(f, looking{}), tools.Register(f, writing{}), tools.Register(f, endless{}))
	}}, nil)
	for _, p := range more {
		h.plug(p.Name, p, nil)
	}
	h.plug("server", server.Plugin(server.Options{Version: "1.2.3", Profile: "test", Folder: at.work, Devices: filepath.Join(at.data, "devices.json"), Inventory: h.graph.Inventory}),
		&server.Config{Addr: "127.0.0.1:0"})
	var ok bool
	if h.server, ok = graph.Lookup(h.graph.Root().Realm(), server.Key); !ok {
		t.Fatalf("no server: %+v", h.graph.Inventory())
	}
	link := h.server.Link()
	var start string
	h.url, start, _ = strings.Cut(link, "/#token=")
	var login server.DeviceToken
	h.do("POST", "/api/v1/login", server.Login{Token: start}, &login)
	h.token = login.DeviceToken
	return h
}

func (h *house) plug(id string, p graph.Plugin, cfg any) {
	h.t.Helper()
	_, err := h.graph.Root().Plug(id, p, cfg)
	if err == nil {
		err = h.graph.Settle(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// stop ends the house in good order; a second time changes nothing.
func (h *house) stop() {
	h.client.CloseIdleConnections()
	if err := h.graph.Close(context.Background()); err != nil {
		h.t.Error(err)
	}
}

// request makes an API request of a signed-in program.
func (h *house) request(method, path string, body any) *http.Request {
	h.t.Helper()
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		text = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, text)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// try makes a request and gives its status and the problem's code.
func (h *house) try(method, path string, body, into any) (int, string) {
	h.t.Helper()
	res, err := h.client.Do(h.request(method, path, body))
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	if res.StatusCode >= 400 {
		var p server.Problem
		if err := json.Unmarshal(text, &p); err != nil {
			h.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
		}
		return res.StatusCode, p.Error.Code
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			h.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return res.StatusCode, ""
}

// do makes a request that must succeed.
func (h *house) do(method, path string, body, into any) {
	h.t.Helper()
	if status, code := h.try(method, path, body, into); status >= 300 {
		h.t.Fatalf("%s %s: %d %s", method, path, status, code)
	}
}

// create makes a session and gives its path in the API.
func (h *house) create() string {
	h.t.Helper()
	var snap struct{ ID string }
	h.do("POST", "/api/v1/sessions", server.NewSession{}, &snap)
	return "/api/v1/sessions/" + snap.ID
}

func (h *house) say(path string, m server.Message) {
	h.t.Helper()
	var id server.MessageID
	h.do("POST", path+"/messages", m, &id)
	if id.MessageID == "" {
		h.t.Fatal("no message id")
	}
}

// frame is one server-sent event.
type frame struct {
	name, id, data string
}

// event reads a log frame's event.
func (f frame) event(t *testing.T) session.Event {
	t.Helper()
	var e session.Event
	if err := json.Unmarshal([]byte(f.data), &e); err != nil {
		t.Fatalf("%v in %s", err, f.data)
	}
	return e
}

// live reads a live frame's data.
func (f frame) live(t *testing.T, kind string, into any) bool {
	t.Helper()
	var l struct {
		Type string
		Data json.RawMessage
	}
	if f.name != "live" {
		return false
	}
	if err := json.Unmarshal([]byte(f.data), &l); err != nil {
		t.Fatalf("%v in %s", err, f.data)
	}
	if l.Type != kind {
		return false
	}
	if err := json.Unmarshal(l.Data, into); err != nil {
		t.Fatalf("%v in %s", err, f.data)
	}
	return true
}

// stream is an open event stream.
type stream struct {
	t     *testing.T
	body  io.ReadCloser
	lines *bufio.Reader
}

// watch opens an event stream; id is the Last-Event-ID.
func (h *house) watch(path, id string) *stream {
	h.t.Helper()
	r := h.request("GET", path, nil)
	r.Header.Set("Accept", "text/event-stream")
	if id != "" {
		r.Header.Set("Last-Event-ID", id)
	}
	res, err := h.client.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		h.t.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
	h.t.Cleanup(func() { res.Body.Close() })
	return &stream{t: h.t, body: res.Body, lines: bufio.NewReader(res.Body)}
}

// next reads one frame; false at the end of the stream.
func (s *stream) next() (frame, bool) {
	s.t.Helper()
	var f frame
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return f, false
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			return f, true
		}
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "event":
			f.name = value
		case "id":
			f.id = value
		case "data":
			f.data = value
		default:
			s.t.Fatalf("a line %q in a stream", line)
		}
	}
}

// until reads frames up to the first event of a kind.
func (s *stream) until(kind string) []frame {
	s.t.Helper()
	var seen []frame
	for {
		f, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before %s: %v", kind, seen)
		}
		seen = append(seen, f)
		if f.name == "log" && f.event(s.t).Type == kind {
			return seen
		}
	}
}

// arguments of the tools of this test.
type arguments struct{ Path, Text string }

func at(c *tool.Call) string {
	var a arguments
	_ = c.Decode(&a) // checked by the pipeline
	return filepath.Join(c.Folder, a.Path)
}

func schema(name string) llm.ToolSchema {
	return llm.ToolSchema{Name: name, Description: name, Parameters: []byte(`{"type":"object"}`)}
}

// looking reads a file.
type looking struct{}

func (looking) Schema() llm.ToolSchema            { return schema("look") }
func (looking) ReadOnly(*tool.Call) bool          { return true }
func (looking) Touches(c *tool.Call) []tool.Touch { return []tool.Touch{{Path: at(c)}} }
func (looking) Run(_ context.Context, c *tool.Call) (*tool.Result, error) {
	text, err := os.ReadFile(at(c))
	return tool.Text(string(text)), err
}

// writing writes a file.
type writing struct{}

func (writing) Schema() llm.ToolSchema            { return schema("write") }
func (writing) Touches(c *tool.Call) []tool.Touch { return []tool.Touch{{Path: at(c), Change: true}} }
func (writing) Card(_ context.Context, c *tool.Call) (*tool.Card, error) {
	path, err := c.Resolve(at(c))
	if err != nil {
		return nil, err
	}
	identity, err := tool.Identity(path)
	return &tool.Card{Title: "new-file", Hero: path, Binds: map[string]string{path: identity}}, err
}
func (writing) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	var a arguments
	_ = c.Decode(&a) // checked by the pipeline
	return tool.Text("written"), os.WriteFile(at(c), []byte(a.Text), 0o600)
}

// endless works until it is stopped.
type endless struct{}

func (endless) Schema() llm.ToolSchema   { return schema("endless") }
func (endless) ReadOnly(*tool.Call) bool { return true }
func (endless) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("endless: %w", ctx.Err())
}
