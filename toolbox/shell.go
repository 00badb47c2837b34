package toolbox

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"syscall"
	"time"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed shell.md
var shellText string

// Limits of a command.
const (
	commandLimit  = 60 * time.Second  // where the call names none
	commandMost   = 600 * time.Second // that a call may ask for
	timeoutGrace  = 10 * time.Second  // between TERM and KILL when the limit is over
	stoppingGrace = time.Second       // and when the person stopped it
)

// ShellPlugin registers the tool that runs commands.
func ShellPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "shell",
		Doc:    "lets the model run shell commands",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(sandbox.Key)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			box, err := graph.Get(f, sandbox.Key)
			if err != nil {
				return err
			}
			return registry.Register(f, shell{box})
		},
	}
}

// shell is the tool of that name.
type shell struct{ box sandbox.Sandbox }

type shellArgs struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	Dir         string `json:"dir"`
	TimeoutMs   int64  `json:"timeout_ms"`
}

func (shell) Schema() llm.ToolSchema {
	return schema("shell", shellText, `{"type":"object","properties":{"command":{"type":"string","minLength":1},"description":{"type":"string","description":"why, in a few words"},"dir":{"type":"string"},"timeout_ms":{"type":"integer","minimum":1,"maximum":600000}},"required":["command"],"additionalProperties":false}`)
}

func (shell) args(call *tool.Call) shellArgs {
	var a shellArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

// Command gives what the gate judges.
func (s shell) Command(call *tool.Call) (tool.Command, bool) {
	a := s.args(call)
	return tool.Command{Shell: "bash", Text: a.Command, Dir: s.dir(call, a)}, true
}

// dir is the folder a command starts in; one that cannot be found is named as it was
// asked for, and starting there fails with its name.
func (shell) dir(call *tool.Call, a shellArgs) string {
	dir, err := resolve(call, a.Dir)
	if err != nil {
		return asked(call, a.Dir)
	}
	return dir
}

func (s shell) Present(call *tool.Call) session.Present {
	command := strings.TrimSpace(s.args(call).Command)
	first, _, _ := strings.Cut(command, "\n")
	return session.Present{Verb: "run", What: first, Full: command}
}

// Card shows the whole command, and binds the yes to the script files it names.
func (s shell) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := s.args(call)
	cmd, _ := s.Command(call)
	return &tool.Card{
		Title: "run-command", Hero: a.Command, Why: a.Description,
		Facts: []tool.Fact{{Key: "card.runs-in", Values: map[string]any{"path": cmd.Dir}}},
		Parts: []tool.CardPart{{Name: "command", Kind: "command", Text: a.Command}},
		Binds: scriptsOf(cmd),
	}, nil
}

// terminalView is what the page shows of a command's end.
type terminalView struct {
	Kind     string   `json:"kind"`
	Dir      string   `json:"dir"`
	ExitCode int      `json:"exitCode"`
	Signal   string   `json:"signal,omitempty"`
	TimedOut bool     `json:"timedOut,omitempty"`
	Left     []string `json:"left,omitempty"`
	Cut      *cutView `json:"cut,omitempty"`
}

// cutView says which part of the output is shown: bytes and lines of the whole, and
// bytes of its beginning and end.
type cutView struct {
	Total     int64 `json:"total"`
	Lines     int64 `json:"lines"`
	ShownHead int   `json:"shownHead"`
	ShownTail int   `json:"shownTail"`
}

// quietly keeps programs from waiting for a person: no pager, no editor, no prompt.
var quietly = []string{"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false",
	"EDITOR=false", "VISUAL=false", "TERM=dumb", "NO_COLOR=1", "DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "npm_config_yes=true"}

func (s shell) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := s.args(call)
	cmd, _ := s.Command(call)
	if call.Confirm != nil {
		if err := call.Confirm(ctx); err != nil {
			return nil, err
		}
	}
	out := newOutput(call.Output)
	defer out.close()
	running, end := context.WithCancel(ctx)
	defer end()
	p, err := s.box.Start(running, sandbox.Spec{
		Argv: []string{"bash", "-c", a.Command}, Dir: cmd.Dir, Env: append(quietly[:len(quietly):len(quietly)], call.Env...),
		Stdout: out, Stderr: out, Policy: call.Policy, Grace: stoppingGrace, Label: call.ID,
	})
	if err != nil {
		return nil, err
	}
	limit := min(cmp.Or(time.Duration(a.TimeoutMs)*time.Millisecond, commandLimit), commandMost)
	timedOut := waitFor(p, limit, end)
	<-p.Done()
	exit, err := p.Wait(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	return s.result(ctx, call, out, cmd, exit, limit, timedOut)
}

// waitFor waits for the end of a command and ends it where its time is over: TERM,
// and KILL after a grace.
func waitFor(p *sandbox.Process, limit time.Duration, kill context.CancelFunc) (timedOut bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.Done():
		return false
	case <-timer.C:
	}
	if p.Signal(syscall.SIGTERM) == nil {
		timer.Reset(timeoutGrace)
		select {
		case <-p.Done():
			return true
		case <-timer.C:
		}
	}
	kill()
	return true
}

func (s shell) result(ctx context.Context, call *tool.Call, out *output, cmd tool.Command, exit sandbox.Exit, limit time.Duration, timedOut bool) (*tool.Result, error) {
	view := terminalView{Kind: "terminal", Dir: cmd.Dir, ExitCode: exit.Code, Signal: exit.Signal, TimedOut: timedOut, Left: exit.Left}
	r := &tool.Result{Failed: exit.Code != 0 || timedOut, View: &view}
	text, err := out.shown(ctx, call.Log, r, &view)
	if err != nil {
		return nil, err
	}
	var notes []string
	switch {
	case timedOut:
		r.Code = "TIMEOUT"
		notes = append(notes, fmt.Sprintf("timed out after %s and was ended; give timeout_ms for more, or run less at once", limit))
	case exit.Stopped:
		r.Code = "STOPPED"
		notes = append(notes, "stopped before it ended")
	case exit.Signal != "":
		r.Code = "SIGNAL"
		notes = append(notes, "ended by the signal "+exit.Signal)
	case exit.Code != 0:
		r.Code = "EXIT_CODE"
		notes = append(notes, fmt.Sprintf("exit code %d", exit.Code))
	}
	if len(exit.Left) > 0 {
		notes = append(notes, "left running and ended with it: "+strings.Join(exit.Left, ", "))
	}
	if text == "" {
		text = "(no output)"
	}
	for _, n := range notes {
		text += "\n[" + n + "]"
	}
	r.Content = llm.Text(text)
	return r, nil
}

// scriptsOf gives the files a command would run as programs or scripts, with the
// identity of their bytes: what runs must be what was approved.
func scriptsOf(cmd tool.Command) map[string]string {
	binds := map[string]string{}
	for _, path := range commandFiles(cmd) {
		if id, err := tool.Identity(path); err == nil {
			binds[path] = id
		}
	}
	return binds
}
