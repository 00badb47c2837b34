package external

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/sandbox"
	"fairlead/session"
)

// Question is one thing to ask an agent.
type Question struct {
	Agent  string
	Prompt string
	// Access and Effort are what the caller wants; the person's choices count before them.
	Access Access
	Effort Effort
	// New begins a new session of the agent. Otherwise Session is gone on with, or the
	// last one in the folder that ended well.
	New     bool
	Session string
	// Limit is how long it may take; 0 means 15 minutes. It is held between 1 minute and
	// 1 hour.
	Limit  time.Duration
	Folder string // absolute
	// Owner and Call say whose call it is.
	Owner session.ID
	Call  string
	// Started is called before the program begins; its error keeps it from beginning.
	Started func(Run) error
	// Heard is called with every event.
	Heard func(Event)
}

// Answer is what came of a question.
type Answer struct {
	Run     Run     `json:"run"` // with the events that are still in memory
	Verdict Verdict `json:"verdict"`
}

const (
	standardLimit = 15 * time.Minute
	shortestLimit = time.Minute
	longestLimit  = time.Hour
	// grace is what a program has between being told to end and being made to.
	grace = 10 * time.Second
	// patience is how long a program may stay after it said that it is done, or that
	// nobody is signed in.
	patience = 10 * time.Second
	// mostStderr is what is kept of stderr in memory, in bytes.
	mostStderr = 16 << 10
)

// Why a run is ended.
var (
	errStopped  = errors.New("the run was stopped")
	errLate     = errors.New("the time of the run is over")
	errFlood    = errors.New("the program prints too much")
	errWaiting  = errors.New("the program waits for somebody to sign in")
	errLingered = errors.New("the program is done and does not end")
)

func limitOf(asked time.Duration) time.Duration {
	if asked == 0 {
		return standardLimit
	}
	return min(max(asked, shortestLimit), longestLimit)
}

// Ask runs an agent and returns when nothing of it is left. An error means that
// nothing was started; whatever happens afterwards is in the verdict. ctx ends the run.
func (a *Agents) Ask(ctx context.Context, q Question) (Answer, error) {
	if strings.TrimSpace(q.Prompt) == "" {
		return Answer{}, fault.New(fault.Invalid, "external.ask", "There is nothing to ask: the prompt is empty. Nothing was started.")
	}
	ad, choice, err := a.adapter(q.Agent)
	if err != nil {
		return Answer{}, err
	}
	if a.find(ad.Program) == "" {
		return Answer{}, fault.New(fault.NotFound, "external.ask", "%s is not installed, or not on the PATH. Nothing was started.", ad.Label).WithCode("no-program")
	}
	r := Request{Prompt: q.Prompt, Folder: q.Folder}
	if r.Access, err = choice.access(q.Access); err != nil {
		return Answer{}, err
	}
	if r.Effort, err = choice.effort(q.Effort); err != nil {
		return Answer{}, err
	}
	release, err := a.resume(ad, q, &r)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	return a.ask(ctx, ad, q, r)
}

// resume settles which session the agent goes on with. One with more access than is
// allowed now is not gone on with; one with less keeps it.
func (a *Agents) resume(ad *Adapter, q Question, r *Request) (release func(), err error) {
	release = func() {}
	var last remembered
	switch {
	case q.New:
		return release, nil
	case q.Session != "":
		if strings.HasPrefix(q.Session, "-") {
			return release, fault.New(fault.Invalid, "external.resume", "%q is no id of a session. Nothing was started.", q.Session)
		}
		if last, err = a.memory.named(ad.Name, q.Session); err != nil {
			return release, err
		}
		if last.Session == "" {
			last = remembered{Session: q.Session, Access: r.Access}
		}
		if ad.PinsAccess && last.Access.rank() > r.Access.rank() {
			return release, fault.New(fault.Denied, "external.resume", "The session %s of %s began with the access %s, and %s is allowed now. Nothing was started; ask with a new session.", q.Session, ad.Label, last.Access, r.Access)
		}
	default:
		if last, err = a.memory.last(ad.Name, q.Folder); err != nil || last.Session == "" {
			return release, err
		}
		if ad.PinsAccess && last.Access.rank() > r.Access.rank() {
			return release, nil
		}
	}
	if !a.memory.claim(ad.Name, last.Session) {
		if q.Session != "" {
			return release, fault.New(fault.Conflict, "external.resume", "Another run goes on with the session %s of %s just now. Nothing was started; wait for it, or ask with a new session.", q.Session, ad.Label)
		}
		return release, nil
	}
	r.Session = last.Session
	if ad.PinsAccess {
		r.Access = last.Access
	}
	return func() { a.memory.release(ad.Name, last.Session) }, nil
}

func (a *Agents) ask(ctx context.Context, ad *Adapter, q Question, r Request) (Answer, error) {
	a.swept.Do(func() { a.sweep(ctx) })
	limit := limitOf(q.Limit)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	rec := a.Table.begin(Run{Agent: ad.Name, Owner: q.Owner, Call: q.Call, Prompt: q.Prompt, Folder: q.Folder, Access: r.Access, Effort: r.Effort,
		AgentSession: r.Session, Resumed: r.Session != ""}, stop)
	x := &execution{agents: a, adapter: ad, question: q, record: rec, stop: stop, limit: limit, stderr: tail{most: mostStderr}}
	verdict, err := x.run(ctx, r)
	if err != nil {
		verdict = Verdict{Code: NoStart, Reason: fault.Person(err)}
	}
	run := rec.end(verdict)
	if err != nil {
		return Answer{Run: run, Verdict: verdict}, err
	}
	if verdict.OK && run.AgentSession != "" {
		if err := a.memory.remember(remembered{Agent: ad.Name, Folder: q.Folder, Session: run.AgentSession, Access: r.Access, At: time.Now()}); err != nil {
			a.log.Warn("the session of an external agent is not remembered", "agent", ad.Name, "error", err)
		}
	}
	return Answer{Run: run, Verdict: verdict}, nil
}

// execution is one run on its way.
type execution struct {
	agents   *Agents
	adapter  *Adapter
	question Question
	record   *record
	stop     context.CancelCauseFunc
	limit    time.Duration

	mu      sync.Mutex // stdout and stderr are read side by side
	heard   Heard
	stderr  tail
	open    map[string]string // tools of calls that go on, by call
	pending Event             // joined text that is still growing
	since   time.Time
	printed int64
	waiting *time.Timer // ends a program that only waits, or lingers
}

// place is where what a run prints is kept.
func (x *execution) place() string {
	owner := cmp.Or(string(x.question.Owner), "none")
	return filepath.Join(x.agents.options.Dir, owner, x.record.run.ID)
}

// run starts the program and follows it to its end.
func (x *execution) run(ctx context.Context, r Request) (v Verdict, err error) {
	policy, confined := x.agents.policy(x.adapter, r.Access, r.Folder)
	place := x.place()
	r.Confined, r.File = confined, place+".prompt"
	launch := x.adapter.Build(r)
	out, err := openStream(place+".out", x.agents.config.kept())
	if err != nil {
		return v, err
	}
	defer func() { x.closed(out) }()
	complaints, err := openStream(place+".err", x.agents.config.kept())
	if err != nil {
		return v, err
	}
	defer func() { x.closed(complaints) }()
	if launch.PromptFile {
		if err := os.WriteFile(r.File, []byte(r.Prompt), 0o600); err != nil {
			return v, unkept(err)
		}
		defer os.Remove(r.File)
	}
	if x.question.Started != nil {
		if err := x.question.Started(x.record.shownNow()); err != nil {
			return v, err
		}
	}
	cut := &lines{each: x.line, long: func(n int64) {
		x.take(Event{Kind: Note, Broken: true, Text: fmt.Sprintf("a line of %d MiB is passed over", n>>20)})
	}}
	p, err := x.agents.box.Start(ctx, sandbox.Spec{
		Argv: launch.Argv, Dir: r.Folder, Env: x.env(launch), Unset: removed(launch), Stdin: strings.NewReader(launch.Stdin),
		Stdout: both{out, x.counted(cut)}, Stderr: both{complaints, writer(x.complained)},
		Policy: policy, Grace: grace, Label: x.adapter.Name + " " + x.record.run.ID,
	})
	if err != nil {
		return v, err
	}
	exit, err := p.Wait(context.WithoutCancel(ctx))
	if err != nil {
		return v, err
	}
	torn := cut.finish(json.Valid)
	if len(exit.Left) > 0 {
		x.take(Event{Kind: Note, Text: "it left programs running, which were ended: " + strings.Join(exit.Left, ", ")})
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.quiet()
	x.flush()
	return x.adapter.Finalize(x.heard, x.ended(ctx, exit, torn, string(x.stderr.kept))), nil
}

func (x *execution) ended(ctx context.Context, exit sandbox.Exit, torn bool, stderr string) Ended {
	e := Ended{Exit: exit.Code, Signal: exit.Signal, Torn: torn, Stderr: stderr, Printed: x.printed, Limit: x.limit}
	if !exit.Stopped {
		return e
	}
	switch context.Cause(ctx) {
	case errLate:
		e.TimedOut = true
	case errFlood:
		e.Flooded = true
	case errWaiting:
		e.Waiting = true
	case errLingered:
		e.Lingered = true
	default:
		e.Stopped = true
	}
	return e
}

// env are the variables that are set for the program.
func (x *execution) env(l Launch) (env []string) {
	if name := x.adapter.HomeVariable; name != "" {
		if v := x.agents.options.Environ(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range l.Env {
		if v != nil {
			env = append(env, name+"="+*v)
		}
	}
	return env
}

func removed(l Launch) (names []string) {
	for name, v := range l.Env {
		if v == nil {
			names = append(names, name)
		}
	}
	return names
}

func (x *execution) closed(s *stream) {
	dropped, err := s.close()
	if err != nil || dropped > 0 {
		x.agents.log.Warn("not everything that an external agent printed is kept", "agent", x.adapter.Name, "run", x.record.run.ID, "dropped", dropped, "error", err)
	}
}

// counted ends a program that prints more than is read.
func (x *execution) counted(to *lines) writer {
	most := x.agents.config.read()
	return func(p []byte) (int, error) {
		x.printed += int64(len(p))
		if x.printed > most {
			x.stop(errFlood)
			return len(p), nil
		}
		return to.Write(p)
	}
}

// line takes in one line of the program.
func (x *execution) line(line []byte) {
	x.take(x.adapter.Translate(bytes.Clone(line))...)
}

func (x *execution) take(events ...Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range events {
		x.event(e)
	}
}

// longestJoin and joinedFor bound how long joined text grows before it shows.
const (
	longestJoin = 2 << 10
	joinedFor   = 500 * time.Millisecond
)

// event takes in one event. Pieces of a text become one event where they come quickly.
func (x *execution) event(e Event) {
	repeated := e.Final && e.Text == x.heard.Answer // it was told when it was said
	x.heard.add(e)
	x.watch(e)
	if repeated {
		return
	}
	if e.Joined && e.Kind == x.pending.Kind && len(x.pending.Text) < longestJoin && time.Since(x.since) < joinedFor {
		x.pending.Text += e.Text
		return
	}
	x.flush()
	if e.Joined {
		x.pending, x.since = e, time.Now()
		return
	}
	x.told(e)
}

// flush shows the joined text that has grown so far.
func (x *execution) flush() {
	if x.pending.Kind != "" {
		x.told(x.pending)
		x.pending = Event{}
	}
}

func (x *execution) told(e Event) {
	if e.Kind == ToolUse && e.Call != "" {
		x.named(&e)
	}
	e = x.record.add(e)
	if x.question.Heard != nil {
		x.question.Heard(e)
	}
}

// mostOpen bounds the calls whose names are kept until they end.
const mostOpen = 1000

// named gives the end of a call the name that its beginning had.
func (x *execution) named(e *Event) {
	switch {
	case !e.Done && len(x.open) < mostOpen:
		if x.open == nil {
			x.open = map[string]string{}
		}
		x.open[e.Call] = e.Tool
	case e.Done && e.Tool == "":
		e.Tool = x.open[e.Call]
	}
	if e.Done {
		delete(x.open, e.Call)
	}
}

// watch gives a program that has nothing more to do a little time to end by itself.
func (x *execution) watch(e Event) {
	switch {
	case x.heard.Over && x.waiting == nil:
		x.waiting = time.AfterFunc(x.agents.patience, func() { x.stop(errLingered) })
	case e.Broken && x.waiting == nil && x.heard.Understood == 0 && asksToSignIn(e.Text):
		x.waiting = time.AfterFunc(x.agents.patience, func() { x.stop(errWaiting) })
	case !e.Broken && !x.heard.Over:
		x.quiet() // it goes on after all
	}
}

// complained keeps the end of stderr. Where it says that nobody is signed in and
// nothing else was heard, the program may be waiting for somebody.
func (x *execution) complained(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n, err := x.stderr.Write(p)
	if x.waiting == nil && x.heard.Understood == 0 && asksToSignIn(string(x.stderr.kept)) {
		x.waiting = time.AfterFunc(x.agents.patience, func() { x.stop(errWaiting) })
	}
	return n, err
}

func (x *execution) quiet() {
	if x.waiting != nil {
		x.waiting.Stop()
		x.waiting = nil
	}
}

// writer is a function that is written to.
type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// both hands everything to two writers that never fail.
type both [2]interface{ Write(p []byte) (int, error) }

func (b both) Write(p []byte) (int, error) {
	for _, w := range b {
		if _, err := w.Write(p); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// shownNow is the run without its events.
func (r *record) shownNow() Run {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	return r.shown(0, false)
}
