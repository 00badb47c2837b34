package ptc

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/script"
	"fairlead/session"
	"fairlead/tool"
)

// Replayed is what came of making a run again.
type Replayed struct {
	// Text is what the model would read now, Logged what it read.
	Text, Logged string
	// Calls are those that the program made, as tool and arguments, in order.
	Calls []string
}

// Replay makes the run of a call again: the same code, clock and chance, each of its
// calls answered with the result that the log holds, in the order in which the answers
// came. No tool runs. uses finds the tool of a name, nil where there is none any more.
// It fails with fault.NotFound where the log has no such run, and with fault.Conflict
// where the program makes a call that is not in the log.
func Replay(ctx context.Context, engine *script.Engine, log *session.Log, call string, uses func(name string) tool.Tool) (Replayed, error) {
	t, err := record(log, call)
	if err != nil {
		return Replayed{}, err
	}
	var out Replayed
	var printed strings.Builder
	waiting := map[int]*script.Call{}
	next := 0
	// answer settles what the log says was settled next, as soon as it was asked for.
	answer := func() {
		for ; next < len(t.view.Settled); next++ {
			c := waiting[t.view.Settled[next]]
			if c == nil {
				return
			}
			result := t.results[callID(call, c.Number)]
			if result == nil {
				c.Reject(script.Thrown{Tool: c.Name, Message: "A program cannot run another program; put the code into this one.", Code: "NESTED_PROGRAM"})
				continue
			}
			settle(c, tool.Outcome{Call: &tool.Call{Uses: uses(c.Name)}, Logged: result})
		}
	}
	var strange error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	program := programOf(call, t.code, t.view.At, t.view.Tools, 0)
	program.Print = func(_, text string) { printed.WriteString(text + "\n") }
	program.Call = func(c *script.Call) {
		made := c.Name + " " + string(c.Args)
		out.Calls = append(out.Calls, made)
		if then := t.calls[callID(call, c.Number)]; then != made && c.Name != Name {
			strange = fault.New(fault.Conflict, "ptc.replay", "Call %d of the run is %s; the log has %s.", c.Number, made, then)
			stop()
			return
		}
		waiting[c.Number] = c
		answer()
	}
	result, err := engine.Run(ctx, program)
	if strange != nil {
		return out, strange
	}
	out.Text, out.Logged = said(printed.String(), result.Value, err), t.text
	return out, nil
}

// tape is a recorded run.
type tape struct {
	code    string
	text    string
	view    view
	calls   map[string]string // tool and arguments by id
	results map[string]*session.ToolResultData
}

func record(log *session.Log, call string) (*tape, error) {
	t := &tape{calls: map[string]string{}, results: map[string]*session.ToolResultData{}}
	ended := false
	for e, err := range log.Events(1) {
		if err != nil {
			return nil, err
		}
		switch {
		case session.ToolCall.Of(e) || session.ToolSubcall.Of(e):
			decode := session.ToolCall.Decode
			if session.ToolSubcall.Of(e) {
				decode = session.ToolSubcall.Decode
			}
			d, err := decode(e)
			if err != nil {
				return nil, err
			}
			if d.Call == call && d.Tool == Name {
				var a struct{ Code string }
				if err := json.Unmarshal([]byte(d.Arguments), &a); err != nil {
					return nil, err
				}
				t.code = a.Code
			}
			if d.Parent == call {
				t.calls[d.Call] = d.Tool + " " + d.Arguments
			}
		case session.ToolResult.Of(e):
			d, err := session.ToolResult.Decode(e)
			if err != nil {
				return nil, err
			}
			if d.Parent == call {
				if d.Spill != nil {
					whole, err := log.Blob(d.Spill.SHA256)
					if err != nil {
						return nil, err
					}
					d.Content = llm.Text(string(whole))
				}
				t.results[d.Call] = &d
			}
			if d.Call == call {
				ended = json.Unmarshal(d.View, &t.view) == nil && t.view.Kind == "program"
				t.text = llm.Plain(d.Content)
			}
		}
	}
	if !ended {
		return nil, fault.New(fault.NotFound, "ptc.replay", "The session has no run of a program under %s that ended.", strconv.Quote(call))
	}
	return t, nil
}
