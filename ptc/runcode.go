package ptc

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/script"
	"fairlead/session"
	"fairlead/tool"
)

// Name is the tool's.
const Name = "run_code"

//go:embed runcode.md
var runCodeText string

// runCode is the tool of that name.
type runCode struct {
	registry *tool.Registry
	engine   *script.Engine
	options  Options
}

func (*runCode) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: Name, Description: strings.TrimSpace(runCodeText),
		Parameters: json.RawMessage(`{"type":"object","properties":{"code":{"type":"string"}},"required":["code"],"additionalProperties":false}`)}
}

func code(call *tool.Call) string {
	var a struct{ Code string }
	_ = call.Decode(&a) // the arguments passed the schema
	return a.Code
}

// ReadOnly holds because a program has no authority of its own: whatever it does is a
// call that is judged by itself.
func (*runCode) ReadOnly(*tool.Call) bool { return true }

// Nests says that calls come of it.
func (*runCode) Nests() {}

// Check reads the program, so that nothing of one that cannot be read is run.
func (*runCode) Check(_ context.Context, call *tool.Call) error { return script.Check("", code(call)) }

// Present shows the first line that says something.
func (*runCode) Present(call *tool.Call) session.Present {
	whole := code(call)
	p := session.Present{Verb: "run", What: Name, Full: whole}
	for line := range strings.Lines(whole) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "/ \t")); line != "" {
			p.What = line
			break
		}
	}
	return p
}

// view is what the page shows of a run, and with the logged calls all that a replay
// needs. The calls themselves are the events whose parent is the run.
type view struct {
	Kind string `json:"kind"` // "program"
	// Calls were made, Failed of them failed.
	Calls  int `json:"calls"`
	Failed int `json:"failed,omitempty"`
	// At is what the program's clock said, Unix milliseconds.
	At int64 `json:"at"`
	// Tools are the names that the program found in tools.
	Tools []string `json:"tools,omitempty"`
	// Settled are the numbers of the calls in the order in which the program got their
	// answers; call n of run c has the id c.n.
	Settled []int `json:"settled,omitempty"`
}

func (t *runCode) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &run{tool: t, call: call, series: t.registry.Series(ctx, call.Realm()), view: view{Kind: "program", At: time.Now().UnixMilli(), Tools: names(t.registry, call)}}
	program := programOf(call.ID, code(call), r.view.At, r.view.Tools, t.options.Calls)
	program.Call, program.Print = r.begin, r.print
	out, err := t.engine.Run(ctx, program)
	if err != nil {
		stop() // what is still under way is not wanted any more
	}
	r.series.Wait()
	return r.result(out, err), nil
}

// programOf is the program as it is run and as it is run again: what it knows beside its
// calls is worked out from its arguments.
func programOf(id, code string, at int64, tools []string, calls int) script.Program {
	return script.Program{Code: code, Tools: tools, Now: time.UnixMilli(at), Seed: id, Budget: script.Budget{Patient: true, Calls: calls}}
}

// names are what the program finds in `tools`.
func names(registry *tool.Registry, call *tool.Call) []string {
	schemas := bound(registry, call.Realm())
	all := make([]string, len(schemas))
	for i, s := range schemas {
		all[i] = s.Name
	}
	return all
}

// run is one program under way.
type run struct {
	tool   *runCode
	call   *tool.Call
	series *tool.Series

	mu       sync.Mutex
	printed  strings.Builder
	view     view
	pictures []llm.Part
	changed  []string
	endsTurn bool
}

// print takes a line of output; viewers get it at once.
func (r *run) print(_, text string) {
	text += "\n"
	r.mu.Lock()
	r.printed.WriteString(text)
	r.mu.Unlock()
	r.call.Output(text)
}

// begin sends a call of the program on its way through the pipeline.
func (r *run) begin(c *script.Call) {
	if c.Name == Name {
		c.Reject(script.Thrown{Code: "NESTED_PROGRAM", Message: "A program cannot run another program; put the code into this one."})
		return
	}
	r.mu.Lock()
	r.view.Calls++
	r.mu.Unlock()
	inner := &tool.Call{ID: callID(r.call.ID, c.Number), Parent: r.call.ID, Caller: tool.CallerProgram, Tool: c.Name, Raw: string(c.Args),
		Log: r.call.Log, Turn: r.call.Turn, Step: r.call.Step, Folder: r.call.Folder}
	r.series.Add(inner, func(o tool.Outcome) {
		r.note(o)
		settle(c, o)
	})
}

func callID(run string, number int) string { return fmt.Sprintf("%s.%d", run, number) }

// note keeps what of a call's outcome belongs to the whole run.
func (r *run) note(o tool.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Logged.Failed {
		r.view.Failed++
	}
	r.changed = append(r.changed, o.Changed...)
	r.endsTurn = r.endsTurn || o.EndsTurn
	for _, p := range o.Logged.Content {
		if p.MIME != "" && len(r.pictures) < mostPictures {
			r.pictures = append(r.pictures, p)
		}
	}
}

// mostPictures go to the model with one run.
const mostPictures = 8

// settle answers a call of a program with the result that the log holds.
func settle(c *script.Call, o tool.Outcome) {
	if o.Logged.Failed {
		c.Reject(script.Thrown{Tool: c.Name, Code: o.Logged.Code, Message: o.Plain()})
		return
	}
	c.ResolveText(o.Plain())
}

// result is what the model reads: what was printed, then what was returned.
func (r *run) result(out script.Output, err error) *tool.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.view.Settled = out.Settled
	result := &tool.Result{View: r.view, Changed: r.changed, EndsTurn: r.endsTurn}
	text := said(r.printed.String(), out.Value, err)
	if err != nil {
		result.Failed, result.Code = true, fault.CodeOf(err)
	}
	result.Content = append(llm.Text(text), r.pictures...)
	return result
}

// said puts together what a program has said.
func said(printed string, value json.RawMessage, err error) string {
	switch {
	case err != nil:
		return printed + fault.ForModel(err)
	case value != nil:
		return printed + script.Readable(value)
	case printed == "":
		return "The program ended. It printed and returned nothing."
	}
	return strings.TrimSuffix(printed, "\n")
}
