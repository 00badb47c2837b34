package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/ui"
)

// Options of a [Server]. Host, Library, Gate, Routes, Realm and Log are required.
type Options struct {
	// Addr is "host:port" as it is bound; Hosts are further exact Host values, for a
	// proxy or a name that the person chose.
	Addr  string
	Hosts []string
	// Devices is the file that keeps signed-in browsers; "" keeps them in memory.
	Devices string
	// Version and Profile are shown in the status.
	Version string
	Profile string
	// Folder is the workspace of sessions that name none.
	Folder string
	// Inventory lists what runs, for the status; nil lists nothing.
	Inventory func() []graph.Status

	Host    *agent.Host
	Library *session.Library
	Gate    *permission.Service
	Routes  *llm.Routes
	Realm   *graph.Realm
	Log     *slog.Logger
}

// longestAnswer bounds a request from its head to the end of its answer; a stream
// bounds each of its writes instead.
const longestAnswer = 10 * time.Minute

// Server is the HTTP front door. Its methods are safe for concurrent use.
type Server struct {
	options Options
	guard   guard
	page    *page
	mux     *http.ServeMux
	http    *http.Server
	now     func() time.Time

	unused    unused
	closing   chan struct{} // closed when nothing more will come: streams send the rest and end
	draining  chan struct{} // closed when nothing new is taken in
	drainOnce sync.Once
	closeOnce sync.Once
}

// New makes a server. It fails where the list of devices or the page is damaged.
func New(options Options) (*Server, error) {
	devices, err := openDevices(options.Devices, time.Now)
	if err != nil {
		return nil, err
	}
	page, err := newPage(ui.Files, options.look)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: options, page: page, mux: http.NewServeMux(), now: time.Now,
		guard:   guard{hosts: hostsOf(options.Addr, options.Hosts), devices: devices, rate: newLimits(time.Now)},
		closing: make(chan struct{}), draining: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      longestAnswer,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(options.Log.Handler(), slog.LevelDebug),
		ConnState:         s.unused.note,
	}
	s.http.RegisterOnShutdown(s.unused.close)
	for _, r := range s.routes() {
		s.mux.HandleFunc(r.pattern, s.serve(r))
	}
	s.mux.HandleFunc("/api/", s.serve(route{answer: nothing}))
	return s, nil
}

func nothing(c *call) (any, error) {
	return nil, fault.New(fault.NotFound, "server", "The API has no %s %s.", c.Method, c.URL.Path)
}

// StartToken makes a token for one login; it goes into the fragment of a link.
func (s *Server) StartToken() string { return s.guard.devices.start() }

// LocalToken makes a token for this machine's own programs; it ends with the process.
func (s *Server) LocalToken() string { return s.guard.devices.own() }

// Addr is "host:port" as it is bound.
func (s *Server) Addr() string { return s.options.Addr }

// Link is the address of the page with a token for one login.
func (s *Server) Link() string { return "http://" + s.options.Addr + "/#token=" + s.StartToken() }

// Routes lists what the API serves, as method and path pattern.
func (s *Server) Routes() []string {
	var list []string
	for _, r := range s.routes() {
		list = append(list, r.pattern)
	}
	return list
}

// Devices lists who is signed in, newest first, without their hashes.
func (s *Server) Devices() []Device { return s.guard.devices.all() }

// SignOut ends a device's token and what it watches.
func (s *Server) SignOut(id string) error { return s.guard.devices.revoke(id) }

// ServeHTTP lets a request in, or says why not. What is judged here is judged
// before any body is read.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.contain(w, r)
	headers(w)
	if no := s.guard.host(r); no != nil {
		writeProblem(w, no)
		return
	}
	if !isAPI(r.URL.Path) {
		if no := s.guard.shell(r); no != nil {
			writeProblem(w, no)
			return
		}
		s.page.ServeHTTP(w, r)
		return
	}
	if no := s.guard.origin(r); no != nil {
		writeProblem(w, no)
		return
	}
	s.mux.ServeHTTP(w, r)
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// contain turns a panic of a handler into an answer. An aborted answer is how
// net/http itself ends one, and goes on.
func (s *Server) contain(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	s.options.Log.Error("a handler panicked", "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	writeProblem(w, fault.New(fault.Internal, "server", "Something went wrong inside Fairlead. Nothing more was done; the session is still usable. Try again."))
}

// Serve answers on a listener until [Server.Stop], then returns nil.
func (s *Server) Serve(l net.Listener) error {
	err := s.http.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "server.serve", err, "The page can no longer be served. Sessions are safe; start Fairlead again.")
}

// Stop takes nothing new in, lets the agents end their turns and every stream send
// the rest, and closes the connections. ctx bounds the whole of it; what is not
// over then is cut off, and is settled when its session is opened again.
func (s *Server) Stop(ctx context.Context) error {
	s.drain()
	err := s.options.Host.Shutdown(ctx)
	s.finish()
	if e := s.http.Shutdown(ctx); e != nil {
		err = errors.Join(err, e, s.http.Close())
	}
	return err
}

// drain refuses everything that would start something new; watching and answering go on.
func (s *Server) drain() { s.drainOnce.Do(func() { close(s.draining) }) }

// finish tells the streams that nothing more will come.
func (s *Server) finish() { s.closeOnce.Do(func() { close(s.closing) }) }

// underWay refuses where the server is being stopped.
func (s *Server) underWay() error {
	select {
	case <-s.draining:
		return fault.New(fault.Unavailable, "server", "Fairlead is being stopped, so nothing new was started. Send it again after the start.").WithCode("stopping")
	default:
		return nil
	}
}

// folder gives the workspace of a new session as an absolute path.
func (s *Server) folder(asked string) (string, error) {
	if asked == "" {
		return s.options.Folder, nil
	}
	if !filepath.IsAbs(asked) {
		return "", fault.New(fault.Invalid, "server.create", "The folder must be an absolute path. No session was created.")
	}
	return filepath.Clean(asked), nil
}

// unused are connections that nobody has asked anything on. A browser opens some
// ahead of need, and net/http would wait for them when it shuts down.
type unused struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (u *unused) note(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state == http.StateNew {
		if u.conns == nil {
			u.conns = map[net.Conn]bool{}
		}
		u.conns[c] = true
		return
	}
	delete(u.conns, c)
}

func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for c := range u.conns {
		_ = c.Close() // nothing was said on it
	}
}
