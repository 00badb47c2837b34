package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/fault"
	"fairlead/sandbox"
	"fairlead/tool"
)

const (
	// startLimit is how long a server may take from its start to its list of tools.
	startLimit = time.Minute
	// A server that failed is left alone for 0.5, 1, 2 … 30 s.
	firstRest = 500 * time.Millisecond
	lastRest  = 30 * time.Second
	// protocol is what we speak first; the server may answer with an older one.
	protocol = "2025-11-25"
)

// Codes of calls that a server did not answer.
const (
	CodeServer      = "MCP_SERVER"      // it cannot be started or reached
	CodeEnded       = "MCP_ENDED"       // it ended during the call
	CodeSilent      = "MCP_TIMEOUT"     // it was silent for too long
	CodeQuarantined = "MCP_QUARANTINED" // what it offers is not what was approved
)

// server is one server: what it is, and its connection while there is one. It is safe
// for concurrent use.
type server struct {
	name    string
	config  Server
	deps    dependencies
	ctx     context.Context // ends with its fiber; the connection does, too
	changed func()          // told when what it offers, or its state, is another

	mu       sync.Mutex
	link     *link
	coming   chan struct{} // closed when the attempt that runs is over
	failure  error         // of the last attempt
	failures int           // in a row
	rested   time.Time     // no attempt before
}

// dependencies are what servers need of the house.
type dependencies struct {
	box    sandbox.Sandbox
	client *http.Client
	secret func(name string) string
	dir    string   // programs start here where nothing else is said
	own    []string // protected folders of the product
	log    *slog.Logger
	signin *signin
	// registry runs the tool for questions; nil asks nobody.
	registry *tool.Registry
	version  string
}

// use gives the connection, and makes one where there is none. It waits for that as
// long as ctx lasts; the attempt itself goes on for the next caller.
func (s *server) use(ctx context.Context) (*link, error) {
	s.mu.Lock()
	if s.link != nil {
		defer s.mu.Unlock()
		return s.link, nil
	}
	if s.coming == nil {
		if time.Until(s.rested) > 0 {
			defer s.mu.Unlock()
			return nil, s.failure
		}
		s.coming = make(chan struct{})
		go s.attempt(s.coming)
	}
	coming := s.coming
	s.mu.Unlock()
	s.changed()
	select {
	case <-coming:
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "mcp.start", ctx.Err(), "The MCP server %s is still starting. Nothing was called; try again later.", s.name).WithCode(CodeServer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil, s.failure
	}
	return s.link, nil
}

// attempt makes a connection and reads what the server offers.
func (s *server) attempt(done chan struct{}) {
	defer s.changed()
	defer close(done)
	ctx, cancel := context.WithTimeout(s.ctx, startLimit)
	defer cancel()
	l, err := s.connect(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coming = nil
	if err != nil {
		s.fail(err)
		return
	}
	s.link, s.failure, s.failures = l, nil, 0
	go s.watch(l)
}

// fail notes why there is no connection. The lock is held.
func (s *server) fail(err error) {
	rest := min(lastRest, firstRest<<min(s.failures, 10))
	s.failures++
	s.rested = time.Now().Add(rest)
	s.failure = err
	s.deps.log.Warn("an MCP server cannot be used", "server", s.name, "error", err)
}

// watch takes the connection away once it ended.
func (s *server) watch(l *link) {
	err := l.session.Wait()
	if l.child != nil {
		l.child.process.End(endGrace)
	}
	s.mu.Lock()
	if s.link == l {
		s.link = nil
		if s.ctx.Err() == nil {
			s.fail(s.unusable(l.child, errors.Join(errors.New("the connection ended"), err)))
			s.rested = time.Time{} // it worked until now: the next call may start it at once
		}
	}
	s.mu.Unlock()
	s.changed()
}

// drop ends the connection, so that the next call makes a new one.
func (s *server) drop(l *link) {
	s.mu.Lock()
	if s.link == l {
		s.link = nil
	}
	s.mu.Unlock()
	_ = l.session.Close() // that a program ended by a signal is no failure here
}

// close ends the connection for good.
func (s *server) close(ctx context.Context) error {
	s.mu.Lock()
	l, coming := s.link, s.coming
	s.mu.Unlock()
	if l == nil && coming != nil {
		select {
		case <-coming: // its context has ended, so it is short
		case <-ctx.Done():
			return ctx.Err()
		}
		s.mu.Lock()
		l = s.link
		s.mu.Unlock()
	}
	if l == nil {
		return nil
	}
	s.drop(l)
	if l.child == nil {
		return nil
	}
	select {
	case <-l.child.process.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// connect starts or reaches the server, shakes hands, and reads its list of tools.
func (s *server) connect(ctx context.Context) (*link, error) {
	l := &link{heard: &heard{waiting: map[string]func(string){}}, since: time.Now()}
	transport, err := s.transport(l)
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "fairlead", Version: s.deps.version}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{}, // no roots: what it may reach is in its settings
		ProgressNotificationHandler: l.heard.progress,
		ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return s.elicit(ctx, l, r.Params)
		},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.relist(l) },
	})
	l.session, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err == nil {
		err = l.list(ctx)
	}
	if err == nil {
		return l, nil
	}
	if l.session != nil {
		_ = l.session.Close() // the failure before is what matters
	}
	if l.child != nil {
		l.child.process.End(endGrace)
	}
	return nil, s.unusable(l.child, err)
}

// transport is the way to the server.
func (s *server) transport(l *link) (sdk.Transport, error) {
	if s.config.URL != "" {
		u, err := url.Parse(s.config.URL)
		if err != nil {
			return nil, err
		}
		client := *s.deps.client
		if s.config.Key != "" {
			client.Transport = bearing{client.Transport, u.Host, func() string { return s.deps.secret(s.config.Key) }}
		}
		t := &sdk.StreamableClientTransport{Endpoint: s.config.URL, HTTPClient: &client, MaxRetries: 2, MaxEventSize: mostLineBytes}
		if s.config.Key == "" && s.deps.signin != nil {
			t.OAuthHandler = s.deps.signin.handler(s.name, &client)
		}
		return t, nil
	}
	spec := sandbox.Spec{Argv: s.config.Command, Dir: s.config.Folder, Label: "mcp " + s.name, Temp: "mcp-" + s.name, Grace: endGrace,
		Policy: sandbox.Policy{Write: s.config.Write, Deny: protectedIn(s.config.Write, s.deps.own), Network: s.config.Network}}
	if spec.Dir == "" {
		spec.Dir = s.deps.dir
		if _, err := os.Stat(spec.Dir); err != nil {
			spec.Dir = os.TempDir() // nobody asked for that folder
		}
	}
	for _, name := range s.config.Env {
		if value := s.deps.secret(name); value != "" {
			spec.Env = append(spec.Env, name+"="+value)
		}
	}
	c, transport, err := startChild(s.ctx, s.deps.box, spec)
	l.child = c
	return transport, err
}

// protectedIn are the paths inside folders that a child may change that it may not.
func protectedIn(write, ours []string) (deny []string) {
	for _, dir := range write {
		deny = append(deny, tool.ProtectedIn(dir)...)
		for _, own := range ours {
			if tool.Within(dir, own) {
				deny = append(deny, own)
			}
		}
	}
	return deny
}

// unusable words why a server cannot be used, with the last it said on stderr.
func (s *server) unusable(c *child, err error) error {
	said := ""
	if c != nil {
		if text := c.errors.text(); text != "" {
			said = " It said last: " + lastLines(text, 300)
		}
	}
	return fault.Wrap(fault.Unavailable, "mcp.start", err, "The MCP server %s cannot be used: %s.%s", s.name, innermost(err), said).WithCode(CodeServer)
}

func innermost(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("it did not answer within %s", startLimit)
	case errors.Is(err, context.Canceled):
		return "it was stopped"
	}
	return fault.Person(err)
}

func lastLines(s string, n int) string {
	runes := []rune(s)
	return string(runes[max(0, len(runes)-n):])
}
