package toolbox

import (
	"context"
	"fmt"
	"strings"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// originJob marks messages that the end of a job said.
const originJob = "job"

// mostWakes is how many turns in a row the ends of jobs may begin before a person
// says something: a job that starts a job must not run a session by itself.
const mostWakes = 3

// tell says to the model that a job has ended: with the next step where it works,
// by a turn of its own where it is idle.
func (j *jobs) tell(o *job) {
	host, ok := graph.Lookup(j.realm, agent.HostKey)
	if !ok {
		return
	}
	a, ok := host.Live(o.call.Log.ID())
	if !ok {
		return
	}
	text := fmt.Sprintf("[%s (%s) has %s. Its output: job_output]", o.Job, presentCommand(o.Command).What, o.status())
	state, err := session.StateOf(o.call.Log, jobsFold)
	if err == nil {
		if a.Status().State == agent.Idle && state.Wakes < mostWakes {
			_, err = a.Send(j.ctx, agent.Input{Content: llm.Text(text), Origin: originJob})
		} else {
			err = a.Inject(j.ctx, "jobs", text)
		}
	}
	if err != nil && j.ctx.Err() == nil {
		j.log.Warn("the model was not told of the end of a job", "session", o.call.Log.ID(), "job", o.Job, "error", err)
	}
}

// lost tells the model with its next step of the jobs that ended with a host before
// this one, and writes their end.
func (j *jobs) lost(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	admission, err := next(ctx, p)
	if err != nil || admission.Reject != nil {
		return admission, err
	}
	gone, err := j.settle(ctx, p.Agent.Log())
	if err != nil || len(gone) == 0 {
		return admission, err
	}
	var names []string
	for _, s := range gone {
		names = append(names, fmt.Sprintf("%s (%s)", s.Job, presentCommand(s.Command).What))
	}
	text := "[Fairlead was restarted. These were running then and are no more: " + strings.Join(names, ", ") + ". Start again what is still needed.]"
	note := session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("jobs-%d.%d", p.Turn, p.Step), Source: "jobs", Text: text})
	admission.Messages = append([]session.Draft{note}, admission.Messages...)
	return admission, nil
}

// settle writes the end of jobs that the log has running and this process has not.
func (j *jobs) settle(ctx context.Context, log *session.Log) (gone []JobState, err error) {
	state, err := session.StateOf(log, jobsFold)
	if err != nil {
		return nil, err
	}
	var drafts []session.Draft
	for _, s := range state.running() {
		if _, here := j.find(log, s.Job); !here {
			gone = append(gone, s)
			drafts = append(drafts, JobEnded.New(0, 0, JobEndedData{Job: s.Job, State: jobLost, ExitCode: -1}))
		}
	}
	if len(drafts) > 0 {
		_, err = log.Append(ctx, drafts...)
	}
	return gone, err
}
