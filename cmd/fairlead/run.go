package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// runFlags are the flags of run.
type runFlags struct {
	model, baseURL, keyEnv, wire string
	demo                         bool
	mode, effort, output         string
	preset, resume, fork         string
	last                         bool
	maxSteps, maxTokens          int
	maxUSD                       float64
	timeout                      time.Duration
	workspace                    string
	images                       []string
	systemAppend                 string
	profile                      string
	patches                      []string
}

func runVerb(c *console) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] [PROMPT]",
		Short: "Do one turn without a page; the prompt may also come from stdin",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("There are %d prompts, one is wanted. Nothing was sent; put the prompt in quotes.", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.runPrompt(cmd.Context(), f, args) },
	}
	v := cmd.Flags()
	v.StringVar(&f.model, "model", "", "the `route` to use, \"connection/model\"; with --base-url the server's own id of the model")
	v.StringVar(&f.baseURL, "base-url", "", "an OpenAI-compatible server for this run, such as http://127.0.0.1:8080/v1")
	v.StringVar(&f.keyEnv, "api-key-env", "", "the `name` of the environment variable that holds the server's key")
	v.StringVar(&f.wire, "wire", "chat", "the `format` that --base-url speaks: chat, responses or anthropic")
	v.BoolVar(&f.demo, "demo", false, "play the scripted model in a scratch folder; needs no key")
	v.StringVar(&f.mode, "mode", "", "manual (default), plan or bypass")
	v.StringVar(&f.preset, "preset", "", "the `preset` of a new session; standard by default")
	v.StringVar(&f.effort, "effort", "", "how much to think: low, medium, high, xhigh")
	v.StringVar(&f.output, "output", "text", "text, json or stream-json")
	v.StringVar(&f.resume, "resume", "", "go on with the session of this `id`, or a unique prefix of it")
	v.StringVar(&f.fork, "fork", "", "begin a session that goes on from the end of the one with this `id`, which stays as it is")
	v.BoolVar(&f.last, "continue", false, "go on with the last session of this folder")
	v.IntVar(&f.maxSteps, "max-steps", 0, "end the turn after this many model requests")
	v.IntVar(&f.maxTokens, "budget-tokens", 0, "end the turn after this many tokens, in and out")
	v.Float64Var(&f.maxUSD, "budget-usd", 0, "end the turn after it cost this many US `dollars`; the model's price must be known")
	v.DurationVar(&f.timeout, "timeout", 0, "end the turn after this `duration`, such as 10m")
	v.StringVar(&f.workspace, "workspace", "", "the `folder` to work in; this one by default")
	v.StringArrayVar(&f.images, "image", nil, "a picture `file` to send along; may be repeated")
	v.StringVar(&f.systemAppend, "system-append", "", "`text` to put behind the system prompt")
	v.StringVar(&f.profile, "profile", "headless", "the profile to start")
	v.StringArrayVar(&f.patches, "patch", nil, "a patch `file` of rows; may be repeated")
	return cmd
}

// check finds what is wrong with the flags themselves.
func (f *runFlags) check() error {
	switch {
	case !slices.Contains([]string{"", agent.Manual, agent.Plan, agent.Bypass}, f.mode):
		return usage("There is no mode %q. Nothing was sent; choose manual, plan or bypass.", f.mode)
	case !slices.Contains([]string{"text", "json", "stream-json"}, f.output):
		return usage("There is no output %q. Nothing was sent; choose text, json or stream-json.", f.output)
	case !slices.Contains([]string{"", "low", "medium", "high", "xhigh"}, f.effort):
		return usage("There is no effort %q. Nothing was sent; choose low, medium, high or xhigh.", f.effort)
	case f.resume != "" && f.last || f.resume != "" && f.fork != "" || f.fork != "" && f.last:
		return usage("--resume, --fork and --continue each name a session. Nothing was sent; give one of them.")
	case f.preset != "" && (f.resume != "" || f.last || f.fork != ""):
		return usage("A session keeps the preset it began with. Nothing was sent; leave --preset out, or begin a new session.")
	case f.demo && f.baseURL != "":
		return usage("--demo plays its own model, --base-url names another. Nothing was sent; give one of them.")
	case f.keyEnv != "" && f.baseURL == "":
		return usage("--api-key-env belongs to --base-url. Nothing was sent; give both.")
	case f.maxSteps < 0 || f.maxTokens < 0 || f.maxUSD < 0 || f.timeout < 0:
		return usage("A limit is below zero. Nothing was sent; give a positive one, or none.")
	}
	return nil
}

// prompt reads what is to be sent.
func (c *console) prompt(args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	if len(args) == 0 && terminal(c.in) {
		return "", usage("There is no prompt. Nothing was sent; give one in quotes, or through stdin.")
	}
	text, err := io.ReadAll(c.in)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "run.prompt", err, "The prompt could not be read from stdin. Nothing was sent.")
	}
	return string(text), nil
}

func (c *console) runPrompt(ctx context.Context, f runFlags, args []string) error {
	began := time.Now()
	c.collectSeldom()
	if err := f.check(); err != nil {
		return err
	}
	prompt, err := c.prompt(args)
	if err != nil {
		return err
	}
	if strings.TrimSpace(prompt) == "" && len(f.images) == 0 {
		return usage("The prompt is empty. Nothing was sent; give one in quotes, or through stdin.")
	}
	pictures, err := readPictures(f.images)
	if err != nil {
		return err
	}
	options, err := c.options(ctx, &f)
	if err != nil {
		return err
	}
	a, err := app.Boot(ctx, options)
	if err != nil {
		return err
	}
	r := &headless{console: c, flags: f, app: a, began: began}
	err = r.run(ctx, prompt, pictures)
	if closing := a.Close(context.WithoutCancel(ctx)); closing != nil {
		fmt.Fprintln(c.err, "fairlead: not everything could be closed cleanly: "+fault.Person(closing))
	}
	return err
}

// collectSeldom lets the heap of one short-lived session grow to three times what is
// live, which takes a tenth off its processor time for a few megabytes. GOGC, where
// the person set it, stands.
func (c *console) collectSeldom() {
	if c.environ("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// options turn flags into what is booted.
func (c *console) options(ctx context.Context, f *runFlags) (app.Options, error) {
	home, err := c.home()
	if err != nil {
		return app.Options{}, err
	}
	o := app.Options{Home: home, Profile: f.profile, Patches: f.patches, Environ: c.environ, Env: os.Environ(), Version: fullVersion(), Log: c.log()}
	rows := []map[string]any{}
	row := func(id string, config map[string]any) {
		rows = append(rows, map[string]any{"id": id, "merge": "deep", "config": config})
	}
	if f.maxSteps > 0 || f.maxTokens > 0 || f.maxUSD > 0 || f.timeout > 0 {
		limits := map[string]any{"steps": f.maxSteps, "tokens": f.maxTokens, "usd": f.maxUSD, "time": f.timeout.String()}
		rows = append(rows, map[string]any{"id": "budget", "plugin": "budget", "merge": "deep", "config": map[string]any{"turn": limits}})
	}
	if f.systemAppend != "" {
		row("prompt", map[string]any{"append": f.systemAppend})
	}
	if f.demo {
		rows = append(rows, map[string]any{"id": "demo", "plugin": "demo"})
	}
	if f.baseURL != "" {
		connection, err := c.adHoc(ctx, f)
		if err != nil {
			return o, err
		}
		rows = append(rows, map[string]any{"id": "flags", "plugin": "connection", "config": connection})
	}
	if len(rows) > 0 {
		text, err := json.Marshal(map[string]any{"rows": rows}) // JSON is YAML
		if err != nil {
			return o, err
		}
		o.Flags = string(text)
	}
	return o, nil
}

// adHoc is the connection that --base-url makes; f.model becomes its route.
func (c *console) adHoc(ctx context.Context, f *runFlags) (map[string]any, error) {
	wire := f.wire
	if wire == "anthropic" {
		wire = "messages" // what the format itself is called
	}
	connection := app.Connection{Name: "server", Wire: wire, BaseURL: f.baseURL, KeyEnv: f.keyEnv}
	if u, err := url.Parse(f.baseURL); err == nil && u.Host != "" {
		connection.Name = u.Host
	}
	if err := connection.Check(); err != nil {
		return nil, err
	}
	if f.keyEnv != "" && c.environ(f.keyEnv) == "" {
		return nil, usage("The environment variable %s is not set, so there is no key for %s. Nothing was sent; set it, or leave --api-key-env out.", f.keyEnv, f.baseURL)
	}
	if f.model == "" {
		model, err := connection.OnlyModel(ctx, c.environ)
		if err != nil {
			return nil, err
		}
		f.model = model
	}
	model := f.model
	f.model = connection.Name + "/" + model
	return map[string]any{"name": connection.Name, "wire": connection.Wire, "baseUrl": connection.BaseURL, "keyEnv": connection.KeyEnv, "default": model, "prefer": true}, nil
}

// headless is one run without a page.
type headless struct {
	*console
	flags runFlags
	app   *app.App
	began time.Time

	signal atomic.Int32 // the exit code of the first signal, 0 while there was none
}

func (r *headless) run(ctx context.Context, prompt string, pictures []picture) error {
	host, err := r.app.Host()
	if err != nil {
		return err
	}
	if err := r.app.ModelReady(ctx, r.flags.model); err != nil {
		return err
	}
	a, err := r.open(ctx, host)
	if err != nil {
		return err
	}
	stop := r.obeySignals(a)
	defer stop()
	content := []llm.Part{}
	if prompt != "" {
		content = append(content, llm.Part{Text: prompt})
	}
	for _, p := range pictures {
		ref, err := a.Log().PutBlob(ctx, p.bytes)
		if err != nil {
			return err
		}
		content = append(content, llm.Part{MIME: p.mime, Blob: ref.SHA256, Name: p.name})
	}
	from := a.Log().Seq()
	if done, err := r.slash(ctx, a, prompt); done || err != nil {
		if err != nil {
			return err
		}
		if began, err := beganTurn(a.Log(), from); err != nil || !began && a.Status().State == agent.Idle {
			return err
		}
		return r.follow(ctx, a, from)
	}
	if _, err := a.Send(ctx, agent.Input{Content: content, Mode: r.flags.mode, Model: r.flags.model, Effort: r.flags.effort}); err != nil {
		return err
	}
	return r.follow(ctx, a, from)
}

// slash uses the command that a prompt names as the page does, "/goal all tests pass".
// False means that the prompt names none and is to be sent.
func (r *headless) slash(ctx context.Context, a *agent.Agent, prompt string) (bool, error) {
	name, text, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	if !strings.HasPrefix(name, "/") || len(name) == 1 {
		return false, nil
	}
	cmd, ok := command.Find(ctx, a.Realm(), name[1:])
	if !ok || cmd.Slash != name[1:] || cmd.Scope != command.Session {
		return false, nil
	}
	wish := map[string]string{"text": strings.TrimSpace(text), "mode": r.flags.mode, "model": r.flags.model, "effort": r.flags.effort}
	maps.DeleteFunc(wish, func(name, v string) bool { return v == "" && name != "text" })
	args, err := json.Marshal(wish)
	if err != nil {
		return true, err
	}
	value, err := cmd.Run(ctx, command.Call{Session: string(a.ID()), Args: args})
	if err != nil {
		return true, err
	}
	said, err := json.Marshal(value)
	var told struct{ Text string }
	if err == nil {
		err = json.Unmarshal(said, &told)
	}
	if told.Text != "" {
		fmt.Fprintln(r.err, "· "+told.Text)
	}
	return true, err
}

// beganTurn reports whether a turn began after an event.
func beganTurn(log *session.Log, after int64) (bool, error) {
	for e, err := range log.Events(after + 1) {
		if err != nil || session.TurnStart.Of(e) {
			return err == nil, err
		}
	}
	return false, nil
}

// follow prints what happens until the agent is idle and nothing works for it any
// more, then the result.
func (r *headless) follow(ctx context.Context, a *agent.Agent, from int64) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	quiet := make(chan error, 1)
	go func() {
		quiet <- a.Quiet(ctx)
		stop()
	}()
	out := newPrinter(r.console, r.flags.output, a.ID(), r.began)
	for frame, err := range a.Log().Watch(watching, from) {
		if err != nil {
			if watching.Err() != nil {
				break
			}
			return err
		}
		if err := out.frame(frame); err != nil {
			return err
		}
		if frame.Event != nil {
			from = frame.Event.Seq
		}
	}
	if err := <-quiet; err != nil {
		return err
	}
	for e, err := range a.Log().Events(from + 1) { // what came while it fell quiet
		if err != nil {
			return err
		}
		if err := out.frame(session.Frame{Event: &e}); err != nil {
			return err
		}
	}
	code := out.code()
	if s := r.signal.Load(); s != 0 {
		code = int(s)
	}
	if err := out.finish(); err != nil {
		return err
	}
	return &exit{code: code}
}

// open makes the session, or opens the one that the flags name.
func (r *headless) open(ctx context.Context, host *agent.Host) (*agent.Agent, error) {
	f := r.flags
	folder, err := r.folder()
	if err != nil {
		return nil, err
	}
	library, err := r.app.Library()
	if err != nil {
		return nil, err
	}
	var id session.ID
	switch {
	case f.resume != "":
		id, err = library.Resolve(ctx, f.resume)
	case f.fork != "":
		id, err = forkOf(ctx, library, f.fork)
	case f.last:
		id, err = lastIn(ctx, library, folder)
	default:
		return host.Create(ctx, agent.Spec{Folder: folder, Preset: f.preset, Mode: f.mode})
	}
	if err != nil {
		return nil, err
	}
	a, err := host.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	own := a.Log().Header().Folder
	if f.workspace != "" && own != folder {
		return nil, usage("The session works in %s, not in %s. Nothing was sent; leave --workspace out, or begin a new session.", own, folder)
	}
	if own != "" {
		if err := usable(own); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// forkOf begins a session that goes on from the end of another one.
func forkOf(ctx context.Context, library *session.Library, prefix string) (session.ID, error) {
	id, err := library.Resolve(ctx, prefix)
	if err != nil {
		return "", err
	}
	log, err := library.Fork(ctx, id, 0)
	if err != nil {
		return "", err
	}
	return log.ID(), log.Close(ctx)
}

func lastIn(ctx context.Context, library *session.Library, folder string) (session.ID, error) {
	list, err := library.List(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range list { // the newest first
		if s.Folder == folder && s.Problem == "" && !s.Archived {
			return s.ID, nil
		}
	}
	return "", fault.New(fault.NotFound, "run.continue", "There is no session in %s to go on with. Nothing was sent; leave --continue out to begin one.", folder)
}

// folder is the workspace: absolute, with links resolved.
func (r *headless) folder() (string, error) {
	if r.flags.demo && r.flags.workspace == "" {
		return app.DemoFolder()
	}
	dir := r.flags.workspace
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "run.folder", err, "The folder this was started in is gone. Nothing was sent; change to another one.")
	}
	if err := usable(dir); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func usable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return usage("The folder %s is not there. Nothing was sent; make it again, or choose another with --workspace.", dir)
	case err != nil:
		return fault.Wrap(fault.Invalid, "run.folder", err, "The folder %s cannot be used. Nothing was sent; choose another with --workspace.", dir)
	case !info.IsDir():
		return usage("%s is not a folder. Nothing was sent; choose one with --workspace.", dir)
	}
	return nil
}

// obeySignals stops the turn at the first SIGINT or SIGTERM and the process at the
// second. What it returns ends that.
func (r *headless) obeySignals(a *agent.Agent) (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				code, by := exitInterrupted, "user"
				if s == syscall.SIGTERM {
					code, by = exitTerminated, "shutdown"
				}
				if !r.signal.CompareAndSwap(0, int32(code)) {
					os.Exit(code)
				}
				go r.cancel(a, by)
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}

func (r *headless) cancel(a *agent.Agent, by string) {
	if err := a.Cancel(context.Background(), by); err != nil {
		r.log().Error("the turn could not be stopped", "err", err)
	}
}
