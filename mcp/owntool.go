package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/tool"
)

// The kinds of own tools. The third one, a server, stands in mcp.servers.
const (
	ownText = "instructions"
	ownRun  = "command"
)

// What bounds an own tool.
const (
	ownLimit      = 2 * time.Minute
	mostOwnText   = 64 << 10  // bytes of instructions, and of what a model gives a command
	mostOwnOutput = 256 << 10 // bytes kept of what a command prints
	inputVariable = "FAIRLEAD_INPUT"
)

// checkOwn says what is wrong with the settings of an own tool.
func checkOwn(name string, config tool.Own) error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "mcp.settings", "The own tool %q is not used: "+format+". Correct it in the settings.", append([]any{name}, args...)...)
	}
	switch {
	case !validName(name):
		return wrong("its name may have letters, digits, - and _, at most 32")
	case config.Description == "":
		return wrong("it has no description")
	case config.Kind != ownText && config.Kind != ownRun:
		return wrong("its kind is instructions or command, not %q", config.Kind)
	case config.Kind == ownText && (config.Text == "" || config.Command != ""):
		return wrong("instructions need a text, and no command")
	case config.Kind == ownRun && (config.Command == "" || config.Text != ""):
		return wrong("a command tool needs a command, and no text")
	case len(config.Text) > mostOwnText:
		return wrong("its text has more than %d bytes", mostOwnText)
	}
	for _, dir := range config.Write {
		if !filepath.IsAbs(dir) {
			return wrong("%q, which it may change, is not absolute", dir)
		}
	}
	for _, name := range config.Env {
		if strings.ContainsAny(name, "= ") || name == "" || name == inputVariable {
			return wrong("env names variables, without values: %q is no name", name)
		}
	}
	return nil
}

// own is what both kinds of own tools say of themselves.
type own struct{ name, about string }

// Rare keeps it out of requests: a switch of the person leaves their beginning as it is.
func (o own) Rare() string { return tool.OutsideLine(o.about, mostLine) }

func (o own) Present(*tool.Call) session.Present { return session.Present{Verb: "use", What: o.name} }

// ownInstructions gives the model a text that the person wrote.
type ownInstructions struct {
	own
	text string
}

func (o ownInstructions) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: o.name, Description: o.about, Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}
}

func (ownInstructions) ReadOnly(*tool.Call) bool { return true }

func (o ownInstructions) Run(context.Context, *tool.Call) (*tool.Result, error) {
	return tool.Text(o.text), nil
}

// ownCommand runs a command line of the person, as it was approved.
type ownCommand struct {
	own
	config tool.Own
	digest string
	tools  *ownTools
}

func (o *ownCommand) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: o.name, Description: o.about,
		Parameters: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string","description":"a text for the command"}},"additionalProperties":false}`)}
}

func (o *ownCommand) Limit(*tool.Call) time.Duration { return cmp.Or(o.config.Limit, ownLimit) }

func (*ownCommand) input(call *tool.Call) (string, error) {
	var a struct{ Input string }
	err := call.Decode(&a)
	return a.Input, err
}

// Card shows the whole command, and apart from it the model's text.
func (o *ownCommand) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	input, err := o.input(call)
	if err != nil {
		return nil, err
	}
	card := &tool.Card{Title: "run-command", Hero: o.config.Command,
		Parts: []tool.CardPart{{Name: "command", Kind: "command", Text: o.config.Command}, {Name: "arguments", Kind: "text", Text: input}}}
	if o.config.Network {
		card.Facts = append(card.Facts, tool.Fact{Key: "card.network-open"})
	}
	return card, nil
}

// Run runs the command confined as the settings say, whatever the mode. The model's
// text is in one variable of its environment and nowhere else.
func (o *ownCommand) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	input, err := o.input(call)
	if err != nil {
		return nil, err
	}
	if len(input) > mostOwnText || strings.ContainsRune(input, 0) {
		return nil, fault.New(fault.TooLarge, "own.run", "The input may have %d bytes and no zero byte. Nothing was run.", mostOwnText)
	}
	name := strings.TrimPrefix(o.name, tool.OwnPrefix)
	if now := settings.Get(o.tools.document, tool.Section).Own[name]; o.tools.state(name, now).State != "ready" || digestOf(now) != o.digest {
		return nil, fault.New(fault.Denied, "own.run", "The own tool %s was changed or switched off meanwhile, so it was not run.", name).WithCode(CodeQuarantined)
	}
	folder := call.Folder
	if folder == "" {
		folder = o.tools.deps.dir
	}
	policy, err := o.policy(call.Folder)
	if err != nil {
		return nil, err
	}
	out := &ownOutput{tell: call.Output}
	spec := sandbox.Spec{Argv: []string{"bash", "-c", o.config.Command}, Dir: folder, Stdout: out, Stderr: out,
		Policy: policy, Grace: endGrace, Label: call.ID, Env: []string{inputVariable + "=" + input}}
	for _, name := range o.config.Env {
		if value := o.tools.deps.secret(name); value != "" {
			spec.Env = append(spec.Env, name+"="+value)
		}
	}
	p, err := o.tools.deps.box.Start(ctx, spec)
	if fault.CodeOf(err) == "no-program" {
		spec.Argv[0] = "sh"
		p, err = o.tools.deps.box.Start(ctx, spec)
	}
	if err != nil {
		return nil, err
	}
	exit, err := p.Wait(context.WithoutCancel(ctx)) // it ends with ctx
	if err != nil || ctx.Err() != nil {
		return nil, cmp.Or(err, context.Cause(ctx))
	}
	return o.result(exit, out.text()), nil
}

func (o *ownCommand) result(exit sandbox.Exit, text string) *tool.Result {
	r := tool.Text(text)
	if exit.Code != 0 {
		r = tool.Text(strings.TrimSpace(fmt.Sprintf("%s\n[exit code %d]", text, exit.Code)))
		r.Failed, r.Code = true, "EXIT"
	}
	if len(exit.Appeared) > 0 {
		r.Content = append(r.Content, llm.Text("\n[protected files came into being: "+strings.Join(exit.Appeared, ", ")+"]")...)
	}
	return r
}

// policy is what the settings let the command do; the product's own folders and
// protected paths are out of its reach everywhere.
func (o *ownCommand) policy(folder string) (sandbox.Policy, error) {
	p := sandbox.Policy{Write: append([]string{}, o.config.Write...), Network: o.config.Network}
	if o.config.Workspace && folder != "" {
		resolved, err := tool.Resolve(folder)
		if err != nil {
			return p, err
		}
		p.Write = append(p.Write, resolved)
	}
	p.Deny = protectedIn(p.Write, o.tools.deps.own)
	return p, nil
}

// ownOutput keeps the beginning of what a command prints, and passes it on.
type ownOutput struct {
	tell func(string)

	mu    sync.Mutex
	kept  bytes.Buffer
	total int
}

func (o *ownOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total += len(p)
	if room := mostOwnOutput - o.kept.Len(); room > 0 {
		o.kept.Write(p[:min(room, len(p))])
		if o.tell != nil {
			o.tell(tool.Outside(string(p)))
		}
	}
	return len(p), nil
}

func (o *ownOutput) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := tool.Outside(strings.ToValidUTF8(o.kept.String(), "\uFFFD"))
	if o.total > mostOwnOutput {
		text += fmt.Sprintf("\n[%d bytes more were printed and left out]", o.total-mostOwnOutput)
	}
	return text
}
