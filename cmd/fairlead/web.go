package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/server"
)

// webFlags are the flags of web.
type webFlags struct {
	addr               string
	hosts              []string
	expose             bool
	noOpen, demo       bool
	workspace, profile string
	patches            []string
}

func webVerb(c *console) *cobra.Command {
	var f webFlags
	cmd := &cobra.Command{
		Use:   "web [flags]",
		Short: "Serve the page on this machine and open it",
		Args:  noArguments("web"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), f) },
	}
	v := cmd.Flags()
	v.StringVar(&f.addr, "addr", "127.0.0.1:4747", "the `host:port` to answer on; port 0 takes a free one")
	v.StringArrayVar(&f.hosts, "host", nil, "a further exact `name:port` the page may be called by; may be repeated")
	v.BoolVar(&f.expose, "expose", false, "allow an address that other machines can reach")
	v.BoolVar(&f.noOpen, "no-open", false, "do not open a browser")
	v.BoolVar(&f.demo, "demo", false, "play the scripted model; needs no key")
	v.StringVar(&f.workspace, "workspace", "", "the `folder` of new sessions; this one by default")
	v.StringVar(&f.profile, "profile", "web", "the profile to start")
	v.StringArrayVar(&f.patches, "patch", nil, "a patch `file` of rows; may be repeated")
	return cmd
}

// serve runs the host until a signal.
func (c *console) serve(ctx context.Context, f webFlags) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	options, err := c.webOptions(f)
	if err != nil {
		return err
	}
	if err := c.vacant(ctx, f); err != nil {
		return c.alreadyThere(ctx, options.Home, f, err)
	}
	a, err := app.Boot(ctx, options)
	if err != nil {
		return err
	}
	code, err := c.whileUp(a, f, signals)
	if closing := a.Close(context.WithoutCancel(ctx)); closing != nil {
		fmt.Fprintln(c.err, "fairlead: not everything could be closed cleanly: "+fault.Person(closing))
	}
	if err != nil {
		return err
	}
	return &exit{code: code}
}

// vacant checks the address before anything is started, so that what is wrong with
// it is one sentence.
func (c *console) vacant(ctx context.Context, f webFlags) error {
	l, err := (&server.Config{Addr: f.addr, Expose: f.expose}).Listen(ctx)
	if err != nil {
		return err
	}
	return l.Close()
}

// alreadyThere gives a link to the host of this home where it is what answers on the
// address; otherwise it passes the failure on.
func (c *console) alreadyThere(ctx context.Context, home string, f webFlags, failure error) error {
	record, running := app.Home(home).Running()
	if fault.CodeOf(failure) != server.CodePortBusy || !running || record.Address != f.addr {
		return failure
	}
	token, err := os.ReadFile(record.TokenFile)
	if err != nil {
		return failure
	}
	link, err := server.AskForLink(ctx, &http.Client{Timeout: 5 * time.Second}, record.Address, string(token))
	if err != nil {
		return failure
	}
	if _, err := fmt.Fprintln(c.out, "Fairlead runs already: "+link); err != nil {
		return err
	}
	c.maybeOpen(app.Home(home), f, link)
	return nil
}

// webOptions turn flags into what is booted.
func (c *console) webOptions(f webFlags) (app.Options, error) {
	home, err := c.home()
	if err != nil {
		return app.Options{}, err
	}
	folder, err := webFolder(f)
	if err != nil {
		return app.Options{}, err
	}
	rows := []map[string]any{{"id": "server", "merge": "deep", "config": map[string]any{"addr": f.addr, "hosts": f.hosts, "expose": f.expose, "folder": folder}}}
	if f.demo {
		rows = append(rows, map[string]any{"id": "demo", "plugin": "demo"})
	}
	text, err := json.Marshal(map[string]any{"rows": rows}) // JSON is YAML
	if err != nil {
		return app.Options{}, err
	}
	return app.Options{Home: home, Profile: f.profile, Patches: f.patches, Flags: string(text), Environ: c.environ, Env: os.Environ(), Version: fullVersion(), Log: c.log()}, nil
}

// webFolder is the workspace of new sessions: a scratch one for the demo, where none is named.
func webFolder(f webFlags) (string, error) {
	if f.demo && f.workspace == "" {
		return app.DemoFolder()
	}
	dir, err := filepath.Abs(f.workspace)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "web.folder", err, "The folder this was started in is gone. Nothing was started; change to another one.")
	}
	if err := usable(dir); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// whileUp tells where the page is, waits for a signal and stops in good order; a
// second signal ends the process at once.
func (c *console) whileUp(a *app.App, f webFlags, signals <-chan os.Signal) (int, error) {
	s, ok := graph.Lookup(a.Graph().Root().Realm(), server.Key)
	if !ok {
		return 0, fault.New(fault.Invalid, "web", "The profile %q has no row that serves the page. Nothing was started; use --profile web.", f.profile)
	}
	withdraw, err := a.Home().Announce(s.Addr(), s.LocalToken())
	if err != nil {
		return 0, err
	}
	link := s.Link()
	if _, err := fmt.Fprintln(c.out, "Fairlead is ready: "+link); err != nil {
		return 0, errors.Join(err, withdraw())
	}
	if !server.IsLoopback(s.Addr()) {
		fmt.Fprintf(c.err, "fairlead: WARNING: %s can be reached from other machines, without encryption.\n"+
			"  Whoever gets hold of a token acts as you, on this machine. Use this in a network you trust only.\n", s.Addr())
	}
	if f.demo {
		fmt.Fprintln(c.err, "fairlead: this is the demo: a scripted model answers, and nothing leaves this machine.")
	}
	c.maybeOpen(a.Home(), f, link)
	code := exitInterrupted
	if <-signals == syscall.SIGTERM {
		code = exitTerminated
	}
	fmt.Fprintln(c.err, "fairlead: stopping; running turns get a moment to end. Once more ends it at once.")
	go func() {
		<-signals
		os.Exit(code)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), app.ShutdownLimit)
	defer cancel()
	return code, errors.Join(s.Stop(ctx), withdraw())
}

// maybeOpen opens the page unless the person said not to.
func (c *console) maybeOpen(home app.Home, f webFlags, link string) {
	if f.noOpen {
		return
	}
	if err := c.openPage(home, link); err != nil {
		fmt.Fprintln(c.err, "fairlead: "+fault.Person(err)+" Open the link above yourself.")
	}
}

// openPage opens the page in the person's browser. The link goes through a file of
// theirs alone: as an argument, its token would be seen by everybody on the machine.
func (c *console) openPage(home app.Home, link string) error {
	path := home.Opener()
	page := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Fairlead</title>` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `"><a href="` + html.EscapeString(link) + `">Fairlead</a>`
	if err := config.Replace(path, []byte(page)); err != nil {
		return fault.Wrap(fault.Unavailable, "web.open", err, "The page could not be opened by itself.")
	}
	return sandbox.OpenFile(path, c.environ)
}
