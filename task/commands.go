package task

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
)

// CodeNeedsYes is the fault code where a person has to say yes to what a task may do
// while nobody watches.
const CodeNeedsYes = "needs-yes"

// Wish is what saving a task takes: the task, and the person's yes where its runs are
// to go without questions.
type Wish struct {
	Task
	// Yes must be "bypass" for a task in that mode.
	Yes string `json:"yes,omitempty"`
}

// SaveWish saves a task for a person. It fails with fault.Denied and [CodeNeedsYes]
// where a yes is missing.
func (d *Folder) SaveWish(w Wish) error {
	if w.Mode == agent.Bypass && w.Yes != agent.Bypass {
		return fault.New(fault.Denied, "task.save", "In Bypass every run of the task %s changes files and runs commands without asking, while nobody watches. Nothing was saved; say yes to that, or choose plan or manual.", w.Name).WithCode(CodeNeedsYes)
	}
	return d.Save(w.Task)
}

// Shown is a task as viewers see it.
type Shown struct {
	Entry
	Mode    string      `json:"mode"`
	Next    []time.Time `json:"next"`
	Running bool        `json:"running,omitempty"`
	Last    *Record     `json:"last,omitempty"`
	// History is given where one task was asked for, the latest record first.
	History []Record `json:"history,omitempty"`
}

// shownNext is how many due times are told in advance.
const shownNext = 3

// Show describes every task, or the one of that name with its history.
func (d *Folder) Show(name string, now time.Time) ([]Shown, error) {
	list, err := d.List()
	if err != nil {
		return nil, err
	}
	shown := []Shown{}
	for _, e := range list {
		if name != "" && e.Name != name {
			continue
		}
		records, err := d.Records(e.Name)
		if err != nil {
			return nil, err
		}
		s := Shown{Entry: e, Mode: e.mode(), Next: append([]time.Time{}, e.Task.Next(now, shownNext)...)}
		for i := len(records) - 1; i >= 0; i-- {
			r := records[i]
			s.Running = s.Running || !r.Final()
			if s.Last == nil {
				s.Last = &r
			}
			if name != "" {
				s.History = append(s.History, r)
			}
		}
		shown = append(shown, s)
	}
	if name != "" && len(shown) == 0 {
		return nil, fault.New(fault.NotFound, "task.show", "There is no task %s.", name)
	}
	return shown, nil
}

// offer registers what people do with tasks.
func (k *keeper) offer(f *graph.Fiber, ctx context.Context) {
	const one = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`
	act := func(name, summary, params string, run func(name string, args json.RawMessage) (any, error)) command.Command {
		return command.Command{Name: name, Scope: command.Host, Summary: summary, Params: json.RawMessage(params),
			Run: func(_ context.Context, c command.Call) (any, error) {
				var a struct {
					Name string `json:"name"`
				}
				if err := json.Unmarshal(c.Args, &a); err != nil {
					return nil, fault.Wrap(fault.Invalid, name, err, "The task could not be read. Nothing was changed.")
				}
				defer k.look()
				return run(a.Name, c.Args)
			}}
	}
	command.Register(f,
		act("task.save", "saves a task, new or changed; in bypass it wants yes: \"bypass\"",
			`{"type":"object","properties":{"name":{"type":"string"},"prompt":{"type":"string"},"folder":{"type":"string"},"at":{"type":"string"},"every":{"type":"string"},"cron":{"type":"string"},"zone":{"type":"string"},"from":{"type":"string"},"missed":{"type":"string"},"mode":{"type":"string"},"model":{"type":"string"},"effort":{"type":"string"},"preset":{"type":"string"},"off":{"type":"boolean"},"yes":{"type":"string"}},"required":["name","prompt"],"additionalProperties":false}`,
			func(_ string, args json.RawMessage) (any, error) {
				var w Wish
				if err := json.Unmarshal(args, &w); err != nil {
					return nil, fault.Wrap(fault.Invalid, "task.save", err, "The task could not be read. Nothing was saved.")
				}
				return nil, k.folder.SaveWish(w)
			}),
		act("task.remove", "removes a task; the sessions of its runs stay", one,
			func(name string, _ json.RawMessage) (any, error) { return nil, k.folder.Remove(name) }),
		act("task.run", "runs a task now, beside its times", one,
			func(name string, _ json.RawMessage) (any, error) { return k.now(ctx, name) }),
		act("task.switch", "switches a task on or off; what was due while it was off does not count",
			`{"type":"object","properties":{"name":{"type":"string"},"on":{"type":"boolean"}},"required":["name","on"],"additionalProperties":false}`,
			func(name string, args json.RawMessage) (any, error) {
				var a struct {
					On bool `json:"on"`
				}
				if err := json.Unmarshal(args, &a); err != nil {
					return nil, fault.Wrap(fault.Invalid, "task.switch", err, "It was not said whether on or off. Nothing was changed.")
				}
				return nil, k.folder.Switch(name, a.On)
			}),
	)
	read := func(q command.Query) (any, error) { return k.folder.Show(q.Params["name"], time.Now()) }
	command.RegisterViews(f, command.View{
		Name: "tasks", Scope: command.Host, Params: []string{"name"},
		Summary: "the tasks with their next times and what became of the last one; with name that one, with its history",
		Read:    func(_ context.Context, q command.Query) (any, error) { return read(q) },
		Watch: func(ctx context.Context, q command.Query) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				for range graph.Watch(ctx, &k.bell, func() struct{} { return struct{}{} }) {
					if v, err := read(q); !yield(v, err) {
						return
					}
				}
			}
		},
	})
}
