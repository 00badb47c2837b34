package toolbox

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:embed job_output.md
var jobOutputText string

//go:embed job_stop.md
var jobStopText string

// early is how long a job is watched at its start: what cannot work fails at once.
const early = 300 * time.Millisecond

// background starts a command as a job and tells what came of it at once.
func (j *jobs) background(ctx context.Context, call *tool.Call, command string, spec sandbox.Spec) (*tool.Result, error) {
	out := newOutput(nil)
	spec.Stdout, spec.Stderr = out, out
	o, err := j.start(ctx, call, kindCommand, command, spec, out, nil)
	if err != nil {
		out.close()
		return nil, err
	}
	o.await(ctx, early)
	status := "running"
	if o.over() {
		status = o.status()
	}
	text, err := o.unread()
	if err != nil {
		return nil, err
	}
	return o.answer("Started as "+o.Job+".", text, status), nil
}

// report waits for the end of a job, but not longer than a time, and tells what it
// wrote since it was asked last and how it is.
func (o *job) report(ctx context.Context, wait time.Duration) (*tool.Result, error) {
	o.await(ctx, wait)
	text, err := o.unread()
	if err != nil {
		return nil, err
	}
	return o.answer("", text, o.status()), nil
}

// answer tells what a job wrote and how it is.
func (o *job) answer(title, text, status string) *tool.Result {
	over := o.over()
	v := terminalView{Kind: "terminal", Dir: shown(o.call, o.Dir), Job: o.Job, Running: !over}
	r := &tool.Result{}
	if over {
		o.mu.Lock()
		v.ExitCode, v.Signal, v.Left = o.ended.ExitCode, o.ended.Signal, o.ended.Left
		r.Spill, r.Failed = o.ended.Output, o.ended.ExitCode != 0 && o.ended.State == jobEnded
		o.mu.Unlock()
	}
	if r.Failed {
		r.Code = codeExit
	}
	if r.Spill != nil {
		status += "; all of its output: read with path " + tool.Locator(*r.Spill)
	}
	var lines []string
	for _, line := range []string{title, strings.TrimSuffix(text, "\n"), "[" + o.Job + ": " + status + "]"} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	r.Content, r.View = llm.Text(strings.Join(lines, "\n")), v
	return r
}

// await waits until a job has ended, ctx ends or a time is over. Whoever waits sees
// the end, so nobody needs to be told of it.
func (o *job) await(ctx context.Context, wait time.Duration) {
	o.wait(1)
	defer o.wait(-1)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-o.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// wait counts who sees the end by itself.
func (o *job) wait(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiters += n
}

// unread gives what a job wrote since it was asked last, its last part where that
// is much.
func (o *job) unread() (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if kind, is := o.out.isBinary(); is {
		return fmt.Sprintf("[binary output, %s, %s; not shown]", file.ByteCount(o.out.bytes()), kind), nil
	}
	size, _, kept := o.out.keep.measure()
	from, note := o.offset, ""
	o.offset = size
	if size-from > shownTail {
		note = fmt.Sprintf("[%s left out here]\n", file.ByteCount(size-shownTail-from))
		from = size - shownTail
	}
	var raw []byte
	if size > kept {
		raw = o.out.keep.last()
		raw = raw[max(0, int64(len(raw))-(size-from)):]
	} else {
		var err error
		if raw, err = o.out.keep.read(from, size-from); err != nil {
			return "", err
		}
	}
	if note != "" {
		raw = raw[cutBeforeLine(string(raw)):]
	}
	if cut := incomplete(raw); cut > 0 && !o.over() {
		raw = raw[:len(raw)-cut]
		o.offset -= int64(cut)
	}
	text, charset := legible(raw)
	return note + decodedFrom(text, charset), nil
}

// incomplete counts the bytes at the end that begin a character and do not end it.
func incomplete(raw []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(raw); back++ {
		b := raw[len(raw)-back]
		if utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(raw[len(raw)-back:]) {
				return back
			}
			return 0
		}
	}
	return 0
}

// longestWait is how long a call may wait for a job.
const longestWait = 600 * time.Second

// jobOutput is the tool job_output.
type jobOutput struct{ jobs *jobs }

type jobArgs struct {
	Job    string `json:"job"`
	WaitMs int64  `json:"wait_ms"`
}

func jobArguments(call *tool.Call) jobArgs {
	var a jobArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (jobOutput) Schema() llm.ToolSchema {
	return schema("job_output", jobOutputText, `{"type":"object","properties":{"job":{"type":"string"},"wait_ms":{"type":"integer","minimum":0,"maximum":600000}},"additionalProperties":false}`)
}

func (jobOutput) ReadOnly(*tool.Call) bool { return true }

func (jobOutput) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "read", What: strings.TrimSpace("jobs " + jobArguments(call).Job), Looks: true}
}

func (t jobOutput) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := jobArguments(call)
	if a.Job == "" {
		return t.jobs.list(ctx, call)
	}
	o, here := t.jobs.find(call.Log, a.Job)
	if !here {
		return t.jobs.past(ctx, call, a.Job)
	}
	return o.report(ctx, min(time.Duration(a.WaitMs)*time.Millisecond, longestWait))
}

// past tells of a job that this process does not hold any more.
func (j *jobs) past(ctx context.Context, call *tool.Call, id string) (*tool.Result, error) {
	if _, err := j.settle(ctx, call.Log); err != nil {
		return nil, err
	}
	state, err := session.StateOf(call.Log, jobsFold)
	if err != nil {
		return nil, err
	}
	s, known := state.find(id)
	if !known || s.End == nil {
		return nil, fault.New(fault.NotFound, "toolbox.job", "There is no job %q in this session. Without a name job_output lists them.", id).WithCode(codeNoJob)
	}
	text := "[" + id + ": " + s.End.words() + "]"
	r := &tool.Result{View: terminalView{Kind: "terminal", Dir: shown(call, s.Dir), Job: id, ExitCode: s.End.ExitCode, Signal: s.End.Signal}}
	if s.End.Output != nil {
		r.Spill = s.End.Output
		text = "[" + id + ": " + s.End.words() + "; its output: read with path " + tool.Locator(*s.End.Output) + "]"
	}
	r.Content = llm.Text(text)
	return r, nil
}

// list names the jobs of a session.
func (j *jobs) list(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	if _, err := j.settle(ctx, call.Log); err != nil {
		return nil, err
	}
	state, err := session.StateOf(call.Log, jobsFold)
	if err != nil {
		return nil, err
	}
	if len(state.Jobs) == 0 {
		return tool.Text("There are no jobs in this session."), nil
	}
	var lines []string
	for _, s := range state.Jobs {
		status := "running"
		if s.End != nil {
			status = s.End.words()
		} else if o, here := j.find(call.Log, s.Job); here {
			status = o.status()
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", s.Job, presentCommand(s.Command).What, status))
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// jobStop is the tool job_stop. It ends what the model itself started, so nobody
// need be asked.
type jobStop struct{ jobs *jobs }

func (jobStop) Schema() llm.ToolSchema {
	return schema("job_stop", jobStopText, `{"type":"object","properties":{"job":{"type":"string"}},"required":["job"],"additionalProperties":false}`)
}

func (jobStop) ReadOnly(*tool.Call) bool { return true }

func (jobStop) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "run", What: "stop " + jobArguments(call).Job}
}

func (t jobStop) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := jobArguments(call)
	o, here := t.jobs.find(call.Log, a.Job)
	if !here {
		return t.jobs.past(ctx, call, a.Job)
	}
	o.end("model", stopGrace)
	return o.report(ctx, 0)
}
