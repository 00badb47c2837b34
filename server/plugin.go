package server

import (
	"context"
	"errors"
	"net"
	"syscall"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/settings"
)

// Key is where the server is found.
var Key = graph.NewKey[*Server]("server", "the HTTP front door")

// CodePortBusy is the fault code where something else answers on the address.
const CodePortBusy = "port-busy"

// Config is the row of the server.
type Config struct {
	// Addr is "host:port"; port 0 takes a free one.
	Addr string `yaml:"addr"`
	// Expose allows an address that other machines can reach.
	Expose bool `yaml:"expose"`
	// Hosts are further exact names the server may be called by, with their port.
	Hosts []string `yaml:"hosts"`
	// Folder is the workspace of sessions that name none.
	Folder string `yaml:"folder"`
}

// Check says what is wrong with an address. One that other machines can reach needs
// the person's word.
func (c *Config) Check() error {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fault.Wrap(fault.Invalid, "server.listen", err, "%q is no address to answer on. Nothing was started; give one such as 127.0.0.1:4747.", c.Addr)
	}
	if !IsLoopback(c.Addr) && !c.Expose {
		return fault.New(fault.Invalid, "server.listen", "%s can be reached from other machines, so nothing was started. Use 127.0.0.1, or say --expose if that is meant: "+
			"whoever can reach it and gets hold of a token acts as you.", c.Addr)
	}
	return nil
}

// Plugin binds the address of its row and serves there. Of the options it is given
// what the process is; the rest comes from its row and the graph. While it runs,
// people can be asked.
func Plugin(process Options) graph.Plugin {
	return graph.Plugin{
		Name: "server",
		Doc:  "serves the page and the HTTP API",
		Inject: []graph.Dependency{graph.Needs(agent.HostKey), graph.Needs(session.LibraryKey), graph.Needs(permission.Key), graph.Needs(llm.RoutesKey),
			graph.Optional(settings.DocumentKey)},
		Provides: []graph.AnyKey{Key},
		Config:   func() any { return &Config{Addr: "127.0.0.1:4747"} },
		Apply: func(f *graph.Fiber, cfg any) (err error) {
			c, o := cfg.(*Config), process
			if o.Host, err = graph.Get(f, agent.HostKey); err != nil {
				return err
			}
			if o.Library, err = graph.Get(f, session.LibraryKey); err != nil {
				return err
			}
			if o.Gate, err = graph.Get(f, permission.Key); err != nil {
				return err
			}
			if o.Routes, err = graph.Get(f, llm.RoutesKey); err != nil {
				return err
			}
			if doc, err := graph.Get(f, settings.DocumentKey); err == nil {
				doc.Declare(f, Look)
			}
			o.Hosts, o.Realm, o.Log = c.Hosts, f.Realm(), f.Log()
			if c.Folder != "" {
				o.Folder = c.Folder
			}
			listener, err := c.Listen(f.Context())
			if err != nil {
				return err
			}
			o.Addr = listener.Addr().String()
			s, err := New(o)
			if err != nil {
				return errors.Join(err, listener.Close())
			}
			s.offer(f)
			o.Gate.Attend(f)
			served := make(chan error, 1)
			go func() { served <- s.Serve(listener) }()
			f.Effect("serves "+o.Addr, func(ctx context.Context) error {
				if err := s.Stop(ctx); err != nil {
					return err
				}
				return <-served
			})
			return graph.Provide(f, Key, s)
		},
	}
}

// Listen binds the address.
func (c *Config) Listen(ctx context.Context) (net.Listener, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", c.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.Wrap(fault.Conflict, "server.listen", err, "Something else answers on %s already, so nothing was started. Close it, or choose another port with --addr 127.0.0.1:0.", c.Addr).WithCode(CodePortBusy)
	case err != nil:
		return nil, fault.Wrap(fault.Invalid, "server.listen", err, "%s cannot be listened on, so nothing was started. Choose another address with --addr.", c.Addr)
	}
	return l, nil
}

// offer registers what the server itself can do and show.
func (s *Server) offer(f *graph.Fiber) {
	command.Register(f,
		command.Command{Name: loginLink, Scope: command.Host, Summary: "makes a link that signs one more browser in, once",
			Run: func(context.Context, command.Call) (any, error) { return link{s.Link()}, nil }},
		command.Command{Name: "device.revoke", Scope: command.Host, Summary: "signs a browser out",
			Params: []byte(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`),
			Run:    s.signOut},
	)
	command.RegisterViews(f,
		command.View{Name: "devices", Scope: command.Host, Summary: "the browsers and programs that are signed in",
			Read: func(context.Context, command.Query) (any, error) { return s.Devices(), nil }},
		command.View{Name: "models", Scope: command.Host, Summary: "the models that can be chosen", Read: s.readModels},
		command.View{Name: "sessions", Scope: command.Host, Summary: "the list of sessions with what each is doing", Read: s.readRows, Watch: s.watchRows},
	)
}
