package tool

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
)

// Tool is something a model can call.
type Tool interface {
	// Schema describes it to the model; it must not change while registered.
	Schema() llm.ToolSchema
	// Run does the work. The arguments were validated against the schema. An error
	// becomes a failed result with the error's text for the model.
	Run(ctx context.Context, call *Call) (*Result, error)
}

// Presenter says how a call shows to a person: the row, and for the approval card
// its whole payload. Both are worked out from the arguments and, for a card, from
// what is on disk now; never from the model's words about them.
type Presenter interface {
	Present(call *Call) session.Present
}

// Carder draws the approval card of a call.
type Carder interface {
	Card(ctx context.Context, call *Call) (*Card, error)
}

// Toucher names the files a call would read or change, so that policy can judge
// them without knowing the tool. Paths are absolute; links in them are not yet
// resolved. A tool that changes or reads files and does not say which is judged as
// one that could touch any.
type Toucher interface{ Touches(call *Call) []Touch }

// Touch is one file or folder that a call would read, or change where Change is true.
type Touch struct {
	Path   string
	Change bool
}

// Commander gives the command that a call would have a shell run, so that policy
// can judge it. ok is false where this call runs none.
type Commander interface {
	Command(call *Call) (cmd Command, ok bool)
}

// Command is text for a shell. Shell is "bash" or "powershell"; Dir is the absolute
// folder it starts in.
type Command struct {
	Shell string
	Text  string
	Dir   string
}

// Checker looks, before anybody is asked, for what would make a call fail in any
// case, such as a text to replace that is not in the file. It changes nothing and
// says nothing of a file that the model has not been shown.
type Checker interface {
	Check(ctx context.Context, call *Call) error
}

// Scheduler says whether a call may run beside others. Without it, it may not.
type Scheduler interface{ Parallel(call *Call) bool }

// ReadOnly says whether a call only looks. It is the tool's own code that says
// so, never its arguments.
type ReadOnly interface{ ReadOnly(call *Call) bool }

// Delegator says whether a call hands its work to somebody outside, who gets the words
// of the call and may cost something. Such a call is asked for also where it only looks.
type Delegator interface{ Delegates(call *Call) bool }

// Waiter says whether a call itself waits for [Call.Durable] before it does anything
// that could be noticed, so that it may get ready while the log reaches the disk.
// Without it, a call begins once the log is there.
type Waiter interface{ Waits(call *Call) bool }

// Limiter sets a time limit for a call; without it the pipeline sets none.
type Limiter interface {
	Limit(call *Call) time.Duration
}

// Nester is a tool whose calls make further calls, each judged by itself: such a call
// does not show as one that only looks, whatever policy takes it for.
type Nester interface{ Nests() }

// Plainer gives a program what a result says without what dresses it for a reader, as
// the numbers before the lines of a file. It is worked out from the logged text alone,
// so that a program that is run again from the log gets the same.
type Plainer interface{ Plain(text string) string }

// Who makes calls.
const (
	CallerModel   = "model"
	CallerProgram = "program"
	CallerPackage = "package"
)

// Call is one use of a tool on its way through the pipeline.
type Call struct {
	// ID is ours, unique in the session; empty lets the pipeline give one.
	ID      string
	ModelID string
	// Parent is the call inside which this one is made, "" for none.
	Parent string
	// Caller is who makes it, as in session.ToolCallData.
	Caller string
	Tool   string
	// Raw is the argument text as it came; Args is the validated JSON object.
	Raw  string
	Args json.RawMessage
	// Cut is true where the reply ended before the call was complete: it never runs.
	Cut bool
	// Uses is the tool that is called; the pipeline sets it before pre-execute.
	Uses Tool

	Log    *session.Log
	Turn   int
	Step   int
	Folder string // the session's workspace, absolute; "" where it has none

	// Policy confines the children of this call, and Env is what they get on top of
	// their environment; both are set by the gate.
	Policy sandbox.Policy
	Env    []string
	// Confirm re-checks, at the last moment before an effect, that the target is
	// still what was approved; set by the gate, nil where nothing was asked.
	Confirm func(ctx context.Context) error
	// Output passes output on while the call runs; the pipeline packs and logs it.
	Output func(text string)

	places  places
	realm   *graph.Realm // in which it is called
	durable func() error
	rerun   bool // it was asked whether it may run once more
}

// Realm is where it is called; nil before the pipeline has taken it.
func (c *Call) Realm() *graph.Realm { return c.realm }

// Durable returns once the log says, on disk, that the call has started; its error
// means that it must not. A call that is not made by the pipeline has nothing to
// wait for.
func (c *Call) Durable() error {
	if c.durable == nil {
		return nil
	}
	return c.durable()
}

// places are the paths that a call has resolved.
type places struct {
	mu sync.Mutex
	at map[string]string
}

// Resolve gives the file that a path of the arguments means, see [Resolve]; a
// relative path starts at Folder. Asked twice it gives the same answer, so that
// what runs is what was judged, whatever happens to links in between.
func (c *Call) Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		if c.Folder == "" {
			return "", fault.New(fault.Invalid, "tool.resolve", "The session has no folder, so %q says nothing; give an absolute path.", path)
		}
		path = c.Folder + string(filepath.Separator) + path // not cleaned: a/../b is what the system takes it for
	}
	c.places.mu.Lock()
	defer c.places.mu.Unlock()
	if resolved, ok := c.places.at[path]; ok {
		return resolved, nil
	}
	resolved, err := Resolve(path)
	if err != nil {
		return "", err
	}
	if c.places.at == nil {
		c.places.at = map[string]string{}
	}
	c.places.at[path] = resolved
	return resolved, nil
}

// Forget drops what was resolved: the call is about to be judged anew, from where
// its paths lead now.
func (c *Call) Forget() {
	c.places.mu.Lock()
	defer c.places.mu.Unlock()
	clear(c.places.at)
}

// Decode reads the arguments into v.
func (c *Call) Decode(v any) error { return json.Unmarshal(c.Args, v) }

// Result is what a tool gives back.
type Result struct {
	// Content is what the model reads.
	Content []llm.Part
	Failed  bool
	// Code is a stable word for a failure ("STALE_FILE").
	Code string
	// View feeds the card on the page; its first field is its kind: {"kind":"terminal",…}.
	View any
	// Changed names files the call changed, absolute.
	Changed []string
	// EndsTurn is true where the turn is over after this step.
	EndsTurn bool
	// Spill is what the tool itself has kept beside the log because Content shows
	// only a part of it; Content names it with [Locator].
	Spill *session.BlobRef

	err error // what Run failed with
}

// Text makes a result of plain text.
func Text(s string) *Result { return &Result{Content: llm.Text(s)} }

// Verdict is what the pre-execute stage decides.
type Verdict struct {
	Decision Decision
	// Reason is for the person's row and the log; Model is what the model reads on a denial.
	Reason string
	Model  string
	// DeniedBy is set on Deny: "person", "mode", "nobody", "rule", "guard".
	DeniedBy string
	// By says who allowed: "mode", "rule", "proof", "tool", "person".
	By     string
	Rule   string
	Policy sandbox.Policy
	// Env are variables for the children of the call, "NAME=value".
	Env []string
	// Card is drawn where Decision is Ask; nil means that the pipeline draws a plain one.
	Card *Card
	// Grave and Facts are what policy itself has to say on the card; whoever asks
	// puts them there.
	Grave string
	Facts []Fact
}

// Decision of the pre-execute stage.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	Ask   Decision = "ask"
)

// Card is everything a person must be able to read before saying yes. It is
// logged in approval/asked, so it is also what the past shows.
type Card struct {
	// Title is a catalog word: "run-command", "change-file", "new-file", "delete-file", "open-page", "search-web", "use-tool".
	Title string `json:"title"`
	// Hero is the one fact that matters: the whole command, the whole path, the whole address.
	Hero string `json:"hero"`
	// Facts are short statements of our own analysis, as catalog keys with values.
	Facts []Fact `json:"facts,omitempty"`
	// Why is the model's own reason; a claim, shown as one.
	Why string `json:"why,omitempty"`
	// Parts are the whole payload, each with its kind for the label.
	Parts []CardPart `json:"parts"`
	// Grave marks a protected path or a plugin folder: never always-allowed.
	Grave string `json:"grave,omitempty"`
	// Binds names what the approval is bound to besides tool, arguments, folder and
	// mode: resolved targets and the SHA-256 of their bytes now ("absent" where missing).
	Binds map[string]string `json:"binds,omitempty"`
	// Wider lists rules that this card offers behind Approve.
	Wider []Wider `json:"wider,omitempty"`
}

// Fact is one statement on a card.
type Fact struct {
	Key    string         `json:"key"`
	Values map[string]any `json:"values,omitempty"`
	Warn   bool           `json:"warn,omitempty"`
}

// CardPart is one labelled piece of payload.
type CardPart struct {
	// Name is a catalog word: command, change, new-file, arguments.
	Name string `json:"name"`
	// Kind is "command", "diff", "text", "json".
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// Wider is a standing permission that a person may give instead of one yes.
type Wider struct {
	ID    string `json:"id"`
	Label string `json:"label"` // says exactly what it will cover
	// Key and Values are the same for the message catalog; empty where there is only Label.
	Key    string         `json:"key,omitempty"`
	Values map[string]any `json:"values,omitempty"`
	Scope  string         `json:"scope"` // "session" or "project"
}

// Asker puts a question to a person and waits. It is provided under [AskKey] by
// the slice that keeps approvals; where nobody provides it, the answer is
// unavailable, which is a no.
type Asker interface {
	// Approve returns once a person, a rule or the end of ctx answered. It logs the
	// question before it waits and the decision before it returns.
	Approve(ctx context.Context, call *Call, verdict Verdict) (Answer, error)
	// Record logs a decision that needed no question.
	Record(ctx context.Context, call *Call, verdict Verdict) error
}

// Consulter is an [Asker] that knows whether a person can be turned to with something
// else than an approval. The caller keeps the question itself.
type Consulter interface {
	// Consult says that call waits for a person's word until done is called. left is
	// closed when the last person who could give it leaves. Where nobody can, reason
	// says why, and there is nothing to be done.
	Consult(ctx context.Context, call *Call) (left <-chan struct{}, done func(), reason string)
}

// Answer is a person's decision.
type Answer struct {
	Approved bool
	DeniedBy string // "person", "nobody"
	Note     string // the person's words with a no
	// Model is what the model reads where the answer is no; "" where the pipeline words it.
	Model string
	// Failure is set where the call cannot work any more, because its target changed
	// while the question waited; it becomes the result.
	Failure error
	Policy  sandbox.Policy
	Confirm func(ctx context.Context) error
}
