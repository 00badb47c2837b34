package toolbox

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed shell.md
var shellText string

// Time limits of a command, and how long it may take to end by itself at one.
const (
	shellTimeout = 60 * time.Second
	shellLongest = 600 * time.Second
	shellGrace   = 10 * time.Second // at its time limit
	stopGrace    = time.Second      // at Stop
)

// Codes of commands that did not work.
const (
	codeExit     = "EXIT_CODE"
	codeSignal   = "SIGNAL"
	codeNoFolder = "NOT_FOUND"
)

// nobody are the variables that tell programs that nobody is there: no pager, no
// editor, no question, no colours.
var nobody = []string{
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "EDITOR=true", "VISUAL=true", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
	"GIT_MERGE_AUTOEDIT=no", "GIT_TERMINAL_PROMPT=0", "PIP_NO_INPUT=1", "npm_config_yes=true", "GIT_ASKPASS=true", "SSH_ASKPASS=true", "SUDO_ASKPASS=/bin/false", "DEBIAN_FRONTEND=noninteractive", "NO_COLOR=1", "TERM=dumb",
}

// shell is the tool of that name.
type shell struct {
	box  sandbox.Sandbox
	jobs *jobs
}

type shellArgs struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	Dir         string `json:"dir"`
	TimeoutMs   int64  `json:"timeout_ms"`
	Background  bool   `json:"background"`
}

func (shell) Schema() llm.ToolSchema {
	return schema("shell", shellText, `{"type":"object","properties":{"command":{"type":"string","minLength":1},"description":{"type":"string","description":"why, in a few words"},"dir":{"type":"string"},"timeout_ms":{"type":"integer","minimum":1,"maximum":600000},"background":{"type":"boolean"}},"required":["command"],"additionalProperties":false}`)
}

func (shell) args(call *tool.Call) shellArgs {
	var a shellArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (a shellArgs) limit() time.Duration {
	return min(cmp.Or(time.Duration(a.TimeoutMs)*time.Millisecond, shellTimeout), shellLongest)
}

func (s shell) Present(call *tool.Call) session.Present {
	return presentCommand(s.args(call).Command)
}

// presentCommand shows a call by the first line of its command.
func presentCommand(text string) session.Present {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		first += " …"
	}
	return session.Present{Verb: "run", What: first, Full: text}
}

func (s shell) Command(call *tool.Call) (tool.Command, bool) {
	a := s.args(call)
	dir, err := commandFolder(call, a.Dir)
	if err != nil {
		dir = asked(call, a.Dir)
	}
	return tool.Command{Shell: "bash", Text: a.Command, Dir: dir}, true
}

func (s shell) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := s.args(call)
	return commandCard(call, a.Command, a.Description, a.Dir)
}

// commandCard shows a command whole and where it starts, and binds the yes to the
// script files that it names.
func commandCard(call *tool.Call, text, why, dir string) (*tool.Card, error) {
	folder, err := commandFolder(call, dir)
	if err != nil {
		return nil, err
	}
	return &tool.Card{
		Title: "run-command", Hero: text, Why: why,
		Facts: []tool.Fact{{Key: "card.runs-in", Values: map[string]any{"path": folder}}},
		Parts: []tool.CardPart{{Name: "command", Kind: "command", Text: text}},
		Binds: scriptsOf(tool.Command{Shell: "bash", Text: text, Dir: folder}),
	}, nil
}

// commandFolder is the folder a command starts in. Where it starts gives it no
// right there: what it may change is policy's to say.
func commandFolder(call *tool.Call, dir string) (string, error) {
	if dir == "" && call.Folder == "" {
		return "", fault.New(fault.Invalid, "toolbox.shell", "This session has no folder, so the command needs one: give \"dir\". Nothing was run.")
	}
	return resolve(call, dir)
}

// child describes a command as a child: confined as the gate said, with nobody at
// the keyboard.
func child(call *tool.Call, command, folder string) sandbox.Spec {
	spec := sandbox.Spec{
		Argv: []string{"bash", "-c", command}, Dir: folder, Env: slices.Concat(nobody, call.Env),
		Policy: call.Policy, Grace: stopGrace, Label: call.ID,
	}
	if len(call.Policy.Write) > 0 && !call.Policy.Wide() {
		spec.Temp = string(call.Log.ID())
	}
	return spec
}

// start starts a command; where there is no bash, the system's own shell runs it.
func start(ctx context.Context, s sandbox.Sandbox, spec sandbox.Spec) (*sandbox.Process, error) {
	p, err := s.Start(ctx, spec)
	if fault.CodeOf(err) == "no-program" && spec.Argv[0] == "bash" {
		spec.Argv = append([]string{"sh"}, spec.Argv[1:]...)
		p, err = s.Start(ctx, spec)
	}
	if fault.CodeOf(err) == "no-folder" {
		return nil, fault.Wrap(fault.KindOf(err), "toolbox.shell", err, "%s", fault.Person(err)).WithCode(codeNoFolder)
	}
	return p, err
}

// Waits is true: a command gets ready while the log is written.
func (shell) Waits(*tool.Call) bool { return true }

// ready is the last look before a command starts: the log has it, and what it would
// run is still what was approved.
func ready(ctx context.Context, call *tool.Call) error {
	if err := call.Durable(); err != nil || call.Confirm == nil {
		return err
	}
	return call.Confirm(ctx)
}

func (s shell) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := s.args(call)
	folder, err := commandFolder(call, a.Dir)
	if err != nil {
		return nil, err
	}
	spec := child(call, a.Command, folder)
	if a.Background {
		return s.jobs.background(ctx, call, a.Command, spec)
	}
	spec.Ready = func() error { return ready(ctx, call) }
	first, set, err := s.run(ctx, call, a, spec)
	if err != nil || !set.found() {
		return first, err
	}
	var answer tool.Answer
	if ctx.Err() == nil {
		if answer, err = call.AskRerun(ctx, set.paths); err != nil {
			return nil, err
		}
	}
	if !answer.Approved {
		first.Content = llm.Text(strings.Join(append([]string{llm.Plain(first.Content)}, set.notes(call, answer)...), "\n"))
		return first, nil
	}
	note := set.allowed(call)
	if call.Output != nil {
		call.Output("\n" + note + "\n")
	}
	spec.Policy = call.Policy
	second, left, err := s.run(ctx, call, a, spec)
	if err != nil {
		return nil, err
	}
	notes := append([]string{"", note, llm.Plain(second.Content)}, left.notes(call, tool.Answer{})...)
	second.Content = llm.Text(llm.Plain(first.Content) + strings.Join(notes, "\n"))
	return second, nil
}

// run runs a command once, and says what it met of protected paths.
func (s shell) run(ctx context.Context, call *tool.Call, a shellArgs, spec sandbox.Spec) (r *tool.Result, set guarded, err error) {
	out := newOutput(call.Output)
	defer out.close()
	spec.Stdout, spec.Stderr = out, out
	began := time.Now()
	p, err := start(ctx, s.box, spec)
	if err != nil {
		return nil, set, err
	}
	limit := time.NewTimer(a.limit())
	defer limit.Stop()
	e := ending{call: call, folder: spec.Dir}
	select {
	case <-p.Done():
	case <-limit.C:
		e.late = a.limit()
		p.End(shellGrace)
	}
	e.exit, err = p.Wait(context.WithoutCancel(ctx))
	if err != nil {
		return nil, set, err
	}
	e.took = time.Since(began)
	out.end()
	return e.result(ctx, a.Command, out)
}

// ending is how a command ended.
type ending struct {
	call   *tool.Call
	folder string
	exit   sandbox.Exit
	took   time.Duration
	late   time.Duration // the time limit it passed; 0 where it did not
}

// terminalView is what the page shows of a command.
type terminalView struct {
	Kind      string   `json:"kind"`
	ExitCode  int      `json:"exitCode"`
	Signal    string   `json:"signal,omitempty"`
	TimedOut  bool     `json:"timedOut,omitempty"`
	Left      []string `json:"left,omitempty"`
	Cut       *cutView `json:"cut,omitempty"`
	Dir       string   `json:"dir,omitempty"`
	Protected []string `json:"protected,omitempty"`
	// Job is set where this is about a job; it may be Running.
	Job     string `json:"job,omitempty"`
	Running bool   `json:"running,omitempty"`
}

func (e ending) result(ctx context.Context, command string, out *output) (r *tool.Result, set guarded, err error) {
	shows, err := out.excerpt(context.WithoutCancel(ctx), e.call)
	if err != nil {
		return nil, set, err
	}
	v := terminalView{Kind: "terminal", ExitCode: e.exit.Code, Signal: e.exit.Signal, TimedOut: e.late > 0, Left: e.exit.Left, Cut: shows.cut, Dir: shown(e.call, e.folder)}
	r = &tool.Result{Spill: shows.spill, Failed: e.exit.Code != 0 || e.late > 0}
	notes := e.notes()
	if set, err = e.protect(command, shows.text); err != nil {
		return nil, set, err
	}
	v.Protected = set.names(e.call)
	if !set.found() && e.exit.Code != 0 && e.late == 0 {
		notes = append(notes, e.confinement(shows.text)...)
	}
	switch {
	case e.exit.Stopped && e.late == 0:
		r.Code = tool.CodeStopped
	case e.late > 0:
		r.Code = tool.CodeTimeout
	case e.exit.Signal != "":
		r.Code = codeSignal
	case r.Failed:
		r.Code = codeExit
	}
	text := strings.TrimSuffix(shows.text, "\n")
	if text == "" {
		text = "(no output)"
	}
	r.Content, r.View = llm.Text(strings.Join(append([]string{text}, notes...), "\n")), v
	return r, set, nil
}

// notes say in words how the command ended, where that is not plain.
func (e ending) notes() []string {
	var list []string
	switch {
	case e.late > 0:
		list = append(list, fmt.Sprintf("[timed out after %s and was ended; what it did until then stays. Give timeout_ms for more, run less at once, or run it in the background]", e.late))
	case e.exit.Stopped:
		list = append(list, fmt.Sprintf("[stopped after %s; what it did until then stays]", e.took.Round(100*time.Millisecond)))
	case e.exit.Signal != "":
		list = append(list, fmt.Sprintf("[ended by %s]", e.exit.Signal))
	case e.exit.Code != 0:
		list = append(list, fmt.Sprintf("[exit code %d]", e.exit.Code))
	}
	if len(e.exit.Left) > 0 && !e.exit.Stopped {
		list = append(list, fmt.Sprintf("[still running at the end, and ended: %s. What is to go on is started with background]", strings.Join(e.exit.Left, "; ")))
	}
	return list
}
