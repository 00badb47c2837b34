package skill

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// HookRan is the kind of a hook that was run.
var HookRan = session.Kind[HookRanData]{Name: "hook/ran", Doc: "a command hook was run, and what it decided", Ignorable: true}

// HookRanData is one run of a hook. Source is "home" or "folder"; Call is set at
// PreToolUse and PostToolUse. Decision is "block", "ask", "halt" or "" for none;
// Reason and Error are cut to [mostReason] bytes.
type HookRanData struct {
	Event    string `json:"event"`
	Command  string `json:"command"`
	Source   string `json:"source"`
	File     string `json:"file"`
	Call     string `json:"call,omitempty"`
	Exit     int    `json:"exit"`
	Millis   int64  `json:"ms"`
	TimedOut bool   `json:"timedOut,omitempty"`
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Error    string `json:"error,omitempty"` // why it could not be run
	// Aside are protected paths that it made and that were renamed, by their new names.
	Aside []string `json:"aside,omitempty"`
}

const (
	mostReason = 4 << 10  // bytes, in the log
	mostOutput = 64 << 10 // bytes kept of each stream
	hookGrace  = time.Second
)

// ranHook is how one run of a hook went.
type ranHook struct {
	hook           hook
	code           int
	stdout, stderr string
	late           bool
	took           time.Duration
	aside          []string
	err            error
}

// occasion is an event at which hooks run.
type occasion struct {
	event      string
	log        *session.Log
	turn, step int
	folder     string // of the session, absolute
	mode       string
	call       string // its id, where there is one
	// input is what every hook is told, beside what belongs to one of its uses.
	input map[string]any
}

// errand is one hook with what it is told.
type errand struct {
	hook  hook
	input map[string]any
}

// runAll runs the errands beside each other, logs each, and puts the answers together.
func (h *hooks) runAll(ctx context.Context, o occasion, errands []errand) (answer, error) {
	ran := make([]ranHook, len(errands))
	var all sync.WaitGroup
	for i, e := range errands {
		all.Go(func() { ran[i] = h.run(ctx, o, e) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return answer{}, context.Cause(ctx)
	}
	var total answer
	var rows []session.Draft
	for _, r := range ran {
		a := interpret(o.event, r)
		total = total.and(a)
		d := HookRanData{Event: o.event, Command: r.hook.command, Source: r.hook.source, File: r.hook.file, Call: o.call, Exit: r.code,
			Millis: r.took.Milliseconds(), TimedOut: r.late, Decision: a.word(), Reason: limited(a.reason), Aside: r.aside}
		if r.err != nil {
			d.Error = limited(fault.Person(r.err))
		}
		rows = append(rows, HookRan.New(o.turn, o.step, d))
	}
	if total.note != "" {
		rows = append(rows, session.Note.New(o.turn, o.step, session.NoteData{Text: limited(total.note)}))
	}
	_, err := o.log.Append(context.WithoutCancel(ctx), rows...)
	return total, err
}

func limited(s string) string {
	if len(s) > mostReason {
		return s[:mostReason] + "…"
	}
	return s
}

// run runs one hook, confined to the session's folder and without a network; in Plan
// it can change nothing.
func (h *hooks) run(ctx context.Context, o occasion, e errand) (r ranHook) {
	r.hook = e.hook
	stdin, err := json.Marshal(e.input)
	if err != nil {
		r.err = err
		return r
	}
	var stdout, stderr bounded
	spec := sandbox.Spec{
		Argv: []string{"bash", "-c", e.hook.command}, Dir: o.folder, Stdin: bytes.NewReader(append(stdin, '\n')),
		Stdout: &stdout, Stderr: &stderr, Policy: h.policy(o), Grace: hookGrace, Label: "hook " + e.hook.event,
		Env: []string{"CLAUDE_PROJECT_DIR=" + o.folder, "FAIRLEAD_PROJECT_DIR=" + o.folder},
	}
	if len(spec.Policy.Write) > 0 {
		spec.Temp = string(o.log.ID())
	}
	began := time.Now()
	p, err := h.box.Start(ctx, spec)
	if fault.CodeOf(err) == "no-program" {
		spec.Argv[0] = "sh"
		p, err = h.box.Start(ctx, spec)
	}
	if err != nil {
		r.err = err
		return r
	}
	limit := time.NewTimer(e.hook.limit)
	defer limit.Stop()
	select {
	case <-p.Done():
	case <-limit.C:
		r.late = true
		p.End(hookGrace)
	}
	exit, err := p.Wait(context.WithoutCancel(ctx))
	r.took, r.code, r.err = time.Since(began), exit.Code, err
	r.stdout, r.stderr = stdout.text(), stderr.text()
	for _, path := range exit.Appeared {
		if aside, err := sandbox.PutAside(path); err == nil {
			r.aside = append(r.aside, aside)
		} else if r.err == nil {
			r.err = err
		}
	}
	return r
}

// policy is what hooks may do.
func (h *hooks) policy(o occasion) sandbox.Policy {
	if o.mode == "plan" {
		return sandbox.Policy{}
	}
	folder, err := tool.Resolve(o.folder)
	if err != nil {
		return sandbox.Policy{}
	}
	deny := slices.DeleteFunc(slices.Concat([]string{h.Home}, tool.ProtectedIn(folder), tool.ProtectedAround(h.Personal)), func(path string) bool {
		return path == "" || !tool.Within(folder, path)
	})
	return sandbox.Policy{Write: []string{folder}, Deny: deny}
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := mostOutput - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (b *bounded) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return plainText(b.kept.String())
}
