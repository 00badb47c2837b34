package toolbox

import (
	"context"
	"encoding/json"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// jobView is a job as a person sees it.
type jobView struct {
	JobState
	// Output is its last part, where one job is asked for.
	Output string `json:"output,omitempty"`
}

// offer registers what a person sees of jobs and can do to them.
func (j *jobs) offer(f *graph.Fiber) {
	command.RegisterViews(f, command.View{
		Name: "jobs", Scope: command.Session, Summary: "What runs beside the turns: background commands and terminals; with a job, the last part of its output.",
		Params: []string{"job"}, Read: j.read,
	})
	command.Register(f, command.Command{
		Name: "job.stop", Scope: command.Session, Summary: "End a background command or a terminal, with everything it started.",
		Params: json.RawMessage(`{"type":"object","properties":{"job":{"type":"string"}},"required":["job"],"additionalProperties":false}`),
		Run:    j.stop,
	})
}

func (j *jobs) agent(ctx context.Context, id string) (*agent.Agent, error) {
	host, ok := graph.Lookup(j.realm, agent.HostKey)
	if !ok {
		return nil, fault.New(fault.Unavailable, "toolbox.jobs", "This process drives no sessions. Nothing was changed.")
	}
	return host.Open(ctx, session.ID(id))
}

func (j *jobs) read(ctx context.Context, q command.Query) (any, error) {
	a, err := j.agent(ctx, q.Session)
	if err != nil {
		return nil, err
	}
	state, err := session.StateOf(a.Log(), jobsFold)
	if err != nil {
		return nil, err
	}
	list := []jobView{}
	for _, s := range state.Jobs {
		if want := q.Params["job"]; want != "" && want != s.Job {
			continue
		}
		v := jobView{JobState: s}
		o, here := j.find(a.Log(), s.Job)
		if !here && s.State == jobRunning {
			v.State = jobLost
		}
		if here && q.Params["job"] != "" {
			text, _ := legible(o.out.keep.last())
			v.Output = o.call.Redacted(text)
		}
		list = append(list, v)
	}
	return list, nil
}

func (j *jobs) stop(ctx context.Context, c command.Call) (any, error) {
	var args struct{ Job string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, fault.Wrap(fault.Invalid, "toolbox.job", err, "job.stop names a job. Nothing was changed.")
	}
	a, err := j.agent(ctx, c.Session)
	if err != nil {
		return nil, err
	}
	o, here := j.find(a.Log(), args.Job)
	if !here || o.over() {
		return nil, fault.New(fault.NotFound, "toolbox.job", "The job %q does not run. Nothing was changed.", args.Job).WithCode(codeNoJob)
	}
	o.end("person", stopGrace)
	return struct{}{}, nil
}
