package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

// Who ended a consultation, where it was not the person.
const (
	byPerson = "person"
	byNobody = "nobody" // there was nobody to answer
	byStop   = "stop"   // the step was stopped first
)

// ConsultPlugin registers the tools with which the model turns to the person: a
// question with choices, and a plan that waits to be approved.
func ConsultPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "consult",
		Doc:    "lets the model ask the person a question and propose a plan",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			d := &consults{realm: f.Realm(), waiting: map[consultID]*consultation{}}
			command.Register(f, d.answering(), d.deciding())
			return errors.Join(registry.Register(f, asker{d}), registry.Register(f, planner{d}))
		},
	}
}

// consults keeps the calls that wait for a person's word.
type consults struct {
	realm *graph.Realm

	mu      sync.Mutex
	waiting map[consultID]*consultation
}

type consultID struct {
	session session.ID
	call    string
}

// consultation is one call that waits. The first who settles it wins.
type consultation struct {
	call    *tool.Call
	mu      sync.Mutex
	over    bool
	settled chan struct{}
	result  *tool.Result
}

// settle closes a consultation with an event, durable, and what the model reads; then,
// which may be nil, is done before the call goes on. It fails with fault.Conflict
// where somebody was faster; then nothing was written.
func (c *consultation) settle(ctx context.Context, event session.Draft, result *tool.Result, then func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return elsewhere()
	}
	if _, err := c.call.Log.Append(ctx, event); err != nil {
		return err
	}
	if err := c.call.Log.Flush(ctx); err != nil {
		return err
	}
	c.over, c.result = true, result
	defer close(c.settled)
	if then != nil {
		return then()
	}
	return nil
}

// consult puts something before the person and waits for the word on it. unanswered
// gives what is logged and read where none comes: by says why.
func (d *consults) consult(ctx context.Context, call *tool.Call, proposed session.Draft, unanswered func(by string) (session.Draft, *tool.Result)) (*tool.Result, error) {
	left, done, reason := d.attendance(ctx, call)
	if reason != "" {
		event, result := unanswered(byNobody)
		_, err := call.Log.Append(ctx, proposed, event)
		return result, err
	}
	defer done()
	c := &consultation{call: call, settled: make(chan struct{})}
	id := consultID{call.Log.ID(), call.ID}
	d.mu.Lock()
	d.waiting[id] = c
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.waiting, id)
		d.mu.Unlock()
	}()
	if _, err := call.Log.Append(ctx, proposed); err != nil {
		return nil, err
	}
	if err := call.Log.Flush(ctx); err != nil {
		return nil, err
	}
	by := ""
	select {
	case <-c.settled:
	case <-ctx.Done():
		by = byStop
	case <-left:
		by = byNobody
	}
	if by != "" {
		event, result := unanswered(by)
		if err := c.settle(context.WithoutCancel(ctx), event, result, nil); err != nil && !fault.Is(err, fault.Conflict) {
			return nil, err
		}
	}
	if by == byStop {
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.result, nil
}

// attendance asks the gate whether somebody can answer a call.
func (d *consults) attendance(ctx context.Context, call *tool.Call) (left <-chan struct{}, done func(), reason string) {
	asker, ok := graph.Lookup(d.realm, tool.AskKey)
	if !ok {
		return nil, nil, "nobody is here"
	}
	c, ok := asker.(tool.Consulter)
	if !ok {
		return nil, nil, "nobody is here"
	}
	return c.Consult(ctx, call)
}

// find gives the consultation of a call that waits.
func (d *consults) find(id session.ID, call string) (*consultation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.waiting[consultID{id, call}]; c != nil {
		return c, nil
	}
	return nil, elsewhere()
}

func elsewhere() error {
	return &fault.Error{Kind: fault.Conflict, Op: "toolbox.consult", Code: "answered-elsewhere", Text: "This was answered already, or its step was stopped. Nothing was changed."}
}

// verb makes a session command of the room whose arguments are read into A.
func verb[A any](name, summary, params string, run func(context.Context, session.ID, A) error) command.Command {
	return command.Command{Name: name, Scope: command.Session, Summary: summary, Params: json.RawMessage(params),
		Run: func(ctx context.Context, c command.Call) (any, error) {
			var args A
			if err := json.Unmarshal(c.Args, &args); err != nil {
				return nil, fault.Wrap(fault.Invalid, "toolbox.consult", err, "%s takes other arguments. Nothing was changed.", name)
			}
			return struct{}{}, run(ctx, session.ID(c.Session), args)
		}}
}

// send gives the session a message of the person's.
func (d *consults) send(ctx context.Context, id session.ID, in agent.Input) error {
	host, ok := graph.Lookup(d.realm, agent.HostKey)
	if !ok {
		return fault.New(fault.Unavailable, "toolbox.consult", "No sessions are driven here. The plan is approved, but nothing was started.")
	}
	a, err := host.Open(ctx, id)
	if err != nil {
		return err
	}
	_, err = a.Send(ctx, in)
	return err
}
