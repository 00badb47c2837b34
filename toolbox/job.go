package toolbox

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// mostJobs is how many jobs and terminals may run in a session.
const mostJobs = 10

// Codes of calls about jobs.
const (
	codeJobs  = "TOO_MANY_JOBS"
	codeNoJob = "NO_SUCH_JOB"
)

// jobs are what runs beside the turns, in all sessions. They survive the turn that
// started them and its Stop; they end by themselves, when somebody ends them, when
// their session is put away, and with the process.
type jobs struct {
	box   sandbox.Sandbox
	realm *graph.Realm
	ctx   context.Context // of the fiber: children end with it
	log   *slog.Logger

	mu       sync.Mutex
	desks    map[session.ID]*desk
	watching sync.WaitGroup
}

// desk holds the jobs of one session; those that ended stay while they may be read.
type desk struct {
	log    *session.Log
	jobs   []*job
	closed bool // the session is left: a new desk is for whoever opens it again
}

func newJobs(f *graph.Fiber, box sandbox.Sandbox) *jobs {
	return &jobs{box: box, realm: f.Realm(), ctx: f.Context(), log: f.Log(), desks: map[session.ID]*desk{}}
}

// wait returns once all jobs have been seen to their end.
func (j *jobs) wait(context.Context) error {
	j.watching.Wait()
	return nil
}

// job is one of them.
type job struct {
	JobStartedData
	call    *tool.Call // that started it
	process *sandbox.Process
	out     *output
	term    *terminalState // nil for a command

	began time.Time
	done  chan struct{} // closed once its end is logged

	mu      sync.Mutex
	offset  int64  // what was read of its output
	by      string // who ends it
	waiters int    // calls that wait for it: they see its end themselves
	ended   JobEndedData
}

// start starts a child as a job. out takes its output, term is set for a terminal;
// spec says everything else.
func (j *jobs) start(ctx context.Context, call *tool.Call, kind, command string, spec sandbox.Spec, out *output, term *terminalState) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := j.desks[call.Log.ID()]
	if d == nil || d.closed {
		d = &desk{log: call.Log}
		j.desks[call.Log.ID()] = d
	}
	if d.running() >= mostJobs {
		return nil, fault.New(fault.Conflict, "toolbox.job", "%d jobs and terminals run already, which is the most. Nothing was started. End one that is not needed any more.", mostJobs).WithCode(codeJobs)
	}
	state, err := session.StateOf(call.Log, jobsFold)
	if err != nil {
		return nil, err
	}
	p, err := start(j.ctx, j.box, spec)
	if err != nil {
		return nil, err
	}
	prefix := map[string]string{kindCommand: "job", kindTerminal: "terminal"}[kind]
	one := &job{JobStartedData: JobStartedData{Job: fmt.Sprintf("%s-%d", prefix, state.Started+1), Call: call.ID, Kind: kind, Command: command, Dir: spec.Dir},
		call: call, process: p, out: out, term: term, began: time.Now(), done: make(chan struct{})}
	started := one.JobStartedData
	started.Command = call.Redacted(started.Command)
	if _, err := call.Log.Append(context.WithoutCancel(ctx), JobStarted.New(call.Turn, call.Step, started)); err != nil {
		p.End(0)
		return nil, err
	}
	if term != nil {
		term.tty = p.Terminal()
		go term.pump(out)
	}
	d.jobs = append(d.jobs, one)
	j.watching.Go(func() { j.follow(d, one) })
	if len(d.jobs) == 1 {
		j.watching.Go(func() { j.attend(d) })
	}
	return one, nil
}

func (d *desk) running() (n int) {
	for _, one := range d.jobs {
		if !one.over() {
			n++
		}
	}
	return n
}

// over reports whether its end is logged.
func (o *job) over() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// attend ends the jobs of a session that is put away, deleted or left by this host.
func (j *jobs) attend(d *desk) {
	for frame, err := range d.log.Watch(j.ctx, d.log.Seq()) {
		if err != nil {
			break
		}
		if frame.Event == nil || !session.Archived.Of(*frame.Event) {
			continue
		}
		if data, err := session.Archived.Decode(*frame.Event); err == nil && data.Archived {
			j.endAll(d, "archive")
		}
	}
	j.mu.Lock()
	d.closed = true
	j.mu.Unlock()
	j.endAll(d, "host")
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, one := range d.jobs {
		one.out.close()
	}
	if j.desks[d.log.ID()] == d {
		delete(j.desks, d.log.ID())
	}
}

func (j *jobs) endAll(d *desk, by string) {
	j.mu.Lock()
	list := append([]*job(nil), d.jobs...)
	j.mu.Unlock()
	var ending sync.WaitGroup
	for _, one := range list {
		ending.Go(func() { one.end(by, stopGrace) })
	}
	ending.Wait()
}

// end ends a job and returns once its end is logged.
func (o *job) end(by string, grace time.Duration) {
	o.mu.Lock()
	if o.by == "" {
		o.by = by
	}
	o.mu.Unlock()
	o.process.End(grace)
	<-o.done
}

// endedKept is how many jobs that have ended can still be read from memory.
const endedKept = 5

// follow sees a job to its end.
func (j *jobs) follow(d *desk, o *job) {
	<-o.process.Done()
	exit, err := o.process.Wait(context.Background())
	if err != nil {
		exit.Code = -1 // Wait fails with its context only, and this one never ends
	}
	if o.term != nil {
		o.term.close()
	}
	o.out.end()
	ended := JobEndedData{Job: o.Job, State: jobEnded, ExitCode: exit.Code, Signal: exit.Signal, Left: exit.Left}
	for _, path := range exit.Appeared {
		ended.Protected = append(ended.Protected, shown(o.call, path))
	}
	o.mu.Lock()
	if o.by == "" && exit.Stopped {
		o.by = "host"
	}
	if o.by != "" {
		ended.State, ended.By = jobStopped, o.by
	}
	o.mu.Unlock()
	ended.Output = j.keep(o)
	if _, err := o.call.Log.Append(context.Background(), JobEnded.New(0, 0, ended)); err != nil {
		j.log.Info("the end of a job is not in its session's log; the next start reports it as lost", "session", d.log.ID(), "job", o.Job, "error", err)
	}
	o.mu.Lock()
	o.ended = ended
	told := o.waiters > 0 || o.by != ""
	o.mu.Unlock()
	close(o.done)
	if !told {
		j.tell(o)
	}
	j.forget(d)
}

// keep puts what a job wrote beside the log.
func (j *jobs) keep(o *job) *session.BlobRef {
	_, _, kept := o.out.keep.measure()
	if _, is := o.out.isBinary(); is || kept == 0 {
		return nil
	}
	raw, err := o.out.keep.read(0, kept)
	if err == nil {
		text, _ := legible(raw)
		ref, err := o.call.Keep(context.Background(), text)
		if err == nil {
			return &ref
		}
	}
	j.log.Warn("what a job wrote could not be kept", "job", o.Job, "error", err)
	return nil
}

// forget lets go of the oldest jobs that have ended.
func (j *jobs) forget(d *desk) {
	j.mu.Lock()
	defer j.mu.Unlock()
	over := len(d.jobs) - d.running() - endedKept
	kept := d.jobs[:0:0]
	for _, one := range d.jobs {
		if over > 0 && one.over() {
			over--
			one.out.close()
			continue
		}
		kept = append(kept, one)
	}
	d.jobs = kept
}

// find gives a job of a session that this process holds.
func (j *jobs) find(log *session.Log, id string) (*job, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := j.desks[log.ID()]
	if d == nil {
		return nil, false
	}
	for _, one := range d.jobs {
		if one.Job == id {
			return one, true
		}
	}
	return nil, false
}

// status says in a few words how a job is.
func (o *job) status() string {
	if !o.over() {
		return fmt.Sprintf("running for %s", time.Since(o.began).Round(time.Second))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended.words()
}

// words says how a job ended.
func (d JobEndedData) words() string {
	var s string
	switch {
	case d.State == jobLost:
		return "lost: Fairlead was restarted while it ran, and it ended with that"
	case d.State == jobStopped:
		s = "stopped by the " + d.By
	case d.Signal != "":
		s = "ended by " + d.Signal
	default:
		s = fmt.Sprintf("ended, exit code %d", d.ExitCode)
	}
	if len(d.Left) > 0 {
		s += "; it left these running, which were ended: " + strings.Join(d.Left, "; ")
	}
	if len(d.Protected) > 0 {
		s += "; protected paths appeared while it ran, look at them: " + strings.Join(d.Protected, ", ")
	}
	return s
}
