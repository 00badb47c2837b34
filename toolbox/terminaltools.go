package toolbox

import (
	"context"
	_ "embed"
	"strings"
	"syscall"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed terminal_open.md
var terminalOpenText string

//go:embed terminal_send.md
var terminalSendText string

//go:embed terminal_read.md
var terminalReadText string

//go:embed terminal_signal.md
var terminalSignalText string

//go:embed terminal_close.md
var terminalCloseText string

//go:embed terminal_list.md
var terminalListText string

// terminalTools are the tools for terminals. All are rare ones.
func terminalTools(j *jobs) []tool.Tool {
	return []tool.Tool{terminalOpen{j}, terminalSend{j}, terminalRead{j}, terminalSignal{j}, terminalClose{j}, terminalList{j}}
}

type terminalArgs struct {
	Terminal string `json:"terminal"`
	Command  string `json:"command"`
	Dir      string `json:"dir"`
	Text     string `json:"text"`
	Enter    *bool  `json:"enter"`
	WaitMs   *int64 `json:"wait_ms"`
	Signal   string `json:"signal"`
}

func terminalArguments(call *tool.Call) terminalArgs {
	var a terminalArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (a terminalArgs) wait() time.Duration {
	if a.WaitMs == nil {
		return terminalWait
	}
	return min(time.Duration(*a.WaitMs)*time.Millisecond, longestWait)
}

// keys is what is typed.
func (a terminalArgs) keys() string {
	if a.Enter != nil && !*a.Enter {
		return a.Text
	}
	return a.Text + "\n"
}

// terminal finds the terminal a call is about.
func (j *jobs) terminal(call *tool.Call) (*job, error) {
	id := terminalArguments(call).Terminal
	o, here := j.find(call.Log, id)
	if !here || o.term == nil {
		return nil, fault.New(fault.NotFound, "toolbox.terminal", "There is no terminal %q. terminal_list names those that are open. Nothing was done.", id).WithCode(codeNoJob)
	}
	return o, nil
}

// terminalOpen opens one. What it may change is settled then, so the person is asked.
type terminalOpen struct{ jobs *jobs }

func (terminalOpen) Rare() string { return "a terminal that stays, for programs that want a dialogue" }

func (terminalOpen) Schema() llm.ToolSchema {
	return schema("terminal_open", terminalOpenText, `{"type":"object","properties":{"command":{"type":"string"},"dir":{"type":"string"}},"additionalProperties":false}`)
}

func (terminalOpen) command(call *tool.Call) string {
	if a := terminalArguments(call); a.Command != "" {
		return a.Command
	}
	return "bash"
}

func (t terminalOpen) Present(call *tool.Call) session.Present {
	p := presentCommand(t.command(call))
	p.Verb = "open"
	return p
}

func (t terminalOpen) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	return commandCard(call, t.command(call), "", terminalArguments(call).Dir)
}

func (t terminalOpen) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := terminalArguments(call)
	folder, err := commandFolder(call, a.Dir)
	if err != nil {
		return nil, err
	}
	o, err := t.jobs.openTerminal(ctx, call, a.Command, folder)
	if err != nil {
		return nil, err
	}
	if a.Command != "" {
		o.ready(ctx, terminalWait)
	}
	return o.screen("Opened " + o.Job + ".")
}

// terminalSend types into one. Whatever is typed may be a command, and it runs in
// confines that were set when the terminal was opened: so nothing is proved to only
// look, and each text is asked about.
type terminalSend struct{ jobs *jobs }

func (terminalSend) Rare() string { return "type into a terminal and see what it shows" }

func (terminalSend) Schema() llm.ToolSchema {
	return schema("terminal_send", terminalSendText, `{"type":"object","properties":{"terminal":{"type":"string"},"text":{"type":"string"},"enter":{"type":"boolean"},"wait_ms":{"type":"integer","minimum":0,"maximum":600000}},"required":["terminal","text"],"additionalProperties":false}`)
}

func (terminalSend) Present(call *tool.Call) session.Present {
	return presentCommand(terminalArguments(call).Text)
}

func (terminalSend) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := terminalArguments(call)
	return &tool.Card{Title: "run-command", Hero: a.Text, Parts: []tool.CardPart{{Name: "command", Kind: "command", Path: a.Terminal, Text: a.keys()}}}, nil
}

func (t terminalSend) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	o, err := t.jobs.terminal(call)
	if err != nil {
		return nil, err
	}
	a := terminalArguments(call)
	if o.over() {
		return o.screen("")
	}
	if _, err := o.term.tty.Write([]byte(a.keys())); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "toolbox.terminal", err, "The terminal %s takes no input any more. Nothing was typed.", o.Job)
	}
	o.ready(ctx, a.wait())
	return o.screen("")
}

// terminalRead looks at one.
type terminalRead struct{ jobs *jobs }

func (terminalRead) Rare() string { return "what a terminal has shown since" }

func (terminalRead) Schema() llm.ToolSchema {
	return schema("terminal_read", terminalReadText, `{"type":"object","properties":{"terminal":{"type":"string"},"wait_ms":{"type":"integer","minimum":0,"maximum":600000}},"required":["terminal"],"additionalProperties":false}`)
}

func (terminalRead) ReadOnly(*tool.Call) bool { return true }

func (terminalRead) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "read", What: terminalArguments(call).Terminal, Looks: true}
}

func (t terminalRead) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	o, err := t.jobs.terminal(call)
	if err != nil {
		return nil, err
	}
	if a := terminalArguments(call); a.WaitMs != nil {
		o.ready(ctx, a.wait())
	}
	return o.screen("")
}

// terminalSignal signals what runs in one. It ends or holds what the model started,
// so nobody need be asked.
type terminalSignal struct{ jobs *jobs }

func (terminalSignal) Rare() string { return "a signal for what runs in a terminal" }

// terminalSignals are the signals by name.
func terminalSignals(name string) syscall.Signal {
	return map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT}[name]
}

func (terminalSignal) Schema() llm.ToolSchema {
	return schema("terminal_signal", terminalSignalText, `{"type":"object","properties":{"terminal":{"type":"string"},"signal":{"enum":["INT","TERM","KILL","HUP","QUIT"]}},"required":["terminal","signal"],"additionalProperties":false}`)
}

func (terminalSignal) ReadOnly(*tool.Call) bool { return true }

func (terminalSignal) Present(call *tool.Call) session.Present {
	a := terminalArguments(call)
	return session.Present{Verb: "run", What: strings.TrimSpace("signal " + a.Signal + " " + a.Terminal)}
}

func (t terminalSignal) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	o, err := t.jobs.terminal(call)
	if err != nil {
		return nil, err
	}
	a := terminalArguments(call)
	if !o.over() && o.term.idle() && a.Signal != "INT" {
		return nil, fault.New(fault.Invalid, "toolbox.terminal", "Nothing but the shell runs in %s. Nothing was signalled; terminal_close ends the shell.", o.Job)
	}
	if err := o.term.tty.Signal(terminalSignals(a.Signal)); err != nil && !o.over() {
		return nil, err
	}
	o.ready(ctx, terminalWait)
	return o.screen("")
}

// terminalClose ends one.
type terminalClose struct{ jobs *jobs }

func (terminalClose) Rare() string { return "close a terminal" }

func (terminalClose) Schema() llm.ToolSchema {
	return schema("terminal_close", terminalCloseText, `{"type":"object","properties":{"terminal":{"type":"string"}},"required":["terminal"],"additionalProperties":false}`)
}

func (terminalClose) ReadOnly(*tool.Call) bool { return true }

func (terminalClose) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "run", What: "close " + terminalArguments(call).Terminal}
}

func (t terminalClose) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	o, err := t.jobs.terminal(call)
	if err != nil {
		return nil, err
	}
	o.end("model", 0) // an interactive shell does not end at TERM
	return o.screen("")
}

// terminalList lists them.
type terminalList struct{ jobs *jobs }

func (terminalList) Rare() string { return "the open terminals" }

func (terminalList) Schema() llm.ToolSchema {
	return schema("terminal_list", terminalListText, `{"type":"object","properties":{},"additionalProperties":false}`)
}

func (terminalList) ReadOnly(*tool.Call) bool { return true }

func (terminalList) Present(*tool.Call) session.Present {
	return session.Present{Verb: "read", What: "terminals", Looks: true}
}

func (t terminalList) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	if lines := t.jobs.terminals(call.Log); len(lines) > 0 {
		return tool.Text(strings.Join(lines, "\n")), nil
	}
	return tool.Text("There are no terminals in this session."), nil
}
