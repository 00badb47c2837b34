package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/fault"
	"fairlead/mcp"
)

func mcpVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "MCP servers whose tools the model may use; and this program as one", Args: c.verbOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(c.mcpList(), c.mcpAdd(), c.mcpApprove(), c.mcpTest(), c.mcpLogin(), c.mcpRemove(), c.mcpServe())
	return cmd
}

// servers runs work with the person's MCP servers. What it changes a running host
// takes over by itself.
func (c *console) servers(ctx context.Context, work func(ctx context.Context, s *mcp.Servers) error) (err error) {
	var f treeFlags
	o, err := f.options(c)
	if err != nil {
		return err
	}
	o.Profile = "headless"
	a, err := app.Boot(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(context.WithoutCancel(ctx))) }()
	s, err := a.Servers()
	if err != nil {
		return err
	}
	return work(ctx, s)
}

func (c *console) mcpList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the servers and what waits for approval", Args: noArguments("mcp list"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := c.serverStates(cmd.Context())
			switch {
			case err != nil:
				return err
			case asJSON:
				return c.json(map[string]any{"servers": list})
			case len(list) == 0:
				_, err := fmt.Fprintln(c.out, "No MCP servers. Add one: fairlead mcp add NAME -- PROGRAM ARGUMENTS, or fairlead mcp add NAME --url ADDRESS.")
				return err
			}
			w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
			for _, one := range list {
				fmt.Fprintf(w, "%s\t%s\t%d tools\t%s\n", one.Name, one.State, len(one.Tools), one.Where)
			}
			return w.Flush()
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// serverStates are the servers as the running host has them; without one, as they are
// set up.
func (c *console) serverStates(ctx context.Context) (list []mcp.State, err error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	if h, running := c.host(home); running {
		err = h.view(ctx, "mcp", &list)
		return list, err
	}
	err = c.servers(ctx, func(_ context.Context, s *mcp.Servers) error {
		list = s.List()
		return nil
	})
	return list, err
}

func (c *console) mcpAdd() *cobra.Command {
	var config mcp.Server
	cmd := &cobra.Command{Use: "add NAME [--url ADDRESS | -- PROGRAM ARGUMENTS…]", Short: "Add a server, start it once, and approve what it offers",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("mcp add takes a name, and then --url ADDRESS or -- PROGRAM ARGUMENTS. Nothing was changed.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			config.Command = args[1:]
			if err := fromHere(&config); err != nil {
				return err
			}
			return c.servers(cmd.Context(), func(ctx context.Context, s *mcp.Servers) error {
				state, err := s.Add(ctx, args[0], config)
				if err != nil {
					return err
				}
				if err = c.approve(ctx, s, state); err != nil {
					fmt.Fprintf(c.err, "%s is in the settings, and is not used until it is approved: fairlead mcp approve %s. To take it out: fairlead mcp remove %s.\n", state.Name, state.Name, state.Name)
				}
				return err
			})
		}}
	f := cmd.Flags()
	f.StringVar(&config.URL, "url", "", "the address of a server that is reached over HTTP")
	f.StringVar(&config.Key, "key", "", "the name of a saved key that is sent to the address")
	f.StringSliceVar(&config.Env, "env", nil, "names of variables or saved keys that the program gets")
	f.StringSliceVar(&config.Write, "write", nil, "folders that the program may change; none otherwise")
	f.BoolVar(&config.Network, "network", false, "let the program use the network")
	f.StringVar(&config.Folder, "folder", "", "the folder that the program starts in")
	f.DurationVar(&config.Limit, "limit", 0, "how long a call may be silent (1m)")
	return cmd
}

// fromHere makes paths of the command line absolute: the server starts elsewhere.
func fromHere(config *mcp.Server) error {
	paths := []*string{}
	for i := range config.Write {
		paths = append(paths, &config.Write[i])
	}
	if config.Folder != "" {
		paths = append(paths, &config.Folder)
	}
	if len(config.Command) > 0 && strings.ContainsRune(config.Command[0], filepath.Separator) {
		paths = append(paths, &config.Command[0])
	}
	for _, p := range paths {
		whole, err := filepath.Abs(*p)
		if err != nil {
			return fault.Wrap(fault.Invalid, "mcp.add", err, "%s cannot be made an absolute path. Nothing was changed; give one.", *p)
		}
		*p = whole
	}
	return nil
}

func (c *console) mcpApprove() *cobra.Command {
	return &cobra.Command{Use: "approve NAME", Short: "Show what changed of a server since it was approved, and approve it", Args: oneServer("mcp approve"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.servers(cmd.Context(), func(ctx context.Context, s *mcp.Servers) error {
				state, err := s.State(args[0])
				if err == nil && state.Digest == "" { // what changed is known once it runs
					state, err = s.Test(ctx, args[0])
				}
				if err != nil {
					return err
				}
				if state.Digest == "" {
					_, err := fmt.Fprintf(c.out, "%s is as it was approved; there is nothing to approve.\n", args[0])
					return err
				}
				return c.approve(ctx, s, state)
			})
		}}
}

// approve shows what is approved and approves exactly that.
func (c *console) approve(ctx context.Context, s *mcp.Servers, state mcp.State) error {
	for _, t := range state.Tools {
		switch t.State {
		case "new":
			fmt.Fprintf(c.out, "+ %s: %s\n", t.Name, t.Now.Description)
		case "gone":
			fmt.Fprintf(c.out, "- %s\n", t.Name)
		case "changed":
			fmt.Fprintf(c.out, "~ %s\n  was: %s %s\n  now: %s %s\n", t.Name, t.Was.Description, t.Was.Schema, t.Now.Description, t.Now.Schema)
		}
	}
	done, err := s.Approve(ctx, state.Name, state.Digest)
	if err != nil {
		return err
	}
	if len(state.Tools) == 0 {
		for _, t := range done.Tools {
			fmt.Fprintf(c.out, "+ %s: %s\n", t.Name, t.Now.Description)
		}
	}
	_, err = fmt.Fprintf(c.out, "%s is approved as it is now, with %d tools. Each call of them is asked about in Manual; anything of this that changes is not used until you approve it.\n", state.Name, len(done.Tools))
	return err
}

func (c *console) mcpTest() *cobra.Command {
	return &cobra.Command{Use: "test NAME", Short: "Start an approved server and see whether it answers", Args: oneServer("mcp test"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.servers(cmd.Context(), func(ctx context.Context, s *mcp.Servers) error {
				began := time.Now()
				state, err := s.Test(ctx, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(c.out, "%s answers: %s, protocol %s, %d tools, after %s\n", state.Name, state.Server, state.Protocol, len(state.Tools), time.Since(began).Round(time.Millisecond))
				for _, left := range state.Skipped {
					fmt.Fprintf(c.out, "left out: %s, because %s\n", left.Name, left.Reason)
				}
				if state.Noise > 0 {
					fmt.Fprintf(c.out, "%d lines on its stdout were no messages and were skipped\n", state.Noise)
				}
				if state.Digest != "" {
					fmt.Fprintf(c.out, "It offers something else than was approved: fairlead mcp approve %s\n", state.Name)
				}
				return nil
			})
		}}
}

func (c *console) mcpRemove() *cobra.Command {
	return &cobra.Command{Use: "remove NAME", Short: "Remove a server and its approval", Args: oneServer("mcp remove"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.servers(cmd.Context(), func(ctx context.Context, s *mcp.Servers) error {
				if err := s.Remove(ctx, args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.out, "%s was removed.\n", args[0])
				return err
			})
		}}
}

func (c *console) mcpLogin() *cobra.Command {
	return &cobra.Command{Use: "login NAME", Short: "Sign in at a server that wants it, in your browser", Args: oneServer("mcp login"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.servers(cmd.Context(), func(ctx context.Context, s *mcp.Servers) error {
				l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
				if err != nil {
					return fault.Wrap(fault.Unavailable, "mcp.login", err, "No port can be opened for your browser to come back to. Nothing was changed.")
				}
				defer l.Close()
				back := "http://" + l.Addr().String() + "/signed-in"
				if err := s.SignIn(ctx, args[0], back, func(ctx context.Context, address string) (mcp.Returned, error) { return c.browse(ctx, l, address) }); err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.out, "Signed in at %s. If it is new: fairlead mcp approve %s\n", args[0], args[0])
				return err
			})
		}}
}

// browse has the person open an address and waits for their browser to come back.
func (c *console) browse(ctx context.Context, l net.Listener, address string) (mcp.Returned, error) {
	fmt.Fprintf(c.err, "Open this address in your browser:\n  %s\nWaiting for it to come back …\n", address)
	came := make(chan mcp.Returned, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if !strings.HasSuffix(r.URL.Path, "/signed-in") || q.Get("code") == "" && q.Get("error") == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, "You can close this page and go back to the terminal.")
		select {
		case came <- mcp.Returned{Code: q.Get("code"), State: q.Get("state"), Issuer: q.Get("iss")}:
		default: // it came back before
		}
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer server.Close()
	select {
	case r := <-came:
		if r.Code == "" {
			return r, fault.New(fault.Denied, "mcp.login", "Signing in was refused. Nothing was changed.")
		}
		return r, nil
	case err := <-served:
		return mcp.Returned{}, err
	case <-ctx.Done():
		return mcp.Returned{}, ctx.Err()
	}
}

// oneServer wants the name of a server.
func oneServer(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes the name of a server. Nothing was changed; see fairlead mcp list.", verb)
		}
		return nil
	}
}
