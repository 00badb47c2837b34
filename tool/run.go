package tool

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

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
	told     func(Outcome) // of a call in a [Series]
}

// prepare finds the tool and reads the arguments; a fault is the call's result.
func (x *run) prepare() {
	registry := x.batch.registry
	x.call.realm = x.batch.realm
	x.entry = registry.find(x.batch.realm, x.call.Tool)
	if x.entry != nil && x.call.Cut {
		x.result = failed(CodeCut, "The reply was cut off at its length limit while this call was being written, so the call was not run. Nothing was changed; call again, in smaller pieces.")
		return
	}
	if x.entry != nil && x.call.Tool == useName {
		if err := x.unwrap(); err != nil {
			x.result = x.badArguments(err)
			return
		}
	}
	if say := registry.reserved(x.batch.realm, x.call); say != "" {
		x.result = failed(CodeUnknownTool, say)
		return
	}
	if x.entry == nil {
		x.result = failed(CodeUnknownTool, registry.unknown(x.batch.realm, x.call.Tool))
		return
	}
	x.call.Uses = x.entry.tool
	object, err := readArguments(x.call.Raw)
	if err == nil {
		object, err = x.entry.check.check(object)
	}
	if broken := x.entry.check.err; broken != nil {
		registry.log.Warn("a tool's schema does not compile; its arguments are not checked", "tool", x.call.Tool, "error", broken)
	}
	if err != nil {
		x.result = x.badArguments(err)
		return
	}
	x.call.Args = canonical(object)
}

func (x *run) badArguments(err error) *Result {
	return failed(CodeArguments, fmt.Sprintf("The call of %s was not run: %s. Nothing was changed; send it again, corrected.", x.call.Tool, err))
}

// unknown answers the call of a tool that is not seen in a realm.
func (r *Registry) unknown(realm *graph.Realm, name string) string {
	var names []string
	for _, e := range r.view(realm) {
		names = append(names, e.schema.Name)
	}
	text := fmt.Sprintf("There is no tool %q. Nothing was changed.", name)
	if close := Near(name, names); len(close) > 0 {
		return text + " Did you mean " + OrList(close) + "?"
	}
	if len(names) == 0 {
		return text + " No tools can be used here."
	}
	return text + " There are: " + strings.Join(names, ", ") + "."
}

// present says how the call shows. A tool that cannot say is shown by its name.
func (x *run) present() session.Present {
	shown := session.Present{Verb: "use", What: x.call.Tool}
	p, ok := x.call.Uses.(Presenter)
	if !ok || x.result != nil {
		return shown
	}
	x.contain("presenting", func() {
		s := p.Present(x.call)
		_, nests := x.call.Uses.(Nester)
		s.Looks = !nests && x.looks()
		shown = s
	})
	return shown
}

// looks and parallel are what the tool says of the call; one that fails to say is
// taken for what needs more care.
func (x *run) looks() (looks bool) {
	if t, ok := x.entry.tool.(ReadOnly); ok {
		x.contain("saying whether it only looks", func() { looks = t.ReadOnly(x.call) })
	}
	return looks
}

func (x *run) parallel() (parallel bool) {
	if t, ok := x.entry.tool.(Scheduler); ok {
		x.contain("saying whether it runs beside others", func() { parallel = t.Parallel(x.call) })
	}
	return parallel
}

// contain calls code of the tool and gives what it panicked with, nil for nothing.
func (x *run) contain(doing string, code func()) (panicked any) {
	defer func() {
		if panicked = recover(); panicked != nil {
			x.batch.registry.log.Error("a tool panicked", "tool", x.call.Tool, "while", doing, "panic", panicked, "stack", string(debug.Stack()))
		}
	}()
	code()
	return nil
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
	p := x.contain("checking", func() {
		if err := t.Check(ctx, x.call); err != nil {
			result = failure(err)
		}
	})
	if p != nil {
		return failed(CodePanic, fmt.Sprintf("The tool failed unexpectedly (%v) before it did anything.", p))
	}
	return result
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
	case answer.Failure != nil:
		x.result = failure(answer.Failure)
		return false
	case !answer.Approved:
		x.refuse(answer.DeniedBy, answer.Note, answer.Model)
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
