package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// Codes of results that the pipeline makes itself. Others are the tools' own.
const (
	CodeUnknownTool = "UNKNOWN_TOOL"
	CodeArguments   = "INVALID_ARGUMENTS"
	CodeCut         = "CALL_CUT"
	CodeDenied      = "DENIED"
	CodeTimeout     = "TOOL_TIMEOUT"
	CodeStopped     = "STOPPED"
	CodePanic       = "TOOL_PANIC"
	CodeNotLogged   = "NOT_LOGGED"
)

// settleLimit is how long a body may take to return after it was stopped: longer
// than a shell needs to end a tree that ignores TERM.
const settleLimit = 15 * time.Second

// run is one call on its way through the stages.
type run struct {
	batch *batch
	call  *Call
	entry *entry // nil for a tool that is not seen

	asked    bool // a person was asked about it
	deniedBy string
	result   *Result
	ran      bool // the body was begun
	took     time.Duration
	done     bool
	outcome  Outcome
}

func failed(code, text string) *Result {
	return &Result{Content: llm.Text(text), Failed: true, Code: code}
}

func notStarted() *Result {
	return failed(session.CodeNotStarted, "Stopped before it started. Nothing was changed.")
}

func unlogged(err error) *Result {
	return failed(CodeNotLogged, "The session's log cannot be written, so the call was not run. Nothing was changed. "+fault.ForModel(err))
}

// prepare finds the tool and reads the arguments; a fault is the call's result.
func (x *run) prepare() {
	x.entry = x.batch.registry.find(x.batch.realm, x.call.Tool)
	if x.entry == nil {
		x.result = failed(CodeUnknownTool, x.unknown())
		return
	}
	x.call.Uses = x.entry.tool
	if x.call.Cut {
		x.result = failed(CodeCut, "The reply was cut off at its length limit while this call was being written, so the call was not run. Nothing was changed; call again, in smaller pieces.")
		return
	}
	object, err := readArguments(x.call.Raw)
	if err == nil {
		object, err = x.entry.check.check(object)
	}
	if broken := x.entry.check.err; broken != nil {
		x.batch.registry.log.Warn("a tool's schema does not compile; its arguments are not checked", "tool", x.call.Tool, "error", broken)
	}
	if err != nil {
		x.result = failed(CodeArguments, fmt.Sprintf("The call of %s was not run: %s. Nothing was changed; send it again, corrected.", x.call.Tool, err))
		return
	}
	x.call.Args = canonical(object)
}

func (x *run) unknown() string {
	seen := x.batch.registry.Schemas(x.batch.realm)
	names := make([]string, len(seen))
	for i, s := range seen {
		names[i] = s.Name
	}
	text := fmt.Sprintf("There is no tool %q. Nothing was changed.", x.call.Tool)
	if close := near(x.call.Tool, names); len(close) > 0 {
		return text + " Did you mean " + orList(close) + "?"
	}
	if len(names) == 0 {
		return text + " No tools can be used here."
	}
	return text + " There are: " + strings.Join(names, ", ") + "."
}

// present says how the call shows. A tool that cannot say is shown by its name.
func (x *run) present() (shown session.Present) {
	plain := session.Present{Verb: "use", What: x.call.Tool}
	p, ok := x.call.Uses.(Presenter)
	if !ok || x.result != nil {
		return plain
	}
	defer func() {
		if p := recover(); p != nil {
			x.defect("presenting", p)
			shown = plain
		}
	}()
	shown = p.Present(x.call)
	shown.Looks = x.looks()
	return shown
}

func (x *run) looks() bool {
	t, ok := x.entry.tool.(ReadOnly)
	return ok && t.ReadOnly(x.call)
}

func (x *run) parallel() bool {
	t, ok := x.entry.tool.(Scheduler)
	return ok && t.Parallel(x.call)
}

func (x *run) defect(where string, cause any) {
	x.batch.registry.log.Error("a tool panicked", "tool", x.call.Tool, "while", where, "panic", cause, "stack", string(debug.Stack()))
}

// admitted passes the call through pre-execute, guards, approval and guards again.
// False means that its result says why it does not run.
func (x *run) admitted(ctx context.Context) bool {
	if x.result == nil && ctx.Err() == nil {
		x.result = x.checked(ctx)
	}
	if x.result != nil {
		return x.unfit(ctx, "tool", "it cannot be run as it was called")
	}
	if ctx.Err() != nil {
		x.result = notStarted()
		return x.unfit(ctx, "nobody", "stopped before it started")
	}
	v, err := PreExecute.Run(ctx, x.batch.realm, x.call, unjudged)
	if err != nil {
		v = Verdict{Decision: Deny, DeniedBy: "nobody", Reason: "the check before the call failed: " + fault.Person(err), Model: "The check before the call failed, so it was not run. Nothing was changed. " + fault.ForModel(err)}
	}
	if v.Decision != Deny {
		v = x.guarded(ctx, v)
	}
	switch v.Decision {
	case Allow:
		if !x.record(ctx, v) {
			return false
		}
		x.call.Policy, x.call.Env = v.Policy, v.Env
		return true
	case Ask:
		return x.approved(ctx, v)
	case Deny:
	case "":
		v = Verdict{Decision: Deny, DeniedBy: "nobody", Reason: "no permission gate is mounted",
			Model: "Nobody decides here whether tools may run, so none may. Nothing was changed. Tell the person."}
	default:
		v = Verdict{Decision: Deny, DeniedBy: "nobody", Reason: fmt.Sprintf("%q is no decision", v.Decision)}
	}
	return x.denied(ctx, v)
}

// checked lets the tool find out what would make the call fail in any case, so that
// nobody is asked for it.
func (x *run) checked(ctx context.Context) (result *Result) {
	t, ok := x.entry.tool.(Checker)
	if !ok {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			x.defect("checking", p)
			result = failed(CodePanic, fmt.Sprintf("The tool failed unexpectedly (%v) before it did anything.", p))
		}
	}()
	if err := t.Check(ctx, x.call); err != nil {
		return failure(err)
	}
	return nil
}

// unfit records that a call with a result of its own does not run.
func (x *run) unfit(ctx context.Context, by, reason string) bool {
	own := x.result
	if x.record(ctx, Verdict{Decision: Deny, DeniedBy: by, Reason: reason}) {
		x.result = own
	}
	return false
}

// guarded lets the guards turn a verdict into a denial.
func (x *run) guarded(ctx context.Context, v Verdict) Verdict {
	err := x.batch.registry.guarded(ctx, x.batch.realm, x.call)
	if err == nil {
		return v
	}
	return Verdict{Decision: Deny, DeniedBy: "guard", Reason: fault.Person(err), Model: "This call is not allowed: " + fault.ForModel(err) + "\nNothing was changed."}
}

func (x *run) approved(ctx context.Context, v Verdict) bool {
	asker, ok := graph.Lookup(x.batch.realm, AskKey)
	if !ok {
		v.Decision, v.DeniedBy, v.Reason, v.Model = Deny, "nobody", "nobody is there to be asked", ""
		return x.denied(ctx, v)
	}
	x.asked = true
	answer, err := asker.Approve(ctx, x.call, v)
	switch {
	case err != nil && ctx.Err() != nil:
		x.result = notStarted()
		return false
	case err != nil:
		v.Decision, v.DeniedBy, v.Reason, v.Model = Deny, "nobody", "the question could not be put: "+fault.Person(err), ""
		return x.denied(ctx, v)
	case !answer.Approved:
		x.refuse(answer.DeniedBy, answer.Note, "")
		return false
	}
	if v = x.guarded(ctx, v); v.Decision == Deny {
		return x.denied(ctx, v)
	}
	x.call.Policy, x.call.Confirm = answer.Policy, answer.Confirm
	return true
}

// denied records a denial and makes it the call's result.
func (x *run) denied(ctx context.Context, v Verdict) bool {
	if x.record(ctx, v) {
		x.refuse(v.DeniedBy, v.Reason, v.Model)
	}
	return false
}

// record writes the decision row. Without one nothing runs.
func (x *run) record(ctx context.Context, v Verdict) bool {
	ctx = context.WithoutCancel(ctx)
	var err error
	if asker, ok := graph.Lookup(x.batch.realm, AskKey); ok {
		err = asker.Record(ctx, x.call, v)
	} else {
		d := DecidedData{Call: x.call.ID, Decision: "allowed", By: v.By, Rule: v.Rule, Reason: v.Reason}
		if v.Decision == Deny {
			d.Decision, d.By = "denied", v.DeniedBy
		}
		_, err = x.call.Log.Append(ctx, Decided.New(x.call.Turn, x.call.Step, d))
	}
	if err != nil {
		x.result = unlogged(err)
	}
	return err == nil
}

// refuse makes a denial the result, in words that tell the model what to do.
func (x *run) refuse(by, reason, text string) {
	if by == "" {
		by = "nobody"
	}
	x.deniedBy = by
	switch {
	case text != "":
	case by == "person" && reason != "":
		text = "The person said no to this call: " + reason + "\nNothing was changed. Follow what they say; do not try the same in another way."
	case by == "person":
		text = "The person said no to this call. Nothing was changed. Do not try the same in another way; go on without it or ask what they want."
	case by == "nobody":
		text = "This call needs a person's yes and nobody was there to answer. Nothing was changed. Go on without it and say what was left undone."
	default:
		text = "This call is not allowed: " + reason + ". Nothing was changed."
	}
	x.result = failed(CodeDenied, text)
}

// execute runs the body. free is called once the body has really returned.
func (x *run) execute(ctx context.Context, free func()) {
	if err := x.begin(ctx); err != nil {
		free()
		return
	}
	out := &progress{call: x.call, fail: func(err error) {
		x.batch.registry.log.Error("progress of a call could not be logged", "call", x.call.ID, "error", err)
	}}
	x.call.Output = out.write
	limit := x.limit()
	body, cancel := limited(ctx, limit)
	defer cancel()
	began := time.Now()
	returned := make(chan *Result, 1)
	go func() {
		result := failed(CodePanic, "The tool ended without a result.") // where it calls runtime.Goexit
		defer func() {
			free()
			returned <- result
		}()
		result = x.contained(body)
	}()
	select {
	case x.result = <-returned:
	case <-body.Done():
		x.result = x.awaitStopped(returned)
	}
	out.close()
	x.took = time.Since(began)
	if end := body.Err(); end != nil && errors.Is(x.result.err, end) {
		x.result = ended(ctx.Err() != nil, limit, x.took)
	}
}

// limit is the time the tool sets for this call, 0 for none.
func (x *run) limit() time.Duration {
	if t, ok := x.entry.tool.(Limiter); ok {
		return t.Limit(x.call)
	}
	return 0
}

func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// begin does what must hold before a body runs: what was approved is still so, and
// the log says, on disk where the call may change something, that it started.
func (x *run) begin(ctx context.Context) error {
	if x.call.Confirm != nil {
		if err := x.call.Confirm(ctx); err != nil {
			x.result = failure(err)
			return err
		}
	}
	log := x.call.Log
	_, err := log.Append(context.WithoutCancel(ctx), session.ToolStarted.New(x.call.Turn, x.call.Step, session.ToolStartedData{Call: x.call.ID}))
	if err == nil && (x.asked || !x.looks()) {
		err = log.Flush(context.WithoutCancel(ctx))
	}
	if err != nil {
		x.result = unlogged(err)
		return err
	}
	x.ran = true
	return nil
}

// contained calls the tool; a panic is a result.
func (x *run) contained(ctx context.Context) (result *Result) {
	defer func() {
		if p := recover(); p != nil {
			x.defect("running", p)
			result = failed(CodePanic, fmt.Sprintf("The tool failed unexpectedly (%v). What it did until then is not known.", p))
		}
	}()
	r, err := x.entry.tool.Run(ctx, x.call)
	switch {
	case err != nil:
		return failure(err)
	case r == nil:
		return failed(CodePanic, "The tool returned no result.")
	}
	return r
}

// awaitStopped gives a body that was told to stop the time to do so.
func (x *run) awaitStopped(returned <-chan *Result) *Result {
	late := time.NewTimer(settleLimit)
	defer late.Stop()
	select {
	case r := <-returned:
		return r
	case <-late.C:
		x.batch.registry.log.Error("a tool does not return after it was stopped; it is left behind", "tool", x.call.Tool, "call", x.call.ID)
		return failed(session.CodeOutcomeUnknown, "The call was stopped but does not return. What it did is not known; look before you go on.")
	}
}

// failure is the result of an error.
func failure(err error) *Result {
	code := fault.CodeOf(err)
	if code == "" {
		code = strings.ToUpper(fault.KindOf(err).String())
	}
	r := failed(code, fault.ForModel(err))
	r.err = err
	return r
}

// ended is the result of a call that was cut short and gave no result of its own.
func ended(stopped bool, limit, took time.Duration) *Result {
	if stopped {
		return failed(CodeStopped, fmt.Sprintf("Stopped after %s. What it had done until then stays.", took.Round(100*time.Millisecond)))
	}
	return failed(CodeTimeout, fmt.Sprintf("The call took longer than %s and was ended. What it had done until then stays.", limit))
}

// finish runs post-execute, keeps what is too big, logs the result and tells of it.
func (x *run) finish(ctx context.Context) {
	c, log := x.call, x.batch.registry.log
	if x.ran {
		r, err := PostExecute.Run(ctx, x.batch.realm, Finished{c, x.result}, func(_ context.Context, f Finished) (*Result, error) { return f.Result, nil })
		switch {
		case err != nil:
			checked := *x.result
			checked.Failed, checked.Code = true, failure(err).Code
			checked.Content = append(llm.Text("The call ran, but the check of its result failed: "+fault.ForModel(err)+"\n"), x.result.Content...)
			x.result = &checked
		case r != nil:
			x.result = r
		}
	}
	r := x.result
	data := session.ToolResultData{Call: c.ID, ModelID: c.ModelID, Parent: c.Parent, Content: clean(r.Content), Failed: r.Failed, Code: r.Code,
		DeniedBy: x.deniedBy, Spill: r.Spill, Millis: x.took.Milliseconds()}
	if r.View != nil {
		view, err := json.Marshal(r.View)
		if err != nil {
			log.Error("a result's view cannot be encoded; the result is shown as text", "tool", c.Tool, "error", err)
		}
		data.View = view
	}
	logged := data
	short, ref, err := spill(ctx, c.Log, data.Content)
	if err != nil {
		log.Error("a big result could not be kept beside the log; it is logged whole", "call", c.ID, "error", err)
	}
	if ref != nil {
		logged.Content, logged.Spill = short, ref
	}
	if c.Parent == "" {
		data = logged
	}
	if _, err := c.Log.Append(ctx, session.ToolResult.New(c.Turn, c.Step, logged)); err != nil {
		log.Error("a result could not be logged", "call", c.ID, "error", err)
	}
	x.outcome = Outcome{Call: c, Logged: &data, Changed: r.Changed, EndsTurn: r.EndsTurn}
	Executed.Emit(ctx, x.batch.realm, x.outcome)
}

// clean keeps what a log and a request can hold.
func clean(content []llm.Part) []llm.Part {
	parts := make([]llm.Part, len(content))
	for i, p := range content {
		p.Text = strings.ToValidUTF8(p.Text, "\uFFFD")
		parts[i] = p
	}
	return parts
}
