package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// ServeOptions say what another agent may do with this process.
type ServeOptions struct {
	Host *agent.Host
	// Folder is the workspace of sessions, absolute. A caller may name a folder in it.
	Folder string
	// Mode is the one that sessions run in: the person's choice, which no caller widens.
	Mode    string
	Version string
}

const (
	// longestWait bounds one call of session_follow, in milliseconds.
	longestWait = 50_000
	// mostLines is how many lines one answer tells.
	mostLines = 200
)

// NewServer makes an MCP server with which another agent runs sessions here, follows
// and stops them. It sees the sessions that were begun through it and no others. Ends
// of the transport stop what runs.
func NewServer(o ServeOptions) *sdk.Server {
	d := &desk{options: o, agents: map[session.ID]*agent.Agent{}}
	s := sdk.NewServer(&sdk.Implementation{Name: "fairlead", Version: o.Version}, &sdk.ServerOptions{
		Instructions: "Runs Fairlead sessions in " + o.Folder + ", in " + o.Mode + " mode. Start one with session_run, then call session_follow with the seq of the last answer until its state is idle.",
	})
	sdk.AddTool(s, &sdk.Tool{Name: "session_run", Description: "Begin a session with a task, or send a further message to one begun before. It returns at once; follow it with session_follow."}, d.run)
	sdk.AddTool(s, &sdk.Tool{Name: "session_follow", Description: "What happened in a session after an event number, waiting for news or its end. state is running or idle; answer is its last reply once it is idle."}, d.follow)
	sdk.AddTool(s, &sdk.Tool{Name: "session_stop", Description: "Stop what a session does now; it returns once that has ended."}, d.stop)
	sdk.AddTool(s, &sdk.Tool{Name: "session_list", Description: "The sessions begun here and what each does."}, d.list)
	return s
}

// desk keeps the sessions of one caller.
type desk struct {
	options ServeOptions

	mu     sync.Mutex
	agents map[session.ID]*agent.Agent
	order  []session.ID
}

type runIn struct {
	Prompt  string `json:"prompt" jsonschema:"the task, or the message"`
	Session string `json:"session,omitempty" jsonschema:"the session to go on with; a new one where it is left out"`
	Folder  string `json:"folder,omitempty" jsonschema:"the folder to work in, inside the workspace"`
}

type sessionIn struct {
	Session string `json:"session"`
}

type followIn struct {
	Session string `json:"session"`
	After   int64  `json:"after,omitempty" jsonschema:"the seq of the last answer; 0 from the beginning"`
	WaitMS  int    `json:"wait_ms,omitempty" jsonschema:"how long to wait for news, at most 50000"`
}

// report is what a caller learns of a session.
type report struct {
	Session string   `json:"session"`
	Seq     int64    `json:"seq"`
	State   string   `json:"state"`
	Events  []string `json:"events,omitempty"`
	Answer  string   `json:"answer,omitempty"`
	Ended   string   `json:"ended,omitempty" jsonschema:"why the last turn ended: completed, aborted, blocked, error"`
}

type reports struct {
	Sessions []report `json:"sessions"`
}

func (d *desk) run(ctx context.Context, _ *sdk.CallToolRequest, in runIn) (*sdk.CallToolResult, report, error) {
	if strings.TrimSpace(in.Prompt) == "" {
		return nil, report{}, fault.New(fault.Invalid, "mcp.run", "There is no task. Nothing was begun.")
	}
	a, err := d.agent(ctx, in)
	if err != nil {
		return nil, report{}, err
	}
	seq := a.Log().Seq()
	if _, err := a.Send(ctx, agent.Input{Content: llm.Text(in.Prompt), Mode: d.options.Mode}); err != nil {
		return nil, report{}, err
	}
	return nil, report{Session: string(a.ID()), Seq: seq, State: string(a.Status().State)}, nil
}

// agent gives the one that is named, or begins one.
func (d *desk) agent(ctx context.Context, in runIn) (*agent.Agent, error) {
	if in.Session != "" {
		return d.find(in.Session)
	}
	folder := d.options.Folder
	if in.Folder != "" {
		local := filepath.Clean(strings.TrimPrefix(in.Folder, folder+string(filepath.Separator)))
		if !filepath.IsLocal(local) {
			return nil, fault.New(fault.Denied, "mcp.run", "%q is not inside %s. Nothing was begun.", in.Folder, folder)
		}
		real, err := filepath.EvalSymlinks(filepath.Join(folder, local))
		if err != nil {
			return nil, fault.Wrap(fault.NotFound, "mcp.run", err, "There is no folder %q in %s. Nothing was begun.", in.Folder, folder)
		}
		if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) {
			return nil, fault.New(fault.Denied, "mcp.run", "%q leads out of %s. Nothing was begun.", in.Folder, folder)
		}
		folder = real
	}
	a, err := d.options.Host.Create(ctx, agent.Spec{Folder: folder, Mode: d.options.Mode})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.agents[a.ID()] = a
	d.order = append(d.order, a.ID())
	return a, nil
}

func (d *desk) find(id string) (*agent.Agent, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.agents[session.ID(id)]; a != nil {
		return a, nil
	}
	return nil, fault.New(fault.NotFound, "mcp.find", "No session %q was begun here. See session_list.", id)
}

func (d *desk) stop(ctx context.Context, _ *sdk.CallToolRequest, in sessionIn) (*sdk.CallToolResult, report, error) {
	a, err := d.find(in.Session)
	if err == nil {
		err = a.Cancel(ctx, "parent")
	}
	if err != nil {
		return nil, report{}, err
	}
	r, err := d.report(ctx, a, a.Log().Seq())
	return nil, r, err
}

func (d *desk) list(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, reports, error) {
	d.mu.Lock()
	order := append([]session.ID(nil), d.order...)
	d.mu.Unlock()
	out := reports{Sessions: []report{}}
	for _, id := range order {
		a, err := d.find(string(id))
		if err != nil {
			return nil, out, err
		}
		r, err := d.report(ctx, a, a.Log().Seq())
		if err != nil {
			return nil, out, err
		}
		r.Answer = ""
		out.Sessions = append(out.Sessions, r)
	}
	return nil, out, nil
}

func (d *desk) follow(ctx context.Context, _ *sdk.CallToolRequest, in followIn) (*sdk.CallToolResult, report, error) {
	a, err := d.find(in.Session)
	if err != nil {
		return nil, report{}, err
	}
	wait, cancel := context.WithTimeout(ctx, time.Duration(max(0, min(in.WaitMS, longestWait)))*time.Millisecond)
	defer cancel()
	if a.Status().State != agent.Idle && a.Log().Seq() <= in.After {
		for frame, err := range a.Log().Watch(wait, in.After) {
			if err != nil || frame.Event != nil {
				break // a failure shows in the report
			}
		}
	}
	if a.Status().State != agent.Idle {
		_ = a.Idle(wait) // the end of the wait is no failure
	}
	r, err := d.report(ctx, a, in.After)
	return nil, r, err
}

// report tells what happened after an event.
func (d *desk) report(ctx context.Context, a *agent.Agent, after int64) (report, error) {
	r := report{Session: string(a.ID()), State: string(a.Status().State), Seq: after}
	for e, err := range a.Log().Events(1) {
		if err != nil {
			return r, err
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		line := r.take(e)
		if e.Seq <= after {
			continue
		}
		r.Seq = e.Seq
		if line != "" && len(r.Events) < mostLines {
			r.Events = append(r.Events, line)
		}
	}
	if r.State != string(agent.Idle) {
		r.Answer, r.Ended = "", ""
	}
	return r, nil
}

// take notes what an event says of the answer and gives its line, "" for none.
func (r *report) take(e session.Event) string {
	switch {
	case session.TurnStart.Of(e):
		r.Answer, r.Ended = "", ""
	case session.AssistantMessage.Of(e):
		if m, err := session.AssistantMessage.Decode(e); err == nil {
			if text := llm.Plain(m.Content); text != "" {
				r.Answer = text
				return "says: " + text
			}
		}
	case session.ToolCall.Of(e):
		if c, err := session.ToolCall.Decode(e); err == nil {
			return fmt.Sprintf("%s %s", c.Present.Verb, c.Present.What)
		}
	case session.ToolResult.Of(e):
		if t, err := session.ToolResult.Decode(e); err == nil && t.Failed {
			return "failed: " + t.Code
		}
	case session.TurnEnd.Of(e):
		if t, err := session.TurnEnd.Decode(e); err == nil {
			r.Ended = t.Reason.Kind
			return strings.TrimSpace("ended: " + t.Reason.Kind + " " + t.Text)
		}
	}
	return ""
}
